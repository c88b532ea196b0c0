import { chunkDeathsMax, deathsOfLostEdge, retriesPerSliceMax } from '../../model/limits.ts';
import { lastSeenAtMs } from '../../model/presence.ts';
import {
  chunksOf,
  emptyRanges,
  has,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  take,
  union,
} from '../../model/ranges.ts';
import type { ProgressReport } from '../../protocol/progress-report.ts';
import { endInstance, isService } from '../instances/instance-ends.ts';
import { endDead, killedItsEdges } from '../leases/chunk-ends.ts';
import { takeAway } from '../leases/take-back.ts';
import { canAfford, leaseCost, touchLease } from '../plan/rows.ts';
import type { EdgeDraft, LeaseDraft, Pass } from './draft.ts';
import { failuresOf } from './due-retries.ts';

/**
 * The agent has died and come back since its last report. Where it came back several times and died
 * before it could report, that is as bad as a lost edge, and nothing was reported as running: so it
 * is what it would have started first.
 */
export function blameRunning(pass: Pass, edge: EdgeDraft, progress: ProgressReport): void {
  const hadNoContact = progress.diedWithoutContact === true;
  if (edge.before.boot === '' && !hadNoContact) return;
  for (const lease of [...edge.leases.values()]) {
    const done = progress.jobs.get(lease.job.id)?.done ?? emptyRanges;
    const { running, ranges, slots } = lease;
    const first =
      hadNoContact && isEmpty(running) ? take(subtract(ranges, done), slots).taken : running;
    const suspects = subtract(first, done);
    if (!isEmpty(suspects)) blame(pass, lease, suspects, hadNoContact ? deathsOfLostEdge : 1);
  }
}

/**
 * The edge is lost with what was running on it. Answers `false` when there is no room for its rows.
 */
export function blameLost(pass: Pass, lease: LeaseDraft): boolean {
  const { running, ranges, slots } = lease;
  // What kills at once was never reported as running: of an edge that stopped reporting, what it
  // would have started first.
  const reportsNothing = lease.edge.source.report?.connected === true;
  const suspects = isEmpty(running) && reportsNothing ? take(ranges, slots).taken : running;
  return isEmpty(suspects) || blame(pass, lease, suspects, deathsOfLostEdge);
}

/**
 * Chunks that take their edge or its agent down with them. Nobody sees which chunk it was, so all
 * that were running are under suspicion, and the weight adds up only on those that are there again
 * and again; a chunk that ends is cleared. A chunk is dead then. An instance of a service has ended
 * and starts again after its backoff, which grows, so that it leaves its edges time for others.
 */
function blame(pass: Pass, lease: LeaseDraft, suspects: RangeSet, weight: number): boolean {
  const { job, edge } = lease;
  if (!canAfford(pass, leaseCost(lease))) return false;
  for (const chunk of chunksOf(suspects)) {
    const earlier = hasLasted(pass, lease) ? 0 : (job.losses.get(chunk) ?? 0);
    const deaths = earlier + weight;
    if (deaths < chunkDeathsMax) {
      if (job.losses.has(chunk) || job.losses.size < retriesPerSliceMax) {
        job.losses = new Map(job.losses).set(chunk, deaths);
      }
      continue;
    }
    if (!canAfford(pass, leaseCost(lease) + 1)) return false;
    const chunks = rangeOf(chunk, chunk + 1);
    if (isService(job)) {
      takeAway(lease, chunks);
      const end = endInstance(pass, job, edge, chunk, killedItsEdges);
      if (end === 'dead') lease.deadHere = union(lease.deadHere, chunks);
      touchLease(pass, lease, true);
      continue;
    }
    const attempts = failuresOf(job, chunk, has(job.revived, chunk)) + 1;
    takeAway(lease, chunks);
    endDead(pass, job, edge, chunk, attempts, killedItsEdges);
    lease.deadHere = union(lease.deadHere, chunks);
    touchLease(pass, lease, true);
  }
  touchLease(pass, lease, false);
  return true;
}

/**
 * An instance has no end that would clear it, but has run for long enough since the agent was last
 * started, or since it was given to an edge that is lost now.
 */
function hasLasted({ nowMs }: Pass, { job, edge, grantedAtMs }: LeaseDraft): boolean {
  const { restart } = job.intent.spec;
  if (restart === undefined) return false;
  const report = edge.source.report;
  const untilMs = report?.connected === true ? nowMs : lastSeenAtMs(report);
  const sinceMs = Math.max(edge.before.starts?.noticedAtMs?.[0] ?? 0, grantedAtMs);
  return untilMs - sinceMs >= restart.resetAfterSeconds * 1000;
}
