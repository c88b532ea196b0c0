import { workBytesMax } from '../../model/limits.ts';
import {
  count,
  emptyRanges,
  firstIntervals,
  intervals,
  type RangeSet,
  subtract,
  union,
} from '../../model/ranges.ts';
import { documentBytes, leaseBytes } from '../pass/candidates.ts';
import { reservedBy, slotsInUse } from '../pass/capacity.ts';
import { changeLease, isActive, type LeaseDraft, type Pass, pendingOf } from '../pass/draft.ts';
import { touchLease } from '../plan/rows.ts';
import { spareSlice } from '../plan/spared-rows.ts';

/**
 * Gives chunks to a lease, and slots to run them; callers have asked for the rows and seen that the
 * slots fit. Answers what was given: less when the document of the edge is full.
 */
export function grant(pass: Pass, lease: LeaseDraft, chunks: RangeSet, slots: number): RangeSet {
  const { job } = lease;
  const given = fittingDocument(lease, chunks);
  if (given.length === 0) return emptyRanges;
  const pending = subtract(pendingOf(job), given);
  const queue = pass.queues?.get(job.intent.spec.queue);
  if (queue !== undefined) reservedBy(lease, queue.held, -1);
  if (!isActive(lease)) lease.grantedAtMs = pass.nowMs;
  // New slots come on top of what runs; a refill leaves what a smaller capacity took away.
  const more = Math.min(slots, count(given));
  const kept = Math.min(lease.slots, count(lease.ranges));
  changeLease(lease, {
    ranges: union(lease.ranges, given),
    slots: more > 0 ? slotsInUse(lease) + more : kept,
  });
  if (queue !== undefined) reservedBy(lease, queue.held, 1);
  job.pending = pending;
  touchLease(pass, lease, true);
  spareSlice(pass, lease);
  return given;
}

/** The first chunks of the set for which the edge's document has room. */
function fittingDocument(lease: LeaseDraft, chunks: RangeSet): RangeSet {
  let given = chunks;
  while (given.length > 0) {
    if (fitsDocument(lease, given)) return given;
    // Intervals are what costs: halve their number.
    given = firstIntervals(given, intervals(given) >> 1);
  }
  return emptyRanges;
}

/** Whether the edge's document may name these chunks too: its size is a capacity like power. */
export function fitsDocument(lease: LeaseDraft, chunks: RangeSet): boolean {
  const own = isActive(lease) ? leaseBytes(lease, lease.ranges) : 0;
  const others = documentBytes(lease.edge) - own;
  return others + leaseBytes(lease, union(lease.ranges, chunks)) <= workBytesMax;
}
