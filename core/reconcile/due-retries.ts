import { emptyRanges, fromChunks, type RangeSet, subtract } from '../ranges.ts';
import { revive } from './chunk-ends.ts';
import { type JobDraft, lookAgain, type Pass, pendingOf } from './draft.ts';
import { canAfford, jobCost, touchJob } from './rows.ts';

/** A user's `retry` opens a new epoch: what is dead runs again, with all its attempts before it. */
export function reviveJobs(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    if (job.ask.retryEpoch <= job.retryEpoch || !canAfford(pass, jobCost(job))) continue;
    revive(job);
    touchJob(pass, job);
  }
}

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
