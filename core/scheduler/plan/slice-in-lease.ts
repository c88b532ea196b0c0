import type { Slice, SliceMarks } from '../../model/cell.ts';
import { equal, isEmpty } from '../../model/ranges.ts';
import { isActive, type JobDraft, type LeaseDraft } from '../pass/draft.ts';

/**
 * Most jobs are on one edge, and of their slice there is nothing to say but that it began. That
 * lies in the lease, whose row is written with it anyway; a row of its own is written once there is
 * more to say, or once no single edge holds all that is open of the job. A slice that has a row
 * keeps it.
 */
export type SlicePlace = 'lease' | 'row' | 'as-before';

/** Decides for a job that was touched and goes on, before the rows of its edges are made. */
export function keepSlice(job: JobDraft, slice: Slice): SlicePlace {
  if (!job.hasNoSliceRow) return 'as-before';
  const wasInLease = job.leases.some((lease) => lease.slice !== null);
  const carrier = carrierOf(job);
  if (carrier?.edge.touched === false && carrier.slice !== null) return 'as-before';
  for (const lease of job.leases) lease.slice = null;
  const marks = equal(slice.ranges, job.before.ranges) ? marksOf(slice) : null;
  if (carrier?.edge.touched === true && marks !== null) {
    carrier.slice = marks;
    return 'lease';
  }
  return wasInLease ? 'row' : 'as-before';
}

function carrierOf({ leases }: JobDraft): LeaseDraft | null {
  const [only, ...others] = leases.filter(isActive);
  return only === undefined || others.length > 0 || only.edge.removed ? null : only;
}

/** `null` of a slice that says more than that. */
export function marksOf(slice: Slice): SliceMarks | null {
  const ended = [slice.done, slice.dead, slice.cancelled, slice.revived];
  if (!ended.every(isEmpty) || slice.foldedByRollup) return null;
  const happened = [slice.retries, slice.losses, slice.refusals, slice.doneBeforeReopening];
  if (happened.some(({ size }) => size > 0)) return null;
  if (slice.retryEpoch + slice.attemptBase + slice.attemptsUsed > 0) return null;
  if (slice.rollout !== undefined || slice.seats !== undefined) return null;
  if (slice.standIns !== undefined) return null;
  const { reportedReasons, countedAs, lastEventAtMs, startedAtMs, workedPower } = slice;
  return {
    reportedReasons,
    countedAs,
    lastEventAtMs,
    startedAtMs,
    ...(workedPower !== undefined && { workedPower }),
  };
}
