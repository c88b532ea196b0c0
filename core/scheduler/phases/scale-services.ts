import { emptyRanges, equal, intersect, isEmpty, subtract } from '../../model/ranges.ts';
import { everywhereOf, isService } from '../instances/instance-ends.ts';
import { numbersNow } from '../instances/stand-ins.ts';
import { takeAway } from '../leases/take-back.ts';
import type { JobDraft, Pass } from '../pass/draft.ts';
import { canAfford, jobCost, leaseCost, touchJob, touchLease } from '../plan/rows.ts';

/**
 * A service has as many instances as its user wants now: the highest numbers go first, and what
 * comes is the lowest numbers that are missing. How often a number was started is remembered, so
 * that nothing that an edge says of an earlier start is taken for a later one. While instances move
 * there are a few more.
 */
export function scaleServices(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    if (isService(job) && everywhereOf(job) === null) scale(pass, job);
  }
}

function scale(pass: Pass, job: JobDraft): void {
  const { ranges: wanted, standIns } = numbersNow(pass, job);
  const isSame = equal(job.ranges, wanted);
  if (isSame && standIns === job.standIns) return;
  const holders = job.leases.filter(({ ranges }) => !isEmpty(subtract(ranges, wanted)));
  const rows = holders.reduce((sum, lease) => sum + leaseCost(lease), jobCost(job));
  if (!canAfford(pass, rows)) return;
  job.standIns = standIns;
  touchJob(pass, job);
  if (isSame) return;
  for (const lease of holders) {
    takeAway(lease, subtract(lease.ranges, wanted));
    touchLease(pass, lease, true);
  }
  for (const lease of job.leases) lease.heldBefore = emptyRanges;
  job.ranges = wanted;
  job.done = intersect(job.done, wanted);
  job.dead = intersect(job.dead, wanted);
  job.cancelled = intersect(job.cancelled, wanted);
  job.revived = intersect(job.revived, wanted);
  job.pending = null;
}
