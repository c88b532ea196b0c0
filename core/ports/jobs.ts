import type { JobCancel, JobPurge } from '../jobs/cancel.ts';
import type { JobEdit } from '../jobs/edit.ts';
import type { JobCells } from '../jobs/job-cells.ts';
import type { JobRetry } from '../jobs/retry.ts';
import type { JobEvent } from '../jobs/rollup.ts';
import type { JobCreation } from '../jobs/submit.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../model/plan.ts';
import type { JobWithStatus, StoredJob } from '../model/stored-job.ts';
import type { IdempotentRequest, StoredAnswer } from './idempotency.ts';

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
};

export type JobLists = {
  /** Jobs of a pool, newest first, from just before `position`. */
  listPool(pool: string, position: string | null, limit: number): Promise<readonly ListedJob[]>;
  /**
   * Jobs that an edge ran or runs, the last id first, from just before `position`. Ids that were
   * made for a job sort by its time; one that a user chose sorts as the name it is.
   */
  listOfEdge(edge: EdgeName, position: string | null, limit: number): Promise<readonly JobId[]>;
  executionsOn(edge: EdgeName, jobs: readonly JobId[]): Promise<readonly Execution[]>;
};

export type JobHistory = {
  chunk(id: JobId, chunk: number): Promise<StoredChunk | null>;
  /** Only of those that failed or left an output. */
  chunksOf(id: JobId, chunks: readonly number[]): Promise<ReadonlyMap<number, StoredChunk>>;
  keepOutput(id: JobId, chunk: number, key: string, bytes: number): Promise<void>;
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
  readonly output: { readonly key: string; readonly bytes: number } | null;
};

export type StoredEvent = JobEvent & { readonly position: string };

/** What users decide about jobs, carried out as it was decided: whole, or not at all. */
export type JobChanges = {
  /** What is stored of the job in each cell that has it or had it: what a change is decided by. */
  cellsOf(job: Pick<StoredJob, 'id' | 'cells'>): Promise<JobCells>;
  allExecutions(id: JobId): Promise<readonly Execution[]>;
  create(creation: JobCreation, kept: KeptAnswer | null): Promise<CreateOutcome>;
  /**
   * `conflict`: the job has another version than the one that was seen, or a cell has it no longer
   * or has it again; load and decide again.
   */
  commit(change: JobChange): Promise<'changed' | 'conflict'>;
  purge(purge: JobPurge): Promise<void>;
  /** Adds to the timeline. The same event added twice is one. */
  addEvent(id: JobId, event: JobEvent): Promise<void>;
};

export type JobChange = JobEdit | JobCancel | JobRetry;

/** Kept with the job, for whoever sends the request again. */
export type KeptAnswer = {
  readonly request: IdempotentRequest;
  readonly answer: StoredAnswer;
  readonly atMs: number;
};

/** Nothing is stored unless `created`. `key-taken`: the request has its first answer already. */
export type CreateOutcome = 'created' | 'id-taken' | 'key-taken' | 'parent-ended';
