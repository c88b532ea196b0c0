import type { RestartWish } from '../services/restart-wish.ts';
import { newServiceCounts, serviceSpecOf } from '../services/service.ts';
import type { Intent } from './cell.ts';
import type { SubmissionPart } from './job.ts';
import { type Chunking, type JobSpec, noChunks } from './job.ts';
import type { JobStatus } from './job-status.ts';
import type { CellId, JobId } from './names.ts';
import type { RangeSet } from './ranges.ts';

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
  /** Chunks that its user cancelled while the others go on; only grows. */
  readonly cancelledRanges?: RangeSet;
  /** Of a jobspec that went to one cluster. */
  readonly submission?: SubmissionPart;
  /** Of a service: how often its user had instances start anew. */
  readonly restarts?: number;
  /** The last of these, with others that cells may not have seen; absent after an update. */
  readonly lastRestart?: RestartWish;
};

export type JobWithStatus = {
  readonly job: StoredJob;
  readonly status: JobStatus;
  /** Set when the status cannot be read, and is `unknownStatus`. */
  readonly unreadable?: string;
};

/** Stands for a status that cannot be read: all of it waits for the row to be mended. */
export function unknownStatus(job: StoredJob, row: string): JobStatus {
  const { spec, chunking } = job;
  const detail = `its row ${row} cannot be read; it goes on when the row is mended`;
  const { chunks } = chunking;
  return {
    job: job.id,
    name: spec.name,
    pool: spec.pool,
    queue: spec.queue,
    labels: spec.labels,
    chunking,
    cells: job.cells,
    dependsOn: spec.dependsOn,
    createdAtMs: job.createdAtMs,
    maxFailedChunks: spec.retries.maxFailedChunks,
    version: 0,
    state: 'pending',
    counts: { ...noChunks, total: chunks, pending: chunks },
    donePower: 0,
    startedAtMs: null,
    endedAtMs: null,
    reason: null,
    waiting: [{ reason: 'inconsistent', chunks, edges: 0, examples: [], detail }],
    cancelled: false,
    blockedByDependencies: false,
    dependencyFailed: false,
    retrying: [],
    countedAs: null,
    lastEventAtMs: null,
    foldedByCell: false,
    ...(spec.restart !== undefined && {
      service: newServiceCounts(spec, chunks),
    }),
  };
}

/** What the cells of a job must know of it. */
export function intentOf(
  job: Pick<
    StoredJob,
    | 'spec'
    | 'specHash'
    | 'chunking'
    | 'generation'
    | 'createdAtMs'
    | 'createdBy'
    | 'retryEpoch'
    | 'cancelledAtMs'
    | 'cancelledRanges'
    | 'submission'
  >,
  blockedByDependencies: boolean,
  foldedByCell = false,
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
      name: spec.name,
      keepOutput: spec.keepOutput,
      ...(spec.outputMb === undefined ? {} : { outputMb: spec.outputMb }),
      ...(spec.stderr === undefined ? {} : { stderr: spec.stderr }),
      ...(spec.keepDirectory === undefined ? {} : { keepDirectory: spec.keepDirectory }),
      ...(spec.inputs === undefined ? {} : { inputs: spec.inputs }),
      ...(spec.params === undefined ? {} : { sweep: true as const }),
      ...(spec.chunkOffsets === undefined ? {} : { chunkOffsets: spec.chunkOffsets }),
      ...(spec.outputs === undefined ? {} : { outputs: spec.outputs }),
      ...(spec.signature === undefined ? {} : { signed: true as const }),
      offlineSeconds: spec.offlineSeconds,
      ...serviceSpecOf(spec),
    },
    createdBy: job.createdBy,
    specHash: job.specHash,
    chunking: job.chunking,
    submittedAtMs: job.createdAtMs,
    cancelled: job.cancelledAtMs !== null,
    ...(job.cancelledRanges === undefined ? {} : { cancelledRanges: job.cancelledRanges }),
    retryEpoch: job.retryEpoch,
    blockedByDependencies,
    foldedByCell,
    ...(job.submission === undefined ? {} : { submission: job.submission }),
    ...(job.generation > 1 && {
      rollout: { generation: job.generation, earlier: [], restart: null },
    }),
  };
}
