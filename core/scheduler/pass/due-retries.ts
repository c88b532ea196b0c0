import { emptyRanges, fromChunks, intersect, type RangeSet, subtract } from '../../model/ranges.ts';
import { type JobDraft, lookAgain, type Pass, pendingOf } from './draft.ts';

/** Which pending chunks may run now: those that failed wait for their backoff. */

/**
 * Pending chunks whose backoff has not passed; the pass looks again when the first of them is due.
 */
export function backoffOf(pass: Pass, job: JobDraft): RangeSet {
  if (job.retries.size === 0) return emptyRanges;
  const waiting: number[] = [];
  for (const [chunk, retry] of job.retries) {
    if (retry.dueAtMs <= pass.nowMs) continue;
    waiting.push(chunk);
    lookAgain(pass, retry.dueAtMs);
  }
  return fromChunks(waiting);
}

/** Pending chunks that may be given to an edge now. */
export function placeableOf(pass: Pass, job: JobDraft): RangeSet {
  const placeable = subtract(pendingOf(job), backoffOf(pass, job));
  return job.placing === null ? placeable : intersect(placeable, job.placing);
}

/** How many times this chunk has failed, counted over user retries. */
export function failuresOf(job: JobDraft, chunk: number, revived: boolean): number {
  return job.retries.get(chunk)?.failures ?? (revived ? job.attemptBase : 0);
}
