import { mergeWaiting } from '../jobs/waiting.ts';
import {
  type ChunkCounts,
  type Chunking,
  isFinal,
  type JobState,
  noChunks,
  powerOf,
  stateOfCounts,
} from './job.ts';
import type { CellId, JobId } from './names.ts';
import type { JobCellStatus, WaitingCount } from './plan.ts';
import { rangeOf } from './ranges.ts';

/**
 * The status of a job: a fold of the absolute counts of its cells, attached beside its spec.
 *
 * Only the fold changes it, with two exceptions that users cause: `cancelled` and the first version
 * at submit. Because the counts are absolute, folding twice or in any order gives the same status,
 * and no counter can drift.
 */
export type JobStatus = {
  readonly job: JobId;
  readonly name: string | null;
  readonly pool: string;
  readonly queue: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly chunking: Chunking;
  /** Cells that were given a slice at submit; a move may add others, which show by their counts. */
  readonly cells: readonly CellId[];
  readonly dependsOn: readonly JobId[];
  readonly createdAtMs: number;
  /** More dead chunks than this end the job early, wherever they died; `null` is no limit. */
  readonly maxFailedChunks: number | null;
  /** Grows with every write; a write names the version it has seen. */
  readonly version: number;

  readonly state: JobState;
  readonly counts: ChunkCounts;
  readonly donePower: number;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  readonly reason: string | null;
  readonly waiting: readonly WaitingCount[];

  /** Its user asked for its end. */
  readonly cancelled: boolean;
  /** It waits for `dependsOn`: nothing of it is placed. */
  readonly blockedByDependencies: boolean;
  /** A job it depends on did not succeed. */
  readonly dependencyFailed: boolean;
  /**
   * Cells that a user's retry asked to bring dead chunks back, each with its epoch: what they count
   * is from before, until they show that epoch.
   */
  readonly retrying: readonly (readonly [CellId, number])[];
  /** The state under which the fleet's statistics count it; `null` while they do not know it. */
  readonly countedAs: JobState | null;
};

export const dependencyFailed = 'dependency-failed';
const tooManyFailed = 'max-failed-chunks';
/** Why a job failed that no cell gave up early: chunks are dead after their last attempt. */
export const chunksFailed = 'chunks-failed';

/** The status of a job just submitted. */
export function newJobStatus(
  job: Pick<
    JobStatus,
    | 'job'
    | 'name'
    | 'pool'
    | 'queue'
    | 'labels'
    | 'chunking'
    | 'cells'
    | 'dependsOn'
    | 'createdAtMs'
    | 'maxFailedChunks'
  >,
): JobStatus {
  const total = job.chunking.chunks;
  const blockedByDependencies = job.dependsOn.length > 0;
  const counts = blockedByDependencies
    ? { ...noChunks, total, waiting: total }
    : { ...noChunks, total, pending: total };
  return {
    ...job,
    version: 0,
    state: blockedByDependencies ? 'waiting' : 'pending',
    counts,
    donePower: 0,
    startedAtMs: null,
    endedAtMs: null,
    reason: null,
    waiting: [],
    cancelled: false,
    blockedByDependencies,
    dependencyFailed: false,
    retrying: [],
    countedAs: null,
  };
}

/** By power done, rounded down; 100 only when all is done. */
export function percentOf(status: Pick<JobStatus, 'chunking' | 'counts' | 'donePower'>): number {
  const power = powerOf(status.chunking, rangeOf(0, status.chunking.chunks));
  if (status.counts.done >= status.chunking.chunks) return 100;
  return power === 0 ? 0 : Math.min(99, Math.floor((status.donePower * 100) / power));
}

/**
 * The status after its cells said what they have. Chunks that no cell has counted yet, or that two
 * cells count while they move from one to the other, are pending: what is done, dead or running is
 * in exactly one cell.
 */
export function foldJob(
  status: JobStatus,
  cells: readonly JobCellStatus[],
  nowMs: number,
): JobStatus {
  const counts = foldCounts(status, cells);
  const state = stateOfCounts(counts, {
    cancelled: status.cancelled,
    failed: status.dependencyFailed,
  });
  const started = cells.flatMap((cell) => (cell.startedAtMs === null ? [] : [cell.startedAtMs]));
  const ended = cells.flatMap((cell) => (cell.endedAtMs === null ? [] : [cell.endedAtMs]));
  const endedAtMs = isFinal(state) ? (status.endedAtMs ?? Math.max(...ended, 0)) : null;
  return {
    ...status,
    state,
    counts,
    donePower: cells.reduce((sum, cell) => sum + cell.donePower, 0),
    startedAtMs: started.length === 0 ? status.startedAtMs : Math.min(...started),
    endedAtMs: endedAtMs === 0 ? nowMs : endedAtMs,
    reason: foldReason({ ...status, counts }, state, cells),
    waiting: isFinal(state) ? [] : mergeWaiting(cells.flatMap((cell) => cell.waiting)),
  };
}

function foldCounts(status: JobStatus, cells: readonly JobCellStatus[]): ChunkCounts {
  const total = status.chunking.chunks;
  const sum = (name: keyof ChunkCounts): number =>
    cells.reduce((all, cell) => all + cell.counts[name], 0);
  const counts = {
    done: sum('done'),
    dead: sum('dead'),
    cancelled: sum('cancelled'),
    running: sum('running'),
    scheduled: sum('scheduled'),
  };
  const rest = total - Object.values(counts).reduce((all, value) => all + value, 0);
  const open = Math.max(0, rest);
  const waiting = status.blockedByDependencies ? open : Math.min(open, sum('waiting'));
  const { scheduled, running, done, dead, cancelled } = counts;
  return { total, waiting, pending: open - waiting, scheduled, running, done, dead, cancelled };
}

/** Each cell counts its own failures; only here is it seen that together they are too many. */
export function hasTooManyFailed(status: Pick<JobStatus, 'counts' | 'maxFailedChunks'>): boolean {
  return status.maxFailedChunks !== null && status.counts.dead > status.maxFailedChunks;
}

function foldReason(
  status: JobStatus,
  state: JobState,
  cells: readonly JobCellStatus[],
): string | null {
  if (status.dependencyFailed) return dependencyFailed;
  if (hasTooManyFailed(status)) return tooManyFailed;
  const given = cells.find((cell) => cell.reason !== null)?.reason ?? null;
  return given ?? (state === 'failed' ? chunksFailed : null);
}

/** Whether a fold changed anything that is stored. */
export function sameStatus(a: JobStatus, b: JobStatus): boolean {
  return JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 });
}
