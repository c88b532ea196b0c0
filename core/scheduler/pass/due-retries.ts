import { emptyRanges, fromChunks, type RangeSet, subtract } from '../../model/ranges.ts';
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
  return subtract(pendingOf(job), backoffOf(pass, job));
}
