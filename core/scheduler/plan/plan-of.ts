import type { CellJob, EdgeWork, Lease, Slice } from '../../model/cell.ts';
import { powerOf } from '../../model/job.ts';
import { heldBeforeIntervalsMax } from '../../model/limits.ts';
import type { EdgeName, JobId } from '../../model/names.ts';
import type { Execution, JobCellStatus, JobFold, Plan } from '../../model/plan.ts';
import {
  firstIntervals,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  union,
} from '../../model/ranges.ts';
import { runningPercents } from '../../protocol/percents.ts';
import { generationsOf } from '../../services/rollout.ts';
import type { ShelvedJob } from '../../shelf/shelf.ts';
import { everywhereOf, isService } from '../instances/instance-ends.ts';
import { nextEpochOf } from '../leases/epochs.ts';
import { removedKeys } from '../leases/removed-keys.ts';
import { slotsInUse } from '../pass/capacity.ts';
import {
  type EdgeDraft,
  isActive,
  type JobDraft,
  type LeaseDraft,
  type Pass,
} from '../pass/draft.ts';
import { shelfChange } from '../pass/shelf-order.ts';
import { inconsistentReason, suspendedStatus } from '../pass/suspension.ts';
import { closingEdge } from './closing-edge.ts';
import { foldOf } from './job-fold.ts';
import { reasonsOf, sameReasons } from './reported-reasons.ts';
import { keepSlice } from './slice-in-lease.ts';
import { withSpending } from './spending.ts';
import { countsOf, metaRow, serviceCountsOf, workedPowerOf } from './summarize.ts';

/**
 * Turns the drafts into the plan: one row for everything that was touched, with absolute counts.
 */
export function planOf(pass: Pass): Plan {
  const slices = new Map<JobId, Slice>();
  const slicesInLeases = new Set<JobId>();
  const endedJobs = new Set<JobId>();
  const endedWithoutSlice = new Set<JobId>();
  const jobStatuses = new Map<JobId, JobCellStatus>();
  const folds = new Map<JobId, JobFold>();
  const closings = new Map<JobId, EdgeName>();
  const shelved = new Map<JobId, ShelvedJob<CellJob>>();
  for (const job of pass.jobs.values()) {
    if (!job.touched) continue;
    const status = statusRow(pass, job);
    const fold = foldOf(pass, job, status);
    const slice = sliceRow(job, fold);
    const group = pass.shelf.shelved.get(job.id);
    if (group !== undefined) {
      const { id, intent } = job;
      const moved = { id, intent, slice, hasNoSliceRow: true } as const;
      const hadSliceRow = !job.hasNoSliceRow && ({ hadSliceRow: true } as const);
      shelved.set(id, { group, job: moved, ...hadSliceRow });
    } else if (job.ended) {
      endedJobs.add(job.id);
      if (job.hasNoSliceRow) endedWithoutSlice.add(job.id);
      const last = fold?.next.state === 'done' ? closingEdge(job) : null;
      if (last !== null) closings.set(job.id, last);
    } else {
      const place = keepSlice(job, slice);
      if (place === 'lease') slicesInLeases.add(job.id);
      if (place === 'row' || sliceChanged(job, slice)) slices.set(job.id, slice);
    }
    jobStatuses.set(job.id, status);
    if (fold !== null) folds.set(job.id, fold);
  }
  for (const job of pass.suspensions) {
    const reportedReasons = [inconsistentReason];
    slices.set(job.id, { ...job.slice, reportedReasons, foldedByRollup: true });
    jobStatuses.set(job.id, suspendedStatus(job));
  }
  const shelf = shelfChange(pass, shelved);
  const plan = {
    seenVersion: pass.cell.meta.version,
    ...edgesOf(pass),
    slices,
    ...(slicesInLeases.size > 0 && { slicesInLeases }),
    endedJobs,
    ...(endedWithoutSlice.size > 0 && { endedWithoutSlice }),
    jobStatuses,
    folds,
    ...(closings.size > 0 && { closings }),
    chunkEnds: pass.chunkEnds,
    alarms: pass.alarms,
    ...(shelf !== null && { shelf }),
    lookAgainAtMs: pass.lookAgainAtMs,
  };
  return { ...plan, meta: metaRow(pass, folds), folds: withSpending(pass, plan) };
}

