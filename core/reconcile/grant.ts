import { workBytesMax } from '../limits.ts';
import { count, emptyRanges, last, type RangeSet, union } from '../ranges.ts';
import { documentBytes, leaseBytes } from './candidates.ts';
import { reservedBy, slotsInUse } from './capacity.ts';
import { changeLease, isActive, type JobDraft, type LeaseDraft, type Pass } from './draft.ts';
import { touchLease } from './rows.ts';

/**
 * Gives chunks to a lease, and slots to run them; callers have asked for the rows and seen that the slots fit.
 * Answers what was given: less when the document of the edge is full.
 */
export function grant(pass: Pass, lease: LeaseDraft, chunks: RangeSet, slots: number): RangeSet {
  const { job } = lease;
  const given = fittingDocument(lease, chunks);
  if (given.length === 0) return emptyRanges;
  const pending = job.pending;
  const queue = pass.queues?.get(job.ask.spec.queue);
  if (queue !== undefined) reservedBy(lease, queue.held, -1);
  if (!isActive(lease)) lease.grantedAtMs = pass.nowMs;
  const inUse = slotsInUse(lease);
  changeLease(lease, {
    ranges: union(lease.ranges, given),
    slots: inUse + Math.min(slots, count(given)),
  });
  if (queue !== undefined) reservedBy(lease, queue.held, 1);
  job.pending = pending;
  touchLease(pass, lease, true);
  return given;
}

/** The first chunks of the set for which the edge's document has room. */
function fittingDocument(lease: LeaseDraft, chunks: RangeSet): RangeSet {
  const others =
    documentBytes(lease.edge) - (isActive(lease) ? leaseBytes(lease, lease.ranges) : 0);
  let given = chunks;
  while (given.length > 0) {
    if (others + leaseBytes(lease, union(lease.ranges, given)) <= workBytesMax) return given;
    // Intervals are what costs: halve their number.
    given = given.length === 2 ? emptyRanges : given.slice(0, 2 * (given.length >> 2));
  }
  return emptyRanges;
}

/** The job's last chunk is larger than the others when the division left a remainder. */
export function isLargeLast(job: JobDraft, chunks: RangeSet): boolean {
  const { demand } = job;
  return demand.lastPower !== demand.power && last(chunks) === demand.lastChunk;
}
