import type { NamedWaitingReason } from '../../contract/waiting-reason.ts';
import type { CellJob, Lease } from '../../model/cell.ts';
import { powerOf } from '../../model/job.ts';
import type { JobCellStatus, WaitingCount } from '../../model/plan.ts';
import { count, isEmpty } from '../../model/ranges.ts';
import type { Damaged } from '../../model/unreadable.ts';
import { intentNow } from '../../services/in-effect.ts';
import { type Amounts, type Demand, demandOf, reservedBy } from './capacity.ts';

/**
 * A job about which a pass would have decided something that cannot be (`invariants.ts`) is
 * suspended: it stays as it is stored, and so do its leases, while everything else goes on. Nothing
 * remembers that but the reason in its status: each pass decides about it again first, so that it
 * goes on by itself when what was wrong has gone. Whoever cancels it gets rid of it.
 */
export const inconsistentReason: NamedWaitingReason = 'inconsistent';

/** Takes its part of the edge and of the document, and is written as it was read. */
export type SuspendedLease = {
  readonly job: CellJob;
  readonly lease: Lease;
  readonly demand: Demand;
};

export function suspendLease(job: CellJob, lease: Lease, free: Amounts): SuspendedLease {
  const demand = demandOf(intentNow(job));
  reservedBy({ ...lease, job: { demand } }, free, -1);
  return { job, lease, demand };
}

export function isSuspensionReported({ slice }: Pick<CellJob, 'slice'>): boolean {
  return slice.reportedReasons.length === 1 && slice.reportedReasons[0] === inconsistentReason;
}

export function suspensionOf({ slice }: CellJob): WaitingCount {
  const ended = count(slice.done) + count(slice.dead) + count(slice.cancelled);
  return {
    reason: inconsistentReason,
    chunks: Math.max(0, count(slice.ranges) - ended),
    edges: 0,
    examples: [],
    detail: 'what is stored of it contradicts itself; the log of the scheduler says how',
  };
}

/** Nothing can be decided about a job of which a row cannot be read. */
export function unreadableJob({ row, standIn }: Damaged<CellJob>): WaitingCount {
  const { chunks } = suspensionOf(standIn);
  const detail = `its row ${row} cannot be read; it goes on when the row is mended`;
  return { reason: inconsistentReason, chunks, edges: 0, examples: [], detail };
}

/** As far as its own row tells it: what edges hold of it is not counted here. */
export function suspendedStatus(job: CellJob): JobCellStatus {
  const { id, intent, slice } = job;
  const [total, done, dead, cancelled] = [
    slice.ranges,
    slice.done,
    slice.dead,
    slice.cancelled,
  ].map(count);
  const { chunks } = suspensionOf(job);
  return {
    job: id,
    counts: {
      total: total!,
      waiting: 0,
      pending: chunks,
      scheduled: 0,
      running: 0,
      done: done!,
      dead: dead!,
      cancelled: cancelled!,
    },
    donePower: powerOf(intent.chunking, slice.done),
    done: slice.done,
    dead: slice.dead,
    cancelled: slice.cancelled,
    waiting: isEmpty(slice.ranges) ? [] : [suspensionOf(job)],
    startedAtMs: slice.startedAtMs,
    endedAtMs: null,
    reason: null,
    retryEpoch: slice.retryEpoch,
    attemptsUsed: slice.attemptsUsed,
    foldedByCell: false,
  };
}
