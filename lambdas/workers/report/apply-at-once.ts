import type { CellId, EdgeName } from '../../../core/model/names.ts';
import type { EdgeEvent } from '../../../core/protocol/edge-event.ts';
import {
  applyReportsAtOnce,
  isQuietForReports,
  type ProgressEvent,
} from '../../../core/scheduler/short-pass.ts';
import { knownEdgesMax } from '../../limits.ts';
import { runShortPass, type ShortPassDeps } from '../schedule/short-pass.ts';

export type ApplyingDeps = ShortPassDeps & { readonly edges: KnownEdges };

/**
 * Where edges were when they reported last. It is believed only as far as to read that cell first:
 * an edge that is not there any more is looked up.
 */
export type KnownEdges = {
  cellOf(edge: EdgeName): CellId | undefined;
  remember(cells: ReadonlyMap<EdgeName, CellId>): void;
};

export function createKnownEdges(): KnownEdges {
  const known = new Map<EdgeName, CellId>();
  return {
    cellOf: (edge) => known.get(edge),
    remember(cells) {
      if (known.size + cells.size > knownEdgesMax) known.clear();
      for (const [edge, cell] of cells) known.set(edge, cell);
    },
  };
}

/** Answers the events that are stored and applied; all others go the way of the stream. */
export async function applyAtOnce(
  deps: ApplyingDeps | undefined,
  events: readonly EdgeEvent[],
): Promise<ReadonlySet<EdgeEvent>> {
  const applied = new Set<EdgeEvent>();
  if (deps === undefined) return applied;
  for (const [cell, reports] of reportsByCell(deps.edges, events)) {
    try {
      const done = await runShortPass(deps, cell, {
        isQuiet: isQuietForReports,
        decide: (stored, nowMs) => applyReportsAtOnce(stored, reports, nowMs),
        commit: ({ plan }) => deps.store.commitWithReports(plan, reports),
        isCommitted: () => true,
      });
      if (done !== 'left') for (const report of reports) applied.add(report);
    } catch (error) {
      deps.log.warn('reports were not applied at once', { cell, error });
    }
  }
  return applied;
}

/** Of cells from which nothing else came: what else edges say is for the pass over all of it. */
function reportsByCell(
  edges: KnownEdges,
  events: readonly EdgeEvent[],
): ReadonlyMap<CellId, readonly ProgressEvent[]> {
  const reports = new Map<CellId, ProgressEvent[]>();
  for (const event of events) {
    const cell = edges.cellOf(event.edge);
    if (cell === undefined || event.kind !== 'prog') continue;
    reports.set(cell, [...(reports.get(cell) ?? []), event]);
  }
  for (const { edge, kind } of events) {
    const cell = edges.cellOf(edge);
    if (cell !== undefined && kind !== 'prog') reports.delete(cell);
  }
  return reports;
}
