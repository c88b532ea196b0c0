import type { AcceptRefusal, ReleaseRefusal } from '../contract/clusters/accept-refusal.ts';
import { takenSubmissionsMax } from '../graph/limits.ts';
import type { Cell } from '../model/cell.ts';
import { planRowsMax, shadowRewriteMs } from '../model/limits.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { count, intersect, isEmpty, type RangeSet, subtract, union } from '../model/ranges.ts';
import { grant } from './leases/grant.ts';
import { takeAway } from './leases/take-back.ts';
import { isReady, obstacleTo, takesWork, withinQuota } from './offers.ts';
import {
  type EdgeDraft,
  isActive,
  type JobDraft,
  type LeaseDraft,
  leaseFor,
  lookAgain,
  openPass,
  type Pass,
  pendingOf,
} from './pass/draft.ts';
import { placeableOf } from './pass/due-retries.ts';
import { openQueues } from './pass/queues.ts';
import { forgetTaken, jobsOfSubmission, noteTaken, takenBy } from './pass/taken.ts';
import { endReasonOf } from './phases/end-jobs.ts';
import { serveOne, withinFree } from './phases/serve-taken.ts';
import { reportWaiting } from './phases/waiting.ts';
import { planOf } from './plan/plan-of.ts';
import { canAfford, edgeCost, jobCost, leaseCost, touchLease } from './plan/rows.ts';

/**
 * An edge takes work that it was offered, or gives back what it has not begun. It is a pass with
 * one phase: decided on the whole cell and committed at the version that was seen, so of two that
 * take the same job one gets it, and a pass that places it at the same time decides again.
 *
 * A plan is bounded in rows: what does not fit is left, and taken by the next one. `shared` are
 * jobs whose statuses have got other authors since the cell was read.
 */
export type Wanted = {
  readonly job: JobId;
  /** `null`: all of it that waits. */
  readonly chunks: RangeSet | null;
  /** No more than there is room for now, instead of all. */
  readonly fits?: boolean;
};

export type TakenLease = {
  readonly job: JobId;
  readonly chunks: RangeSet;
  readonly slots: number;
  /** For so long nothing has to show that the edge has it. */
  readonly graceMs: number;
};

export type Acceptance = {
  readonly plan: Plan;
  /** Of what was wanted; of a jobspec its own id, whatever of it has a lease by now. */
  readonly accepted: readonly JobId[];
  readonly leases: readonly TakenLease[];
  readonly refused: ReadonlyMap<JobId, AcceptRefusal>;
  /** Nothing was decided about these: the rows of this plan are used up. */
  readonly left: readonly Wanted[];
};

/**
 * Its own scheduler orders what it took, so every chunk has a slot, whatever is free. An edge that
 * has none asks for what fits.
 */
export function accept(
  cell: Cell,
  name: EdgeName,
  wanted: readonly Wanted[],
  nowMs: number,
  shared: ReadonlySet<JobId> = new Set(),
): Acceptance {
  const pass = openPass(cell, nowMs, planRowsMax, new Map(), shared);
  openQueues(pass);
  const edge = pass.edges.get(name);
  const leases: TakenLease[] = [];
  const accepted: JobId[] = [];
  const refused = new Map<JobId, AcceptRefusal>();
  const left: Wanted[] = [];
  for (const it of wanted) {
    const outcome = edge === undefined ? 'not-offered' : takeAny(pass, edge, it);
    if (outcome === 'left') left.push(it);
    else if (typeof outcome === 'string') refused.set(it.job, outcome);
    else {
      accepted.push(it.job);
      leases.push(...outcome);
    }
  }
  return { plan: finished(pass), accepted, leases, refused, left };
}

type Outcome<T> = T | AcceptRefusal | 'left';

function takeAny(pass: Pass, edge: EdgeDraft, wanted: Wanted): Outcome<readonly TakenLease[]> {
  if (!takesWork(edge)) return 'not-offered';
  const job = pass.jobs.get(wanted.job);
  if (job === undefined) return takeWhole(pass, edge, wanted);
  if (job.intent.submission !== undefined) return refusalOfPart(pass, edge, job);
  const lease = takeOne(pass, edge, job, wanted);
  return typeof lease === 'string' ? lease : [lease];
}

/** It comes with the others of its jobspec, or not at all. */
function refusalOfPart(pass: Pass, edge: EdgeDraft, job: JobDraft): AcceptRefusal {
  if (endReasonOf(pass, job) !== null) return 'ended';
  const own = edge.leases.get(job.id);
  return own !== undefined && isActive(own) ? 'already-accepted' : 'not-offered';
}

