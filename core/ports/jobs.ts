import type { JobCancel, JobPurge } from '../jobs/cancel.ts';
import type { JobRangesCancel } from '../jobs/cancel-ranges.ts';
import type { JobEdit } from '../jobs/edit.ts';
import type { JobCells } from '../jobs/job-cells.ts';
import type { JobRetry } from '../jobs/retry.ts';
import type { JobCreation } from '../jobs/submit.ts';
import type { ServiceRestart, ServiceUpdate } from '../jobs/update-service.ts';
import type { JobEvent } from '../model/job-event.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus, Plan } from '../model/plan.ts';
import type { JobWithStatus, StoredJob } from '../model/stored-job.ts';
import type { StoredGeneration } from '../services/generation.ts';
import type { AuditEvent } from './audit.ts';
import type { IdempotentRequest, StoredAnswer } from './idempotency.ts';
import type { OutputStream } from './outputs.ts';

/** Jobs as the API shows them: specs with their statuses, executions, chunks, and lists of them. */
export type JobsStore = JobRecords & JobLists & JobHistory;

export type JobRecords = {
  find(id: JobId): Promise<JobWithStatus | null>;
  /** Those that there are, in any order. */
  findMany(ids: readonly JobId[]): Promise<readonly JobWithStatus[]>;
  findSpec(id: JobId): Promise<StoredJob | null>;
  /** A page, by edge, from just behind `after`. */
  executions(id: JobId, after: string | null, limit: number): Promise<readonly Execution[]>;
  cellStatuses(id: JobId): Promise<readonly JobCellStatus[]>;
  /** Services of the pool that were given this name, also those that have ended. */
  named(pool: string, name: string): Promise<NamedServices>;
};

export type NamedServices = {
  readonly jobs: readonly JobId[];
  /** The last one that was to be the only one; `null` before the first. */
  readonly last: JobId | null;
};

export type JobLists = {
  /** Jobs of a pool, newest first, from just before `position`. */
  listPool(pool: string, position: string | null, limit: number): Promise<readonly ListedJob[]>;
  /** Jobs that an edge ran or runs, newest first, from just before `position`. */
  listOfEdge(
    edge: EdgeName,
    position: string | null,
    limit: number,
  ): Promise<readonly Pick<ListedJob, 'id' | 'position'>[]>;
  executionsOn(edge: EdgeName, jobs: readonly JobId[]): Promise<readonly Execution[]>;
};

export type JobHistory = {
  /** Of a service, newest first; none of one that was never updated. */
  generations(id: JobId): Promise<readonly StoredGeneration[]>;
  chunk(id: JobId, chunk: number): Promise<StoredChunk | null>;
  /** Only of those that failed or left an output. */
  chunksOf(id: JobId, chunks: readonly number[]): Promise<ReadonlyMap<number, StoredChunk>>;
  keepOutput(id: JobId, chunk: number, output: KeptOutput, stream?: OutputStream): Promise<void>;
  /** What an attempt left. Those of one that was done stay: the first that came counts. */
  keepResult(id: JobId, chunk: number, result: ChunkResult): Promise<void>;
  /** Of chunks that left some, by number, from just behind `after`. */
  results(id: JobId, after: number | null, limit: number): Promise<ResultPage>;
  /** The timeline, oldest first, from just behind `position`. */
  events(id: JobId, position: string | null, limit: number): Promise<readonly StoredEvent[]>;
};

/** A job in a list: enough to filter by without reading it. */
export type ListedJob = {
  readonly id: JobId;
  /** Sorts by the time of creation. */
  readonly position: string;
  readonly state: string;
  readonly queue: string;
  readonly labels: Readonly<Record<string, string>>;
};

export type StoredChunk = {
  readonly chunk: number;
  readonly end: ChunkEnd | null;
  readonly output: KeptOutput | null;
  /** What it said on standard error, of a job that keeps that apart. */
  readonly errors?: KeptOutput;
  readonly result?: ChunkResult;
};

/** What is kept of what a chunk printed: of how much, where that is known. */
export type KeptOutput = {
  readonly key: string;
  readonly bytes: number;
  readonly totalBytes?: number;
  /** How many of the bytes are the beginning; the others are the end. */
  readonly headBytes?: number;
  /** The digest of all of it among the results of the job, where that is kept. */
  readonly whole?: string;
};

/** The files that an attempt of a chunk left: their list, which is a file itself. */
export type ChunkResult = {
  readonly manifest: string;
  readonly files: number;
  readonly bytes: number;
  readonly isDone: boolean;
};

export type ResultPage = {
  readonly items: readonly { readonly chunk: number; readonly result: ChunkResult }[];
  /** The last chunk that was looked at, when there may be more. */
  readonly next: number | null;
};

export type StoredEvent = JobEvent & { readonly position: string };

/** What users decide about jobs, carried out as it was decided: whole, or not at all. */
export type JobChanges = {
  /** What is stored of the job in each cell that has it or had it: what a change is decided by. */
  cellsOf(job: Pick<StoredJob, 'id' | 'cells'>): Promise<JobCells>;
  allExecutions(id: JobId): Promise<readonly Execution[]>;
  create(creation: JobCreation, kept: KeptAnswer | null, audit: AuditEvent): Promise<CreateOutcome>;
  /**
   * All of these or none, in the end: what is `created` and cannot be stored at once is stored
   * later, by the minute tick at the latest. `audits` are theirs, in their order.
   */
  createMany(
    creations: readonly JobCreation[],
    kept: KeptAnswer | null,
    audits: readonly AuditEvent[],
  ): Promise<CreateOutcome>;
  /**
   * A job together with the pass that places it: all of both or nothing. `conflict`: the cell is
   * not as it was seen any more, and nothing is stored.
   */
  createPlaced(
    creation: JobCreation,
    plan: Plan,
    kept: KeptAnswer | null,
    audit: AuditEvent,
  ): Promise<Exclude<CreateOutcome, 'overtaken'> | 'conflict'>;
  /**
   * `conflict`: the job has another version than the one that was seen, or a cell has it no longer
   * or has it again; load and decide again.
   */
  commit(change: JobChange, trace: JobTrace): Promise<'changed' | 'conflict'>;
  purge(purge: JobPurge): Promise<void>;
};

/** What a change leaves behind, stored in one transaction with it: no change is without. */
export type JobTrace = {
  /** On the audit trail, which outlives the job. */
  readonly audit: AuditEvent;
  /** On the job's own timeline. */
  readonly event: JobEvent;
};

export type JobChange =
  | JobEdit
  | JobCancel
  | JobRangesCancel
  | JobRetry
  | ServiceUpdate
  | ServiceRestart;

/** Kept with the job, for whoever sends the request again. */
export type KeptAnswer = {
  readonly request: IdempotentRequest;
  readonly answer: StoredAnswer;
  readonly atMs: number;
};

/**
 * Nothing is stored unless `created`. `key-taken`: the request has its first answer already.
 * `overtaken`: a parent has ended or the name was taken meanwhile; load and decide again.
 */
export type CreateOutcome = 'created' | 'id-taken' | 'key-taken' | 'overtaken';
