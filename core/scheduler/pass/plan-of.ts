import type { EdgeWork, Lease, Slice } from '../../model/cell.ts';
import { powerOf } from '../../model/job.ts';
import { heldBeforeIntervalsMax } from '../../model/limits.ts';
import type { EdgeName, JobId } from '../../model/names.ts';
import type { Execution, JobCellStatus, Plan } from '../../model/plan.ts';
import { firstIntervals, isEmpty, type RangeSet, subtract, union } from '../../model/ranges.ts';
import { sameReasons } from '../phases/waiting.ts';
import { slotsInUse } from './capacity.ts';
import {
  type EdgeDraft,
  isActive,
  isApplied,
  type JobDraft,
  type LeaseDraft,
  nextEpochOf,
  type Pass,
} from './draft.ts';
import { countsOf, metaRow } from './summarize.ts';
import { inconsistentReason, suspendedStatus } from './suspension.ts';

/**
 * Turns the drafts into the plan: one row for everything that was touched, with absolute counts.
 */
export function planOf(pass: Pass): Plan {
  const works = new Map<EdgeName, EdgeWork>();
  const slices = new Map<JobId, Slice>();
  const endedJobs = new Set<JobId>();
  const removedEdges = new Set<EdgeName>();
  const jobStatuses = new Map<JobId, JobCellStatus>();
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
  for (const job of pass.jobs.values()) {
    if (!job.touched) continue;
    if (job.ended) endedJobs.add(job.id);
    else if (sliceChanged(job)) slices.set(job.id, sliceRow(job));
    jobStatuses.set(job.id, statusRow(pass, job));
  }
  for (const job of pass.suspensions) {
    slices.set(job.id, { ...job.slice, reportedReasons: [inconsistentReason] });
    jobStatuses.set(job.id, suspendedStatus(job));
  }
  return {
    seenVersion: pass.cell.meta.version,
    meta: metaRow(pass),
    works,
    slices,
    endedJobs,
    removedEdges,
    jobStatuses,
    executions,
    chunkEnds: pass.chunkEnds,
    shadows,
    alarms: pass.alarms,
    lookAgainAtMs: pass.lookAgainAtMs,
  };
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
    removed: bumped ? removedKeys(edge) : before.removed,
    lostAtMs: edge.lostAtMs,
    failuresInRow: edge.failuresInRow,
    quarantinedUntilMs: edge.quarantinedUntilMs,
    foreignResults: edge.foreignResults,
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
  };
}

/** What has ended cannot be brought any more; of scattered remains the first are remembered. */
function openHeldBefore({ heldBefore, ranges, job }: LeaseDraft): RangeSet {
  if (isEmpty(heldBefore)) return heldBefore;
  let open = subtract(subtract(heldBefore, ranges), job.done);
  open = subtract(subtract(open, job.dead), job.cancelled);
  return firstIntervals(open, heldBeforeIntervalsMax);
}

/**
 * Keys that earlier documents may have left in the shadow; once the edge has applied the last one,
 * they are gone.
 */
function removedKeys(edge: EdgeDraft): JobId[] {
  const { before } = edge;
  const keys = new Set<JobId>([...(isApplied(edge) ? [] : before.removed), ...edge.unknownJobs]);
  for (const [id, lease] of before.leases) if (!isEmpty(lease.ranges)) keys.add(id);
  for (const [id, lease] of edge.leases) if (isActive(lease)) keys.delete(id);
  for (const [id, { lease }] of edge.suspended) if (!isEmpty(lease.ranges)) keys.delete(id);
  return [...keys].sort();
}

function sliceChanged(job: JobDraft): boolean {
  const { before } = job;
  return (
    job.done !== before.done ||
    job.dead !== before.dead ||
    job.cancelled !== before.cancelled ||
    job.retries !== before.retries ||
    job.losses !== before.losses ||
    job.refusals !== before.refusals ||
    job.retryEpoch !== before.retryEpoch ||
    job.startedAtMs !== before.startedAtMs ||
    (job.waiting !== null && !sameReasons(job.waiting, before.reportedReasons))
  );
}

function reasonsOf(job: JobDraft): string[] {
  return (job.waiting ?? []).map(({ reason }) => reason);
}

function sliceRow(job: JobDraft): Slice {
  return {
    ranges: job.before.ranges,
    done: job.done,
    dead: job.dead,
    cancelled: job.cancelled,
    retries: job.retries,
    losses: job.losses,
    refusals: job.refusals,
    retryEpoch: job.retryEpoch,
    revived: job.revived,
    attemptBase: job.attemptBase,
    reportedReasons: job.waiting === null ? job.before.reportedReasons : reasonsOf(job),
    startedAtMs: job.startedAtMs,
    doneBeforeReopening: job.before.doneBeforeReopening,
  };
}

function statusRow(pass: Pass, job: JobDraft): JobCellStatus {
  return {
    job: job.id,
    counts: countsOf(job),
    donePower: powerOf(job.intent.chunking, job.done),
    done: job.done,
    dead: job.dead,
    cancelled: job.cancelled,
    waiting: job.waiting ?? [],
    startedAtMs: job.startedAtMs,
    endedAtMs: job.ended ? pass.nowMs : null,
    reason: job.endReason,
    retryEpoch: job.retryEpoch,
  };
}

function executionRow(pass: Pass, lease: LeaseDraft): Execution {
  const { job, edge } = lease;
  const chunks = union(union(lease.ranges, lease.doneHere), lease.deadHere);
  return {
    job: job.id,
    edge: edge.name,
    chunks,
    done: lease.doneHere,
    running: lease.running,
    dead: lease.deadHere,
    power: powerOf(job.intent.chunking, chunks),
    slots: slotsInUse(lease),
    startedAtMs: lease.startedAtMs,
    endedAtMs: isActive(lease) ? null : pass.nowMs,
  };
}
