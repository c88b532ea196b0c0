import { chunkDeathsMax, deathsOfLostEdge, retriesPerSliceMax } from '../../model/limits.ts';
import {
  chunksOf,
  has,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  take,
  union,
} from '../../model/ranges.ts';
import type { ProgressReport } from '../../protocol/progress-report.ts';
import { endDead } from './chunk-ends.ts';
import type { EdgeDraft, LeaseDraft, Pass } from './draft.ts';
import { failuresOf } from './due-retries.ts';
import { isService } from './instance-ends.ts';
import { takeAway } from './leases.ts';
import { canAfford, leaseCost, touchLease } from './rows.ts';

/**
 * Chunks that take their edge or its agent down with them. Nobody sees which chunk it was, so all
 * that were running are under suspicion, and the weight adds up only on those that are there again
 * and again; a chunk that ends is cleared.
 */
export const killedItsEdges = 'killed-its-edges';

/** The agent has died and come back since its last report. */
export function blameRunning(pass: Pass, edge: EdgeDraft, progress: ProgressReport): void {
  if (edge.before.boot === '') return;
  for (const lease of [...edge.leases.values()]) {
    const entry = progress.jobs.get(lease.job.id);
    let suspects = lease.running;
    if (entry !== undefined) suspects = subtract(suspects, entry.done);
    if (!isEmpty(suspects)) blame(pass, lease, suspects, 1);
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

function blame(pass: Pass, lease: LeaseDraft, suspects: RangeSet, weight: number): boolean {
  const { job, edge } = lease;
  // An instance is never given up: the grace of each loss keeps it from running through its edges.
  if (isService(job)) return true;
  if (!canAfford(pass, leaseCost(lease))) return false;
  for (const chunk of chunksOf(suspects)) {
    const deaths = (job.losses.get(chunk) ?? 0) + weight;
    if (deaths < chunkDeathsMax) {
      if (job.losses.has(chunk) || job.losses.size < retriesPerSliceMax) {
        job.losses = new Map(job.losses).set(chunk, deaths);
      }
      continue;
    }
    if (!canAfford(pass, leaseCost(lease) + 1)) return false;
    const chunks = rangeOf(chunk, chunk + 1);
    const attempts = failuresOf(job, chunk, has(job.revived, chunk)) + 1;
    takeAway(lease, chunks);
    endDead(pass, job, edge, chunk, attempts, killedItsEdges);
    lease.deadHere = union(lease.deadHere, chunks);
    touchLease(pass, lease, true);
  }
  touchLease(pass, lease, false);
  return true;
}
