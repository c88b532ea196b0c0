import { unmetNeedsMax } from '../../model/limits.ts';
import { mismatchOf } from '../matching.ts';
import { refusalOf } from './candidates.ts';
import { shortOf } from './capacity.ts';
import type { JobDraft, LeaseDraft, Pass } from './draft.ts';
import { dominantShare, openQueues, totalOf } from './queues.ts';

/**
 * Leases do not refill for ever while somebody ahead of them waits: the edge they hold runs dry
 * within one lease and goes to whoever is first. Only as many yield as the waiting power needs.
 * Nothing that runs is stopped.
 */
/**
 * Remembers that this job found no room; of each queue and priority the first one speaks for all.
 */
export function leaveUnmet(pass: Pass, job: JobDraft, power: number): void {
  const { priority, queue } = job.intent.spec;
  const before = pass.unmet.find(
    ({ job: { intent } }) => intent.spec.priority === priority && intent.spec.queue === queue,
  );
  if (before !== undefined) before.power += power;
  else if (pass.unmet.length < unmetNeedsMax) pass.unmet.push({ job, power });
}

export function yieldsTo(pass: Pass, lease: LeaseDraft): boolean {
  for (const unmet of pass.unmet) {
    if (unmet.power <= 0 || !goesBefore(pass, unmet.job, lease.job)) continue;
    const { demand, intent } = unmet.job;
    if (shortOf(demand, lease.edge.capacity, demand.power) !== null) continue;
    if (mismatchOf(lease.edge.source, intent.spec) !== null) continue;
    if (refusalOf(pass, unmet.job, lease.edge.name) !== null) continue;
    unmet.power -= Math.max(lease.job.demand.power * lease.slots, 1);
    return true;
  }
  return false;
}

/**
 * Higher priority, or the same from a queue that would still hold less for its weight after the
 * exchange.
 */
function goesBefore(pass: Pass, first: JobDraft, second: JobDraft): boolean {
  const a = first.intent.spec;
  const b = second.intent.spec;
  if (a.priority !== b.priority) return a.priority > b.priority;
  if (a.queue === b.queue) return false;
  const queues = openQueues(pass);
  const total = totalOf(pass);
  const mine = queues.get(a.queue);
  const theirs = queues.get(b.queue);
  if (mine === undefined || theirs === undefined) return false;
  const step = total.power > 0 ? first.demand.power / total.power / mine.config.weight : 0;
  return dominantShare(mine, total) + step < dominantShare(theirs, total);
}
