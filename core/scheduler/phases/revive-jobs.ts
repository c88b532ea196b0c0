import { revive } from '../leases/chunk-ends.ts';
import type { Pass } from '../pass/draft.ts';
import { canAfford, jobCost, touchJob } from '../plan/rows.ts';

/** A user's `retry` opens a new epoch: what is dead runs again, with all its attempts before it. */
export function reviveJobs(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    if (job.intent.retryEpoch <= job.retryEpoch || !canAfford(pass, jobCost(job))) continue;
    revive(job);
    touchJob(pass, job);
  }
}
