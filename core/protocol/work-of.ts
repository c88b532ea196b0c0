import type { CellJob, EdgeWork, Lease, Slice } from '../model/cell.ts';
import type { JobId } from '../model/names.ts';
import {
  emptyRanges,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../model/ranges.ts';
import { encodeAttempts, type Work, type WorkEntry } from './work.ts';

/** What the `work` shadow of an edge says, whole, from the committed rows. */
export function workOf(work: EdgeWork, jobs: ReadonlyMap<JobId, CellJob>): Work {
  const entries = new Map<JobId, WorkEntry>();
  for (const [id, lease] of work.leases) {
    const job = jobs.get(id);
    if (job === undefined || isEmpty(lease.ranges)) continue;
    entries.set(id, entryOf(lease, job));
  }
  return { epoch: work.epoch, acknowledgedSequence: work.acknowledgedSequence, jobs: entries };
}

function entryOf(lease: Lease, { intent, slice }: CellJob): WorkEntry {
  return {
    ranges: lease.ranges,
    slots: lease.slots,
    chunkPower: intent.chunking.chunkPower,
    specHash: intent.specHash,
    release: intersect(lease.reclaiming, lease.ranges),
    attempts: attemptsOf(lease.ranges, slice),
  };
}

/** Attempt numbers above 1 of these chunks. */
export function attemptsOf(
  ranges: RangeSet,
  slice: Pick<Slice, 'retries' | 'revived' | 'attemptBase'>,
): ReadonlyMap<number, RangeSet> {
  const attempts = new Map<number, RangeSet>();
  let retried = emptyRanges;
  for (const [chunk, retry] of slice.retries) {
    if (!has(ranges, chunk)) continue;
    const one = rangeOf(chunk, chunk + 1);
    retried = union(retried, one);
    attempts.set(retry.failures + 1, union(attempts.get(retry.failures + 1) ?? emptyRanges, one));
  }
  const revived = subtract(intersect(ranges, slice.revived), retried);
  if (!isEmpty(revived)) {
    const attempt = slice.attemptBase + 1;
    attempts.set(attempt, union(attempts.get(attempt) ?? emptyRanges, revived));
  }
  return attempts;
}

/**
 * Bytes of one job's entry in the document without its ranges: keys, id, hash and numbers at their
 * longest.
 */
const entryBytesBase = 92;

/** An upper bound of what this entry takes of the document. */
export function entryBytes(
  id: JobId,
  specHash: string,
  texts: { readonly ranges: string; readonly release: string },
  attempts: ReadonlyMap<number, RangeSet>,
): number {
  const retried = attempts.size === 0 ? 0 : encodeAttempts(attempts).length;
  return (
    entryBytesBase +
    id.length +
    specHash.length +
    texts.ranges.length +
    texts.release.length +
    retried
  );
}
