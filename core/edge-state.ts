import type { CellEdge } from './cell.ts';
import { diskTroubleOf } from './edge-facts.ts';
import { rewritesMax } from './limits.ts';
import { isEmpty } from './ranges.ts';

/**
 * The lamps of an edge, computed here and nowhere else, so that list, detail, statistics and graph
 * always agree.
 *
 * Two things are told apart: the link (what the broker and the passes say of it: `enrolled` is an
 * edge never heard of) and the intent of its users (`cordoned`, `draining`, `removed`). Whether it
 * is busy is what it holds.
 */
export const edgeLinks = ['enrolled', 'connected', 'disconnected', 'lost'] as const;
export type EdgeLink = (typeof edgeLinks)[number];

export const edgeLampNames = [
  ...edgeLinks,
  'cordoned',
  'draining',
  'removed',
  'busy',
  'free',
] as const;
export type EdgeLampName = (typeof edgeLampNames)[number];

export type EdgeLamps = {
  readonly link: EdgeLink;
  readonly cordoned: boolean;
  readonly draining: boolean;
  readonly removed: boolean;
  /** Holds a lease with something in it. */
  readonly busy: boolean;
};

type Observed = Pick<CellEdge, 'config' | 'report' | 'work' | 'facts'>;

export function lampsOf(edge: Observed): EdgeLamps {
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

/** What `?state=` means: any lamp that is lit. */
export function isLit(edge: Observed, name: EdgeLampName, nowMs: number): boolean {
  const lamps = lampsOf(edge);
  switch (name) {
    case 'cordoned':
    case 'draining':
    case 'removed':
    case 'busy':
      return lamps[name];
    case 'free':
      return !lamps.busy && isOpen(edge, nowMs);
    default:
      return lamps.link === name;
  }
}

/**
 * Whether it may get new work: as the statistics count it, and as a pass decides it with reasons.
 */
function isOpen({ config, report, work, facts }: Observed, nowMs: number): boolean {
  if (config.cordoned !== null || config.drain !== null || config.removing !== null) return false;
  if (report?.connected !== true || diskTroubleOf(facts) !== null) return false;
  if (work === null) return true;
  const isAside = work.asideUntilMs !== null && work.asideUntilMs > nowMs;
  const isApplied = work.epoch === 0 || (report.prog?.epoch ?? -1) >= work.epoch;
  const isDeaf = work.rewrites >= rewritesMax && !isApplied;
  return work.lostAtMs === null && !isAside && !isDeaf;
}
