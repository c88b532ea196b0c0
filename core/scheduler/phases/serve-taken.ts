import type { TakenSubmission } from '../../model/job.ts';
import { count, isEmpty, type RangeSet, take } from '../../model/ranges.ts';
import { grant } from '../leases/grant.ts';
import { obstacleTo, takesWork, withinQuota } from '../offers.ts';
import { fitOf } from '../pass/capacity.ts';
import { type EdgeDraft, type JobDraft, leaseFor, type Pass } from '../pass/draft.ts';
import { placeableOf } from '../pass/due-retries.ts';
import { openQueues } from '../pass/queues.ts';
import { forgetTaken, jobsBySubmission } from '../pass/taken.ts';
import { canAfford, edgeCost, jobCost } from '../plan/rows.ts';
import { endReasonOf } from './end-jobs.ts';

/**
 * Jobs of jobspecs that an edge took whole are given to it when they can begin: at once, when what
 * they wait for is done, and after a backoff. The note goes when nothing of the jobspec is left.
 */
export function serveTaken(pass: Pass): void {
  const takers = [...pass.edges.values()].filter(({ taken }) => taken.length > 0);
  if (takers.length === 0) return;
  const jobs = jobsBySubmission(pass);
  for (const edge of takers) {
    for (const taken of edge.taken) serveOne(pass, edge, taken, jobs.get(taken.id) ?? []);
  }
}

export function serveOne(
  pass: Pass,
  edge: EdgeDraft,
  taken: TakenSubmission,
  jobs: readonly JobDraft[],
): void {
  if (jobs.length === 0 && !isSuspended(pass, taken)) {
    if (canAfford(pass, edgeCost(edge))) forgetTaken(pass, edge, taken.id);
    return;
  }
  if (!takesWork(edge)) return;
  openQueues(pass);
  for (const job of jobs) giveOne(pass, edge, job, taken.fits);
}

function isSuspended(pass: Pass, { id }: TakenSubmission): boolean {
  return [...pass.suspended.values()].some(({ intent }) => intent.submission?.id === id);
}

function giveOne(pass: Pass, edge: EdgeDraft, job: JobDraft, fits: boolean): void {
  if (endReasonOf(pass, job) !== null || obstacleTo(pass, edge, job) !== null) return;
  const allowed = withinQuota(pass, job, placeableOf(pass, job));
  const open = fits ? withinFree(edge, job, allowed) : allowed;
  if (isEmpty(open)) return;
  const own = edge.leases.get(job.id)?.touched === true ? 0 : 1;
  if (!canAfford(pass, own + edgeCost(edge) + jobCost(job))) return;
  grant(pass, leaseFor(pass, edge, job), open, count(open));
}

export function withinFree(edge: EdgeDraft, { demand }: JobDraft, chunks: RangeSet): RangeSet {
  return take(chunks, Math.min(count(chunks), fitOf(demand, edge.free))).taken;
}