/** What leases say of the slices of their jobs is decided before. */
function edgesOf(pass: Pass): Pick<Plan, 'works' | 'removedEdges' | 'executions' | 'shadows'> {
  const works = new Map<EdgeName, EdgeWork>();
  const removedEdges = new Set<EdgeName>();
  const executions: Execution[] = [];
  const shadows = new Set<EdgeName>();
  for (const edge of pass.edges.values()) {
    if (edge.removed) removedEdges.add(edge.name);
    else if (edge.touched) {
      works.set(edge.name, workRow(pass, edge));
      if (edge.bumped) shadows.add(edge.name);
    }
    for (const lease of edge.leases.values()) {
      if (lease.touched) executions.push(executionRow(pass, lease));
    }
  }
  return { works, removedEdges, executions, shadows };
}

function workRow(pass: Pass, edge: EdgeDraft): EdgeWork {
  const leases = new Map<JobId, Lease>();
  for (const [id, lease] of edge.leases) {
    if (lease.job.ended || (lease.before === null && !lease.touched)) continue;
    leases.set(id, leaseRow(lease));
  }
  for (const [id, { lease }] of edge.suspended) leases.set(id, lease);
  const { before, bumped } = edge;
  return {
    epoch: bumped ? nextEpochOf(edge) : before.epoch,
    acknowledgedSequence: edge.acknowledgedSequence,
    boot: edge.boot,
    leases,
    writtenAtMs: bumped ? pass.nowMs : before.writtenAtMs,
    rewrites: edge.rewrites,
    removed: bumped ? [...removedKeys(edge)].sort() : before.removed,
    lostAtMs: edge.lostAtMs,
    failuresInRow: edge.failuresInRow,
    quarantinedUntilMs: edge.quarantinedUntilMs,
    foreignResults: edge.foreignResults,
    totals: edge.totals,
    ...(edge.starts !== undefined && { starts: edge.starts }),
    ...(edge.taken.length > 0 && { taken: edge.taken }),
  };
}

function leaseRow(lease: LeaseDraft): Lease {
  return {
    ranges: lease.ranges,
    reclaiming: lease.reclaiming,
    reclaimEpoch: lease.reclaimEpoch,
    slots: isActive(lease) ? lease.slots : 0,
    running: lease.running,
    grantedAtMs: lease.grantedAtMs,
    startedAtMs: lease.startedAtMs,
    chunkMs: lease.chunkMs,
    heldBefore: openHeldBefore(lease),
    doneHere: lease.doneHere,
    deadHere: lease.deadHere,
    ...percentsOf(lease),
    ...readyOf(lease),
    ...(lease.slice !== null && { slice: lease.slice }),
  };
}

function readyOf(lease: LeaseDraft): Pick<Lease, 'ready'> {
  const ready = intersect(lease.ready, lease.running);
  return isEmpty(ready) ? {} : { ready };
}

function percentsOf(lease: LeaseDraft): Pick<Lease, 'percents'> {
  const percents = runningPercents(lease.percents, lease.running);
  return percents.size === 0 ? {} : { percents };
}

/** What has ended cannot be brought any more; of scattered remains the first are remembered. */
function openHeldBefore({ heldBefore, ranges, job }: LeaseDraft): RangeSet {
  if (isEmpty(heldBefore)) return heldBefore;
  let open = subtract(subtract(heldBefore, ranges), job.done);
  open = subtract(subtract(open, job.dead), job.cancelled);
  return firstIntervals(open, heldBeforeIntervalsMax);
}

