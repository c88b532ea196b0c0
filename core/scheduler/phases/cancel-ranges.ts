import { intersect, isEmpty, type RangeSet } from '../../model/ranges.ts';
import { endCancelled } from '../leases/chunk-ends.ts';
import { takeAway } from '../leases/take-back.ts';
import { type JobDraft, type Pass, pendingOf } from '../pass/draft.ts';
import { canAfford, jobCost, leaseCost, touchJob, touchLease } from '../plan/rows.ts';

/**
 * Chunks that their user does not want any more, of jobs that go on with the others. What nobody
 * holds is cancelled at once, as is what edges hold: they stop it when they learn of it. What has
 * ended stays as it ended.
 */
export function cancelRanges(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    const { cancelledRanges } = job.intent;
    if (cancelledRanges !== undefined) cancelChunks(pass, job, cancelledRanges);
  }
}

function cancelChunks(pass: Pass, job: JobDraft, unwanted: RangeSet): void {
  for (const lease of job.leases) {
    const held = intersect(lease.ranges, unwanted);
    if (isEmpty(held)) continue;
    if (!canAfford(pass, leaseCost(lease))) break;
    takeAway(lease, held);
    touchLease(pass, lease, true);
  }
  const pending = intersect(pendingOf(job), unwanted);
  if (isEmpty(pending) || !canAfford(pass, jobCost(job))) return;
  endCancelled(pass, job, pending);
  touchJob(pass, job);
}
