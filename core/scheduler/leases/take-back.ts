import { emptyRanges, isEmpty, type RangeSet, subtract, union } from '../../model/ranges.ts';
import {
  changeLease,
  type EdgeDraft,
  isActive,
  type LeaseDraft,
  type Pass,
} from '../pass/draft.ts';
import { touchLease } from '../plan/rows.ts';
import { nextEpochOf } from './epochs.ts';

/** The two ways a lease ends before its chunks are done. Callers have asked for the rows. */

/**
 * At once: whatever the edge is doing with them, the chunks are not its own any more. What it has
 * finished of them by now, or finishes before it hears of this, counts all the same.
 */
export function revoke(pass: Pass, lease: LeaseDraft): void {
  lease.heldBefore = union(lease.heldBefore, lease.ranges);
  changeLease(lease, {
    ranges: emptyRanges,
    running: emptyRanges,
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots: 0,
  });
  touchLease(pass, lease, true);
}

/** Chunks that the edge has not reported as started, and that are not being reclaimed yet. */
export function unstartedOf(lease: LeaseDraft): RangeSet {
  return subtract(subtract(lease.ranges, lease.running), lease.reclaiming);
}

/**
 * In two phases: the edge is asked not to start these, and confirms by applying the epoch that says
 * so.
 */
export function reclaim(pass: Pass, lease: LeaseDraft, chunks: RangeSet): void {
  changeLease(lease, { reclaiming: chunks, reclaimEpoch: nextEpochOf(lease.edge) });
  touchLease(pass, lease, true);
}

export function holdsSomething(edge: EdgeDraft): boolean {
  for (const lease of edge.leases.values()) if (isActive(lease)) return true;
  for (const { lease } of edge.suspended.values()) if (!isEmpty(lease.ranges)) return true;
  return false;
}

/** A lease loses chunks, whatever they are doing. */
export function takeAway(lease: LeaseDraft, chunks: RangeSet): void {
  changeLease(lease, {
    ranges: subtract(lease.ranges, chunks),
    reclaiming: subtract(lease.reclaiming, chunks),
    running: subtract(lease.running, chunks),
  });
}