/** All of a jobspec with one row: what can begin is given as far as rows go, and the rest later. */
function takeWhole(
  pass: Pass,
  edge: EdgeDraft,
  { job: id, chunks, fits = false }: Wanted,
): Outcome<readonly TakenLease[]> {
  const jobs = jobsOfSubmission(pass, id);
  if (jobs.length === 0 || chunks !== null) return 'not-offered';
  const open = jobs.filter((job) => endReasonOf(pass, job) === null);
  if (open.length === 0) return 'ended';
  if (open.some((job) => obstacleTo(pass, edge, job) === 'not-offered')) return 'not-offered';
  if (takenBy(edge, id) !== null) return 'already-accepted';
  if (edge.taken.length >= takenSubmissionsMax) return 'held';
  if (!open.some((job) => isReady(pass, edge, job))) return 'held';
  if (!canAfford(pass, edgeCost(edge))) return 'left';
  const taken = { id, fits };
  noteTaken(pass, edge, taken);
  serveOne(pass, edge, taken, open);
  return open.flatMap((job) => {
    const lease = edge.leases.get(job.id);
    return lease !== undefined && isActive(lease) ? [takenLease(lease)] : [];
  });
}

function takenLease({ job, ranges, slots }: LeaseDraft): TakenLease {
  const graceMs = job.intent.spec.lostAfterSeconds * 1_000;
  return { job: job.id, chunks: ranges, slots, graceMs };
}

function takeOne(
  pass: Pass,
  edge: EdgeDraft,
  job: JobDraft,
  { chunks: wanted, fits = false }: Wanted,
): Outcome<TakenLease> {
  if (endReasonOf(pass, job) !== null) return 'ended';
  const own = edge.leases.get(job.id);
  const obstacle = obstacleTo(pass, edge, job);
  if (obstacle === 'not-offered') return obstacle;
  const waits = pendingOf(job);
  const asked = wanted === null ? waits : intersect(waits, wanted);
  const isOwn = own !== undefined && isActive(own);
  if (isEmpty(asked)) return isOwn ? 'already-accepted' : endedOr(job);
  if (obstacle !== null) return obstacle;
  const allowed = withinQuota(pass, job, intersect(asked, placeableOf(pass, job)));
  const open = fits ? withinFree(edge, job, allowed) : allowed;
  if (isEmpty(open)) return 'held';
  const touched = own?.touched === true ? 0 : 1;
  if (!canAfford(pass, touched + edgeCost(edge) + jobCost(job))) return 'left';
  const lease = leaseFor(pass, edge, job);
  const given = grant(pass, lease, open, count(open));
  // Its work document is full: what it holds has to go on first.
  if (isEmpty(given)) return 'held';
  return takenLease(lease);
}

/** Nothing of it waits: others have it, or it is over but for its row. */
function endedOr(job: JobDraft): AcceptRefusal {
  return job.leases.some(isActive) ? 'taken' : 'ended';
}

export type Release = {
  readonly plan: Plan;
  readonly released: readonly { readonly job: JobId; readonly chunks: RangeSet }[];
  readonly refused: ReadonlyMap<JobId, ReleaseRefusal>;
  readonly left: readonly JobId[];
};

/** Offered again at once; not to who gave it back, until a refusal is forgotten. */
export function release(
  cell: Cell,
  name: EdgeName,
  jobs: readonly JobId[],
  reason: string,
  nowMs: number,
  shared: ReadonlySet<JobId> = new Set(),
): Release {
  const pass = openPass(cell, nowMs, planRowsMax, new Map(), shared);
  openQueues(pass);
  const edge = pass.edges.get(name);
  const released: { job: JobId; chunks: RangeSet }[] = [];
  const refused = new Map<JobId, ReleaseRefusal>();
  const left: JobId[] = [];
  for (const id of jobs) {
    const lease = edge?.leases.get(id);
    if (lease === undefined || !isActive(lease)) {
      refused.set(id, 'not-held');
      continue;
    }
    const unstarted = subtract(lease.ranges, lease.running);
    if (isEmpty(unstarted)) {
      refused.set(id, 'running');
      continue;
    }
    if (!canAfford(pass, leaseCost(lease))) {
      left.push(id);
      continue;
    }
    // It may have ended some of these a moment ago, and not said so yet.
    lease.heldBefore = union(lease.heldBefore, unstarted);
    takeAway(lease, unstarted);
    const refusal = { reason: reason === '' ? 'given back' : reason, atMs: nowMs };
    lease.job.refusals = new Map(lease.job.refusals).set(name, refusal);
    touchLease(pass, lease, true);
    if (edge !== undefined) forgetTaken(pass, edge, lease.job.intent.submission?.id);
    released.push({ job: id, chunks: unstarted });
  }
  return { plan: finished(pass), released, refused, left };
}

/** A pass soon sees that the edge applies its document, and what else follows. */
function finished(pass: Pass): Plan {
  reportWaiting(pass);
  if (pass.rowsLeft < pass.rowsMax) lookAgain(pass, pass.nowMs + shadowRewriteMs);
  return planOf(pass);
}
