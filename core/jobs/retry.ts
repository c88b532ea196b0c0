import { ProblemError } from '../contract/problem.ts';
import type { Intent, Slice } from '../model/cell.ts';
import type { JobStatus } from '../model/job-status.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { Execution } from '../model/plan.ts';
import { isEmpty } from '../model/ranges.ts';
import { intentOf, type JobWithStatus, type StoredJob } from '../model/stored-job.ts';
import { type Refusal, refuse } from './decision.ts';
import type { JobCells } from './job-cells.ts';
import { reopenedSlice } from './reopened-slice.ts';

/** Dead chunks run again with fresh attempts: a new epoch in every cell that has some. */
export type JobRetry = {
  readonly kind: 'retry';
  readonly id: JobId;
  /** Of the stored job; the change raises it by one. */
  readonly seenVersion: number;
  readonly retryEpoch: number;
  /** What the status says until the next fold. */
  readonly status: Pick<JobStatus, 'state' | 'counts' | 'endedAtMs' | 'reason' | 'retrying'>;
  /** Cells that still have the job: there the epoch of the intent is raised. */
  readonly raised: readonly CellId[];
  /**
   * Cells whose version is raised. A pass that is ending the job there right now has not seen this;
   * it loses its commit and decides again.
   */
  readonly overtaken: readonly CellId[];
  /** Cells that have ended the job: there it begins again, and nothing done is forgotten. */
  readonly reopened: ReadonlyMap<CellId, { readonly intent: Intent; readonly slice: Slice }>;
  /** What the timeline says of it. */
  readonly detail: string;
};

/** `executions` are all of the job: what its edges have done stays counted. */
export function retry(
  { job, status }: JobWithStatus,
  cells: JobCells,
  executions: readonly Execution[],
): JobRetry | Refusal {
  if (status.counts.dead === 0) return refuse(new ProblemError('nothing-to-retry'));
  if (job.cancelledAtMs !== null) {
    return refuse(new ProblemError('conflict', 'The job was cancelled; submit it anew.'));
  }
  const next: StoredJob = { ...job, retryEpoch: job.retryEpoch + 1 };
  const raised: CellId[] = [];
  const reopened = new Map<CellId, { intent: Intent; slice: Slice }>();
  for (const [cell, { isOpen, status: counted }] of cells) {
    if (counted === null || isEmpty(counted.dead)) continue;
    if (isOpen) raised.push(cell);
    else {
      const slice = reopenedSlice(counted, executions, next.retryEpoch);
      reopened.set(cell, { intent: intentOf(next, false), slice });
    }
  }
  const { dead, pending } = status.counts;
  const retrying = new Map(status.retrying);
  for (const cell of [...raised, ...reopened.keys()]) retrying.set(cell, next.retryEpoch);
  return {
    kind: 'retry',
    id: job.id,
    seenVersion: job.version,
    retryEpoch: next.retryEpoch,
    status: {
      state: 'pending',
      counts: { ...status.counts, dead: 0, pending: pending + dead },
      endedAtMs: null,
      reason: null,
      retrying: [...retrying],
    },
    raised,
    overtaken: raised,
    reopened,
    detail: `${dead} dead chunks run again.`,
  };
}
