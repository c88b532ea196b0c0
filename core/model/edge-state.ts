import type { Mismatch } from '../scheduler/matching.ts';
import { type CellEdge, type EdgeReport, type EdgeWork, noEdgeWork } from './cell.ts';
import { diskTroubleOf } from './edge-facts.ts';
import { rewritesMax } from './limits.ts';
import { isEmpty } from './ranges.ts';

/**
 * The status of an edge, computed here and nowhere else, so that list, detail, statistics and graph
 * always agree. Where there is room for one word only, `contract/short-status.ts` chooses it.
 *
 * Two things are told apart: the link (what the broker and the passes say of it: `enrolled` is an
 * edge that has not reported yet) and the intent of its users (`cordoned`, `draining`, `removed`).
 * Whether it is busy is what it holds.
 */
export const edgeLinks = ['enrolled', 'connected', 'disconnected', 'lost'] as const;
export type EdgeLink = (typeof edgeLinks)[number];

export const edgeStatusNames = [
  ...edgeLinks,
  'cordoned',
  'draining',
  'removed',
  'busy',
  'free',
] as const;
export type EdgeStatusName = (typeof edgeStatusNames)[number];

export type EdgeStatus = {
  readonly link: EdgeLink;
  readonly cordoned: boolean;
  readonly draining: boolean;
  readonly removed: boolean;
  /** Holds a lease with something in it. */
  readonly busy: boolean;
};

type Observed = Pick<CellEdge, 'config' | 'report' | 'work' | 'facts'>;

export function edgeStatusOf(edge: Observed): EdgeStatus {
  const leases = [...(edge.work?.leases.values() ?? [])];
  return {
    link: linkOf(edge),
    cordoned: edge.config.cordoned !== null,
    draining: edge.config.drain !== null,
    removed: edge.config.removing !== null,
    busy: leases.some((lease) => !isEmpty(lease.ranges) || !isEmpty(lease.running)),
  };
}

function linkOf(edge: Observed): EdgeLink {
  if (edge.work !== null && edge.work.lostAtMs !== null) return 'lost';
  if (edge.report === null) return 'enrolled';
  return edge.report.connected ? 'connected' : 'disconnected';
}

/** What `?state=` means: any part of the status. */
export function hasStatus(edge: Observed, name: EdgeStatusName, nowMs: number): boolean {
  const status = edgeStatusOf(edge);
  switch (name) {
    case 'cordoned':
    case 'draining':
    case 'removed':
    case 'busy':
      return status[name];
    case 'free':
      return !status.busy && isOpen(edge, nowMs);
    default:
      return status.link === name;
  }
}

function isOpen(edge: Observed, nowMs: number): boolean {
  const work = edge.work ?? noEdgeWork;
  return unavailableFor(edge, work, work, nowMs) === null;
}

/**
 * Why an edge gets no new work of any job now; `null` when it may. A pass, the statistics and the
 * lists ask here. A pass may have changed its mind about `lostAtMs` and `quarantinedUntilMs`; how
 * often the document was rewritten is what is stored.
 */
export function unavailableFor(
  { config, report, facts }: Pick<CellEdge, 'config' | 'report' | 'facts'>,
  { lostAtMs, quarantinedUntilMs }: Pick<EdgeWork, 'lostAtMs' | 'quarantinedUntilMs'>,
  written: Pick<EdgeWork, 'epoch' | 'rewrites'>,
  nowMs: number,
): Mismatch | null {
  if (config.removing !== null) return { reason: 'edge-cordoned', detail: 'is being removed' };
  if (config.drain !== null)
    return { reason: 'edge-cordoned', detail: `draining: ${config.drain.reason}` };
  if (config.cordoned !== null) return { reason: 'edge-cordoned', detail: config.cordoned.reason };
  if (report === null || !report.connected) {
    return { reason: 'edge-disconnected', detail: 'is not connected' };
  }
  if (lostAtMs !== null) return unresponsive;
  const trouble = diskTroubleOf(facts);
  if (trouble !== null) {
    return { reason: 'edge-cordoned', detail: `its disk cannot be written: ${trouble}` };
  }
  if (quarantinedUntilMs !== null && quarantinedUntilMs > nowMs) {
    return { reason: 'edge-cordoned', detail: 'quarantined: everything failed there' };
  }
  return written.rewrites >= rewritesMax && !hasApplied(report, written) ? unresponsive : null;
}

const unresponsive: Mismatch = {
  reason: 'edge-disconnected',
  detail: 'is connected but does not take its work',
};

/** Whether the edge has reported that it applied its newest document. */
export function hasApplied(
  report: Pick<EdgeReport, 'progress'> | null,
  { epoch }: Pick<EdgeWork, 'epoch'>,
): boolean {
  return epoch === 0 || (report?.progress?.epoch ?? -1) >= epoch;
}
