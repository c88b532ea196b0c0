import type { Intent } from './cell.ts';
import type { Chunking, JobSpec } from './job.ts';
import type { JobStatus } from './job-status.ts';
import type { CellId, JobId } from './names.ts';

/**
 * A job as it was submitted: what a user asked for, who and when. Only users change it; what became
 * of the job is its status.
 */
export type StoredJob = {
  readonly id: JobId;
  readonly spec: JobSpec;
  readonly chunking: Chunking;
  readonly specHash: string;
  readonly cells: readonly CellId[];
  readonly generation: number;
  readonly createdAtMs: number;
  readonly createdBy: string;
  /** Counts the writes of users. */
  readonly version: number;
  readonly retryEpoch: number;
  readonly cancelledAtMs: number | null;
};

export type JobWithStatus = { readonly job: StoredJob; readonly status: JobStatus };

/** What the cells of a job must know of it. */
export function intentOf(
  job: Pick<
    StoredJob,
    'spec' | 'specHash' | 'chunking' | 'createdAtMs' | 'retryEpoch' | 'cancelledAtMs'
  >,
  blockedByDependencies: boolean,
): Intent {
  const { spec } = job;
  return {
    spec: {
      queue: spec.queue,
      priority: spec.priority,
      resources: spec.resources,
      run: spec.run,
      requires: spec.requires,
      placement: spec.placement,
      retries: spec.retries,
      lostAfterSeconds: spec.lostAfterSeconds,
      deadlineSeconds: spec.deadlineSeconds,
    },
    specHash: job.specHash,
    chunking: job.chunking,
    submittedAtMs: job.createdAtMs,
    cancelled: job.cancelledAtMs !== null,
    retryEpoch: job.retryEpoch,
    blockedByDependencies,
  };
}