function sliceChanged(job: JobDraft, next: Slice): boolean {
  const { before } = job;
  return (
    next.countedAs !== before.countedAs ||
    next.foldedByRollup !== before.foldedByRollup ||
    next.workedPower !== before.workedPower ||
    job.ranges !== before.ranges ||
    job.done !== before.done ||
    job.dead !== before.dead ||
    job.cancelled !== before.cancelled ||
    job.retries !== before.retries ||
    job.losses !== before.losses ||
    job.refusals !== before.refusals ||
    job.retryEpoch !== before.retryEpoch ||
    job.startedAtMs !== before.startedAtMs ||
    job.rollout !== before.rollout ||
    job.standIns !== before.standIns ||
    (job.seats !== before.seats && job.seats.size > 0) ||
    (job.waiting !== null && !sameReasons(job.waiting, before.reportedReasons))
  );
}

function sliceRow(job: JobDraft, fold: JobFold | null): Slice {
  const { workedPower } = fold === null ? job.before : fold.next;
  return {
    ranges: job.ranges,
    done: job.done,
    dead: job.dead,
    cancelled: job.cancelled,
    retries: job.retries,
    losses: job.losses,
    refusals: job.refusals,
    retryEpoch: job.retryEpoch,
    revived: job.revived,
    attemptBase: job.attemptBase,
    attemptsUsed: job.attemptsUsed,
    reportedReasons: job.waiting === null ? job.before.reportedReasons : reasonsOf(job),
    countedAs: fold === null ? job.before.countedAs : fold.next.state,
    lastEventAtMs: fold === null ? job.before.lastEventAtMs : fold.next.lastEventAtMs,
    foldedByRollup: job.before.foldedByRollup || (job.intent.foldedByCell && fold === null),
    startedAtMs: job.startedAtMs,
    doneBeforeReopening: job.before.doneBeforeReopening,
    ...(workedPower !== undefined && { workedPower }),
    ...(job.rollout !== undefined && { rollout: job.rollout }),
    ...(job.standIns !== undefined && { standIns: job.standIns }),
    ...(job.seats.size > 0 && { seats: job.seats }),
  };
}

function statusRow(pass: Pass, job: JobDraft): JobCellStatus {
  const donePower = powerOf(job.intent.chunking, job.done);
  const workedPower = donePower + workedPowerOf(job);
  return {
    job: job.id,
    counts: countsOf(job),
    donePower,
    ...(workedPower > donePower && { workedPower }),
    ...(isService(job) && { service: serviceCountsOf(job) }),
    ...((everywhereOf(job) !== null || job.standIns !== undefined) && { ranges: job.ranges }),
    done: job.done,
    dead: job.dead,
    cancelled: job.cancelled,
    waiting: job.waiting ?? [],
    startedAtMs: job.startedAtMs,
    endedAtMs: job.ended ? pass.nowMs : null,
    reason: job.endReason,
    retryEpoch: job.retryEpoch,
    attemptsUsed: job.attemptsUsed,
    foldedByCell: job.foldedByCell,
  };
}

function executionRow(pass: Pass, lease: LeaseDraft): Execution {
  const { job, edge } = lease;
  const chunks = union(union(lease.ranges, lease.doneHere), lease.deadHere);
  return {
    job: job.id,
    submittedAtMs: job.intent.submittedAtMs,
    edge: edge.name,
    chunks,
    done: lease.doneHere,
    running: lease.running,
    dead: lease.deadHere,
    power: powerOf(job.intent.chunking, chunks),
    slots: slotsInUse(lease),
    startedAtMs: lease.startedAtMs,
    endedAtMs: isActive(lease) ? null : pass.nowMs,
    ...percentsOf(lease),
    ...readyOf(lease),
    ...(job.rollout !== undefined && { generations: generationsOf(job.rollout, lease.ranges) }),
  };
}
