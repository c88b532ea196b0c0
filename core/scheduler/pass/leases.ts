import { emptyRanges, type RangeSet, subtract } from '../../model/ranges.ts';
import { changeLease, isActive, type LeaseDraft, nextEpochOf, type Pass } from './draft.ts';
import { touchLease } from './rows.ts';

/** The two ways a lease ends before its chunks are done. Callers have asked for the rows. */

/** At once: whatever the edge is doing with them, the chunks are not its own any more. */
export function revoke(pass: Pass, lease: LeaseDraft): void {
  changeLease(lease, {
    ranges: emptyRanges,
    running: emptyRanges,
    giveBack: emptyRanges,
    giveBackEpoch: null,
    slots: 0,
  });
  touchLease(pass, lease, true);
}

/** Chunks that the edge has not reported as started, and that are not asked back yet. */
export function unstartedOf(lease: LeaseDraft): RangeSet {
  return subtract(subtract(lease.ranges, lease.running), lease.giveBack);
}

/**
 * In two phases: the edge is asked not to start these, and confirms by applying the epoch that says
 * so.
 */
export function askBack(pass: Pass, lease: LeaseDraft, chunks: RangeSet): void {
  changeLease(lease, { giveBack: chunks, giveBackEpoch: nextEpochOf(lease.edge) });
  touchLease(pass, lease, true);
}

export function holdsSomething(leases: Iterable<LeaseDraft>): boolean {
  for (const lease of leases) if (isActive(lease)) return true;
  return false;
}

/** A lease loses chunks, whatever they are doing. */
export function takeAway(lease: LeaseDraft, chunks: RangeSet): void {
  changeLease(lease, {
    ranges: subtract(lease.ranges, chunks),
    giveBack: subtract(lease.giveBack, chunks),
    running: subtract(lease.running, chunks),
  });
}
