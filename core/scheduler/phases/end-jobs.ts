import { count, intersect, isEmpty, subtract } from '../../model/ranges.ts';
import { everywhereOf, isService } from '../instances/instance-ends.ts';
import { endCancelled } from '../leases/chunk-ends.ts';
import { revoke } from '../leases/take-back.ts';
import {
  isActive,
  type JobDraft,
  leasedOf,
  lookAgain,
  type Pass,
  pendingOf,
} from '../pass/draft.ts';
import { canAfford, endCost, jobCost, leaseCost, payEnd, touchJob } from '../plan/rows.ts';

/**
 * Jobs that end: cancelled by their user, given up because too many chunks died or the deadline
 * passed, or complete. Chunks that nobody holds are cancelled at once, leased ones as their edges
 * learn of it; a result that comes first counts.
 */
export function endJobs(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    job.endReason = endReasonOf(pass, job);
    if (job.endReason !== null) cancelOpenChunks(pass, job);
  }
}

export function endReasonOf(pass: Pass, job: JobDraft): string | null {
  if (job.intent.cancelled) return 'cancelled';
  const { retries, deadlineSeconds } = job.intent.spec;
  if (retries.maxFailedChunks !== null && count(job.dead) > retries.maxFailedChunks) {
    return 'max-failed-chunks';
  }
  if (deadlineSeconds !== null) {
    const atMs = job.intent.submittedAtMs + deadlineSeconds * 1000;
    if (pass.nowMs >= atMs) return 'deadline';
    lookAgain(pass, atMs);
  }
  return null;
}

function cancelOpenChunks(pass: Pass, job: JobDraft): void {
  for (const lease of job.leases) {
    if (!isActive(lease)) continue;
    if (!canAfford(pass, leaseCost(lease))) break;
    revoke(pass, lease);
  }
  const pending = pendingOf(job);
  if (isEmpty(pending) || !canAfford(pass, jobCost(job))) return;
  endCancelled(pass, job, pending);
  touchJob(pass, job);
}

/** After everything else of the pass: what has nothing open any more leaves the cell. */
export function closeJobs(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    if (!isOver(job)) continue;
    if (!canAfford(pass, jobCost(job) + endCost(job))) continue;
    touchJob(pass, job);
    payEnd(pass, job);
    job.ended = true;
  }
}

function isOver(job: JobDraft): boolean {
  if (job.intent.retryEpoch > job.retryEpoch) return false;
  // A service without instances is stopped, and kept.
  if (isService(job) && isEmpty(job.ranges) && job.endReason === null) return false;
  if (everywhereOf(job)?.until === 'forever' && job.endReason === null) return false;
  if (!isEmpty(pendingOf(job)) || !isEmpty(subtract(job.heldByDamaged, job.done))) return false;
  return isEmpty(subtract(intersect(leasedOf(job), job.ranges), job.done));
}
