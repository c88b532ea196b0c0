import { mergeWaiting } from '../jobs/waiting.ts';
import { percentReady, type ServiceCounts } from '../services/service.ts';
import { stateOfService } from '../services/service-state.ts';
import { foldRollouts } from '../services/turns.ts';
import {
  type ChunkCounts,
  isFinal,
  type JobState,
  noChunks,
  powerOf,
  stateOfCounts,
} from './job.ts';
import type { CellId, JobId } from './names.ts';
import type { FoldedStatus, JobCellStatus, Spending } from './plan.ts';
import { count, emptyRanges, type RangeSet, rangeOf, subtract } from './ranges.ts';

/**
 * The status of a job: a fold of the absolute counts of its cells, attached beside its spec.
 *
 * Only the fold changes it, with two exceptions that users cause: `cancelled` and the first version
 * at submit. Because the counts are absolute, folding twice or in any order gives the same status,
 * and no counter can drift.
 */
export type JobStatus = FoldedStatus & {
  readonly name: string | null;
  readonly pool: string;
  readonly queue: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Cells that were given a slice at submit; a move may add others, which show by their counts. */
  readonly cells: readonly CellId[];
  readonly dependsOn: readonly JobId[];
  readonly createdAtMs: number;
  /** More dead chunks than this end the job early, wherever they died; `null` is no limit. */
  readonly maxFailedChunks: number | null;
  /** Grows with every write; a write names the version it has seen. */
  readonly version: number;
  /** Its user asked for its end. */
  readonly cancelled: boolean;
  /** Chunks that its user cancelled while the others go on. */
  readonly cancelledRanges?: RangeSet;
  /** Its only cell writes it. Ends as soon as anybody else has a part in it, and for good. */
  readonly foldedByCell: boolean;
  /** The job names somebody who is to be notified of its end. */
  readonly notifies?: true;
  /** What was counted for it; absent of one that nobody counted from its beginning. */
  readonly spent?: Spending;
};

export const dependencyFailed = 'dependency-failed';
const tooManyFailed = 'max-failed-chunks';
/** Why a job failed that no cell gave up early: chunks are dead after their last attempt. */
export const chunksFailed = 'chunks-failed';

/** Why a job ended of which its user cancelled all chunks, or the whole. */
const cancelledByUser = 'cancelled';

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
    | 'service'
    | 'notifies'
  >,
): JobStatus {
  const total = job.chunking.chunks;
  const blockedByDependencies = job.dependsOn.length > 0;
  const isStopped = total === 0 && job.service?.everywhere !== true;
  const counts = blockedByDependencies
    ? { ...noChunks, total, waiting: total }
    : { ...noChunks, total, pending: total };
  return {
    ...job,
    version: 0,
    state: blockedByDependencies ? 'waiting' : isStopped ? 'stopped' : 'pending',
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
    lastEventAtMs: null,
    foldedByCell: job.cells.length === 1 && !blockedByDependencies,
  };
}

/**
 * When the next line of the timeline counts as having happened. Several clocks write it, and the
 * rollup may be late with one line and not with the next: what follows from another comes behind
 * it, a millisecond at least, whatever the clocks say.
 */
export function eventTimeOf(
  { lastEventAtMs, createdAtMs }: Pick<JobStatus, 'lastEventAtMs' | 'createdAtMs'>,
  atMs: number,
): number {
  return Math.max(atMs, lastEventAtMs === null ? createdAtMs : lastEventAtMs + 1);
}

/**
 * By power worked, rounded down; 100 only when all is done. Chunks that their user cancelled are
 * not asked for any more.
 */
