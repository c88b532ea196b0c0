import type { Mismatch } from '../scheduler/matching.ts';
import { type CellEdge, type EdgeReport, type EdgeWork, noEdgeWork } from './cell.ts';
import { diskTroubleOf } from './edge-facts.ts';
import type { EdgeLink, EdgeStatusName } from './edge-status.ts';
import { rewritesMax } from './limits.ts';
import { presentAt } from './presence.ts';
import { isEmpty } from './ranges.ts';
import { isCrashing, isDoubled, type Starts } from './starts.ts';

/**
 * The status of an edge, computed here and nowhere else, so that list, detail, statistics and graph
 * always agree. Where there is room for one word only, `contract/short-status.ts` chooses it.
 *
 * Two things are different: the link (what the broker and the passes say of it: `enrolled` is an
 * edge that has not reported yet, `doubled` one whose identity two agents use) and the intent of
 * its users (`cordoned`, `draining`, `removed`).
 * Whether it is busy is what it holds.
 */
export type EdgeStatus = {
  readonly link: EdgeLink;
  readonly cordoned: boolean;
  readonly draining: boolean;
  readonly removed: boolean;
  /** Holds a lease with something in it. */
  readonly busy: boolean;
};

type Observed = Pick<CellEdge, 'config' | 'report' | 'work' | 'facts' | 'unreadable'>;

export function edgeStatusOf(edge: Observed): EdgeStatus {
  const leases = [...(edge.work?.leases.values() ?? [])];
  return {
    link: linkOf(edge),
    cordoned: edge.config.cordoned !== null || edge.unreadable !== undefined,
    draining: edge.config.drain !== null,
    removed: edge.config.removing !== null,
    busy: leases.some((lease) => !isEmpty(lease.ranges) || !isEmpty(lease.running)),
  };
}

function linkOf(edge: Observed): EdgeLink {
  if (edge.work !== null && edge.work.lostAtMs !== null) return 'lost';
  if (isDoubled(edge.work?.starts)) return 'doubled';
  if (edge.report === null) return 'enrolled';
  return edge.report.connected ? 'connected' : 'disconnected';
}

/** What `?state=` means: any part of the status. */
export function hasStatus(stored: Observed, name: EdgeStatusName, nowMs: number): boolean {
  const edge = presentAt(stored, nowMs);
  const status = edgeStatusOf(edge);
  switch (name) {
    case 'cordoned':
    case 'draining':
    case 'removed':
    case 'busy':
      return status[name];
    case 'starting':
      return status.link === 'enrolled';
    case 'crashing':
      return isCrashing(edge.work?.starts, nowMs);
    case 'free':
      return !status.busy && isOpen(edge, nowMs);
    default:
      return status.link === name;
  }
}

function isOpen(edge: Observed, nowMs: number): boolean {
  const work = edge.work ?? noEdgeWork;
  return edge.unreadable === undefined && unavailableFor(edge, work, work, nowMs) === null;
}

type Closing = {
  readonly lostAtMs: EdgeWork['lostAtMs'];
  readonly quarantinedUntilMs: EdgeWork['quarantinedUntilMs'];
  readonly starts?: Starts | undefined;
};

/**
 * Why an edge gets no new work of any job now; `null` when it may. A pass, the statistics and the
 * lists ask here. A pass may have changed its mind about `lostAtMs` and `quarantinedUntilMs`; how
 * often the document was rewritten is what is stored.
 */
export function unavailableFor(
  { config, report, facts }: Pick<CellEdge, 'config' | 'report' | 'facts'>,
  { lostAtMs, quarantinedUntilMs, starts }: Closing,
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
  if (isDoubled(starts)) return { reason: 'edge-cordoned', detail: 'two agents use its identity' };
  const trouble = diskTroubleOf(facts);
  if (trouble !== null) {
    return { reason: 'edge-cordoned', detail: `its disk cannot be written: ${trouble}` };
  }
  if (quarantinedUntilMs !== null && quarantinedUntilMs > nowMs) {
    return { reason: 'edge-cordoned', detail: 'quarantined: everything failed there' };
  }
  if (written.rewrites >= rewritesMax && !hasApplied(report, written)) return unresponsive;
  return config.pull == null ? null : awaitsAccept;
}

const awaitsAccept: Mismatch = {
  reason: 'awaits-accept',
  detail: 'takes work by itself and has not taken this yet',
};

const unresponsive: Mismatch = {
  reason: 'edge-disconnected',
  detail: 'is connected but does not take its work',
};

/** Whether the edge has reported that it applied its newest document. */
export function hasApplied(
  report: Pick<EdgeReport, 'progress' | 'receivedAtMs'> | null,
  { epoch }: Pick<EdgeWork, 'epoch'>,
): boolean {
  return epoch === 0 || appliedEpochIn(report, epoch) >= epoch;
}

/**
 * What the edge says that it has applied; an epoch that could not be is none. Above the one that it
 * was given, it goes on from there: up to the milliseconds since 1970. That is more documents than
 * anybody writes, leaves room to count, and has always grown by the time that a table is restored,
 * so that no edge has applied what it is not believed any more.
 */
export function appliedEpochIn(
  report: Pick<EdgeReport, 'progress' | 'receivedAtMs'> | null,
  given: number,
): number {
  const epoch = report?.progress?.epoch ?? 0;
  return epoch > Math.max(report?.receivedAtMs ?? 0, given) ? 0 : epoch;
}
