import type { ChunkAnswer } from '../contract/job-answer.ts';
import { isFinal } from '../model/job.ts';
import type { EdgeName } from '../model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../model/plan.ts';
import {
  emptyRanges,
  has,
  intersect,
  type RangeSet,
  rangeOf,
  subtract,
  union,
  unionAll,
} from '../model/ranges.ts';
import type { JobWithStatus } from '../model/stored-job.ts';

/**
 * Where every chunk of a job is, derived from its cells and executions; no row per chunk is stored
 * except of those that failed or left an output. Terminal comes first: what is done somewhere is
 * done, whoever else still holds it.
 */
export type ChunkBoard = {
  readonly executions: readonly Execution[];
  readonly sets: Readonly<Record<ChunkState, RangeSet>>;
};

type ChunkState = ChunkAnswer['state'];

export function boardOf(
  { job, status }: JobWithStatus,
  cells: readonly JobCellStatus[],
  executions: readonly Execution[],
): ChunkBoard {
  const all = rangeOf(0, job.chunking.chunks);
  const done = unionAll([...cells, ...executions].map((it) => it.done));
  const dead = subtract(unionAll(cells.map((cell) => cell.dead)), done);
  const cancelled = subtract(unionAll(cells.map((cell) => cell.cancelled)), union(done, dead));
  let open = subtract(all, union(union(done, dead), cancelled));
  if (isFinal(status.state)) open = emptyRanges;
  const running = intersect(unionAll(executions.map((it) => it.running)), open);
  const held = subtract(unionAll(executions.map((it) => it.chunks)), running);
  const scheduled = intersect(held, open);
  const rest = subtract(open, union(running, scheduled));
  const waits = status.state === 'waiting';
  return {
    executions,
    sets: {
      done,
      dead,
      cancelled,
      running,
      scheduled,
      waiting: waits ? rest : emptyRanges,
      pending: waits ? emptyRanges : rest,
    },
  };
}

const terminalFirst = [
  'done',
  'dead',
  'cancelled',
  'running',
  'scheduled',
  'waiting',
  'pending',
] as const;

/** One chunk of the board. */
export type ChunkPlace = {
  readonly state: ChunkState;
  readonly edge: EdgeName | null;
  readonly attempts: number;
  readonly exitCode: number | null;
  readonly reason: string | null;
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
};

/** `end` is what is stored of its last failure, if any. */
export function placeOf(board: ChunkBoard, chunk: number, end: ChunkEnd | null): ChunkPlace {
  const state = terminalFirst.find((name) => has(board.sets[name], chunk)) ?? 'pending';
  const holder = holderOf(board.executions, chunk, state);
  const failed = state === 'dead' ? end : null;
  const begun = state !== 'pending' && state !== 'waiting' && state !== 'scheduled';
  return {
    state,
    edge: holder?.edge ?? failed?.edge ?? null,
    attempts: attemptsOf(state, end?.attempts ?? 0),
    exitCode: exitCodeOf(state, end?.failure ?? null),
    reason: reasonOf(state, end?.failure ?? null),
    startedAtMs: begun ? holder?.startedAtMs || null : null,
    endedAtMs: failed?.atMs ?? (state === 'done' ? (holder?.endedAtMs ?? null) : null),
  };
}

function holderOf(
  executions: readonly Execution[],
  chunk: number,
  state: ChunkState,
): Execution | null {
  const inState = (it: Execution): boolean => {
    if (state === 'done') return has(it.done, chunk);
    if (state === 'dead') return has(it.dead, chunk);
    if (state === 'running') return has(it.running, chunk);
    return state === 'scheduled' && it.endedAtMs === null && has(it.chunks, chunk);
  };
  return executions.find(inState) ?? null;
}

/** Failed attempts are counted; a chunk that runs or is done has had one more. */
function attemptsOf(state: ChunkState, failures: number): number {
  return state === 'running' || state === 'done' ? failures + 1 : failures;
}

function exitCodeOf(state: ChunkState, failure: number | string | null): number | null {
  if (state === 'done') return 0;
  return typeof failure === 'number' ? failure : null;
}

function reasonOf(state: ChunkState, failure: number | string | null): string | null {
  if (failure === null || state === 'done') return null;
  return typeof failure === 'number' ? `exit code ${failure}` : failure;
}