export function percentOf(
  status: Pick<
    JobStatus,
    'chunking' | 'counts' | 'donePower' | 'workedPower' | 'service' | 'cancelledRanges'
  >,
): number {
  if (status.service !== undefined) return percentReady(status.service);
  const { chunking, counts } = status;
  const named = count(status.cancelledRanges ?? emptyRanges);
  const unwanted = Math.min(named, counts.cancelled);
  if (counts.done > 0 && counts.done >= chunking.chunks - unwanted) return 100;
  const all = powerOf(chunking, rangeOf(0, chunking.chunks));
  const power = Math.max(0, all - unwanted * chunking.chunkPower);
  const worked = Math.max(status.donePower, status.workedPower ?? 0);
  return power === 0 ? 0 : Math.min(99, Math.floor((worked * 100) / power));
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
  const service = serviceOf(status, cells);
  const state = stateOf({ ...status, counts }, service, cells);
  const started = cells.flatMap((cell) => (cell.startedAtMs === null ? [] : [cell.startedAtMs]));
  const ended = cells.flatMap((cell) => (cell.endedAtMs === null ? [] : [cell.endedAtMs]));
  // Each is read from another clock, and none comes before what it follows.
  const startedAtMs =
    started.length === 0 ? status.startedAtMs : Math.max(status.createdAtMs, Math.min(...started));
  const overAtMs = ended.length === 0 ? nowMs : Math.max(...ended);
  const endAtMs = status.endedAtMs ?? Math.max(startedAtMs ?? status.createdAtMs, overAtMs);
  const { workedPower: most = 0, ...before } = status;
  const donePower = cells.reduce((sum, cell) => sum + cell.donePower, 0);
  const worked = cells.reduce((sum, cell) => sum + (cell.workedPower ?? cell.donePower), 0);
  const workedPower = Math.max(most, worked);
  return {
    ...before,
    state,
    counts,
    donePower,
    ...(workedPower > donePower && { workedPower }),
    ...(service !== null && { service }),
    startedAtMs,
    endedAtMs: isFinal(state) ? endAtMs : null,
    reason: foldReason({ ...status, counts }, state, cells),
    waiting: isFinal(state) ? [] : mergeWaiting(cells.flatMap((cell) => cell.waiting)),
  };
}

/** What its cells counted last stands until they count again; what runs everywhere adds up. */
function serviceOf(status: JobStatus, cells: readonly JobCellStatus[]): ServiceCounts | null {
  if (status.service === undefined) return null;
  const counted = cells.flatMap(({ service }) => service ?? []);
  if (counted.length === 0) return status.service;
  const sum = (of: (it: ServiceCounts) => number) => counted.reduce((all, it) => all + of(it), 0);
  const rollout = foldRollouts(counted);
  const { turn } = status.service;
  return {
    ...counted[0]!,
    wanted: counted[0]!.everywhere ? sum(({ wanted }) => wanted) : status.chunking.chunks,
    ready: sum(({ ready }) => ready),
    restarts: sum(({ restarts }) => restarts),
    ...(rollout !== undefined && { rollout }),
    ...(turn !== undefined && { turn }),
  };
}

/** Chunks that ended as cancelled without their user having named them. */
export function cancelledOtherwise(
  { cancelledRanges }: Pick<JobStatus, 'cancelledRanges'>,
  { counts, cancelled }: Pick<JobCellStatus, 'counts' | 'cancelled'>,
): number {
  return cancelledRanges === undefined
    ? counts.cancelled
    : count(subtract(cancelled, cancelledRanges));
}

/** A job goes on without the chunks that its user cancelled, and ends by the others. */
function stateOf(
  status: JobStatus,
  service: ServiceCounts | null,
  cells: readonly JobCellStatus[],
): JobState {
  const { counts, cancelled, dependencyFailed } = status;
  const others = cells.reduce((sum, cell) => sum + cancelledOtherwise(status, cell), 0);
  const wanted = counts.total - (counts.cancelled - others);
  if (wanted === 0 && counts.total > 0) return 'cancelled';
  const asked = { ...counts, total: wanted, cancelled: others };
  const ended = stateOfCounts(asked, { cancelled, failed: dependencyFailed });
  if (service === null) return ended;
  // A job that runs everywhere goes on as long as one of its cells does.
  const isOver =
    cells.length >= status.cells.length && cells.every(({ endedAtMs }) => endedAtMs !== null);
  if (isOver && isFinal(ended)) return cancelled ? 'cancelled' : ended;
  const hasStarted = status.startedAtMs !== null || cells.some((it) => it.startedAtMs !== null);
  return cancelled ? 'running' : stateOfService(counts, service, { hasStarted });
}

function foldCounts(status: JobStatus, cells: readonly JobCellStatus[]): ChunkCounts {
  const isBound = status.service?.everywhere === true;
  const total = isBound
    ? cells.reduce((all, cell) => all + cell.counts.total, 0)
    : status.chunking.chunks;
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
  // A cell without an instance is asked to end when the others are done.
  const isSaid = ({ reason, counts }: JobCellStatus) =>
    reason !== null && (state !== 'done' || counts.total > 0);
  const given = cells.find(isSaid)?.reason ?? null;
  if (given !== null) return given;
  if (state === 'cancelled') return cancelledByUser;
  return state === 'failed' ? chunksFailed : null;
}

/** Whether a fold changed anything that is stored. */
export function sameStatus(a: JobStatus, b: JobStatus): boolean {
  return JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 });
}
