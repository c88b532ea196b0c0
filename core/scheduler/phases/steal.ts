import { rewritesMax, stealWaitMs } from '../../model/limits.ts';
import { count, isEmpty, takeLast } from '../../model/ranges.ts';
import { isService } from '../instances/instance-ends.ts';
import { reclaim, unstartedOf } from '../leases/take-back.ts';
import { matchingEdges } from '../pass/candidates.ts';
import { fitOf, slotsInUse } from '../pass/capacity.ts';
import {
  isActive,
  type JobDraft,
  type LeaseDraft,
  lookAgain,
  type Pass,
  pendingOf,
} from '../pass/draft.ts';
import { canAfford, leaseCost } from '../plan/rows.ts';

/**
 * When a job has nothing left to give and edges stand idle, the unstarted tails of its longest
 * leases are reclaimed, so that all finish together. In two phases: an edge confirms what it has
 * not started before anybody else gets it. A few seconds of work are not worth the messages.
 */
export function stealTails(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    if (job.endReason !== null || job.intent.blockedByDependencies || job.leases.length === 0)
      continue;
    if (isEmpty(pendingOf(job)) && !isService(job)) stealTail(pass, job);
  }
}

function stealTail(pass: Pass, job: JobDraft): void {
  const victims: LeaseDraft[] = [];
  let unstarted = 0;
  let slots = 0;
  let coming = 0;
  for (const lease of job.leases) {
    if (!isActive(lease)) continue;
    const tail = count(unstartedOf(lease));
    unstarted += tail;
    slots += slotsInUse(lease);
    if (!isEmpty(lease.reclaiming)) coming += count(lease.reclaiming);
    else if (tail > 0 && canAnswer(lease)) victims.push(lease);
  }
  if (victims.length === 0) return;
  const idle = idleSlots(pass, job, unstarted);
  if (idle === 0) return;
  // What is coming back already goes to the idle first.
  let missing = Math.floor(((unstarted + coming) * idle) / (slots + idle)) - coming;
  const fair = (unstarted + coming) / (slots + idle);
  victims.sort((a, b) => tailOf(b) - tailOf(a));
  for (const lease of victims) {
    const surplus = count(unstartedOf(lease)) - Math.ceil(fair * slotsInUse(lease));
    const take = Math.min(surplus, missing);
    if (take <= 0 || !isWorthIt(pass, lease)) continue;
    if (!canAfford(pass, leaseCost(lease))) return;
    reclaim(pass, lease, takeLast(unstartedOf(lease), take).taken);
    missing -= take;
  }
}

/** What an edge took by itself stays its own. */
function canAnswer(lease: LeaseDraft): boolean {
  const { source, lostAtMs, before } = lease.edge;
  if (source.config.pull != null) return false;
  return source.report?.connected === true && lostAtMs === null && before.rewrites < rewritesMax;
}

/** Unstarted chunks per slot: how long the last of them waits, in chunks. */
function tailOf(lease: LeaseDraft): number {
  return count(unstartedOf(lease)) / Math.max(1, slotsInUse(lease));
}

function idleSlots(pass: Pass, job: JobDraft, most: number): number {
  let idle = 0;
  for (const edge of matchingEdges(pass, job)) {
    const lease = edge.leases.get(job.id);
    if (lease !== undefined && isActive(lease)) continue;
    idle += fitOf(job.demand, edge.free);
    if (idle >= most) return most;
  }
  return idle;
}

function isWorthIt(pass: Pass, lease: LeaseDraft): boolean {
  if (lease.chunkMs !== null) return tailOf(lease) * lease.chunkMs >= stealWaitMs;
  const atMs = lease.grantedAtMs + stealWaitMs;
  if (pass.nowMs >= atMs) return true;
  lookAgain(pass, atMs);
  return false;
}
