import { ProblemError } from '../contract/problem.ts';
import { isFinal } from '../model/job.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { JobWithStatus } from '../model/stored-job.ts';
import { type Refusal, refuse, type Unchanged, unchanged } from './decision.ts';
import { type JobCells, openCellsOf } from './job-cells.ts';

/**
 * The end of a job as its user wants it. The status knows at once; every cell that has the job is
 * asked to end it, which cancels what nobody holds and stops what runs. What has ended or is
 * cancelled already stays as it is.
 */
export type JobCancel = {
  readonly kind: 'cancel';
  readonly id: JobId;
  /** Of the stored job; the change raises it by one. */
  readonly seenVersion: number;
  readonly atMs: number;
  readonly cells: readonly CellId[];
  /** What the timeline says of it. */
  readonly detail: string;
};

export function cancel(
  { job, status }: JobWithStatus,
  cells: JobCells,
  nowMs: number,
): JobCancel | Unchanged {
  if (isFinal(status.state) || job.cancelledAtMs !== null) return unchanged;
  const { id, version: seenVersion } = job;
  const detail = 'Its cancellation was asked for.';
  return { kind: 'cancel', id, seenVersion, atMs: nowMs, cells: openCellsOf(cells), detail };
}

/** Every row of the job goes; only one that has ended leaves nothing behind that still runs. */
export type JobPurge = {
  readonly kind: 'purge';
  readonly id: JobId;
  /** Of a service: where others of its name find it. */
  readonly named?: { readonly pool: string; readonly name: string };
};

export function purge({ job, status }: JobWithStatus): JobPurge | Refusal {
  if (!isFinal(status.state)) return refuse(new ProblemError('not-finished'));
  const { restart, pool, name } = job.spec;
  const isFound = restart !== undefined && name !== null;
  return { kind: 'purge', id: job.id, ...(isFound && { named: { pool, name } }) };
}
