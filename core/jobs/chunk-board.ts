import type { ChunkAnswer } from '../contract/job-answer.ts';
import { isFinal } from '../model/job.ts';
import type { EdgeName } from '../model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../model/plan.ts';
import {
  count,
  emptyRanges,
  has,
  intersect,
  type RangeSet,
  subtract,
  union,
  unionAll,
} from '../model/ranges.ts';
import type { JobWithStatus, StoredJob } from '../model/stored-job.ts';
import { codeOfFailure } from '../runs/pod.ts';
import { numbersOf as numbersIn } from '../services/instance-numbers.ts';

/**
 * Where every chunk of a job is, derived from its cells and executions; no row per chunk is stored
 * except of those that failed or left an output. Terminal comes first: what is done somewhere is
 * done, whoever else still holds it.
 */
export type ChunkBoard = {
  readonly executions: readonly Execution[];
  /** The numbers that there are. */
  readonly all: RangeSet;
  readonly isService: boolean;
  /** What instances are brought to. */
  readonly generation: number;
  readonly sets: Readonly<Record<ChunkState, RangeSet>>;
};

type ChunkState = ChunkAnswer['state'];

export function boardOf(
  { job, status }: JobWithStatus,
  cells: readonly JobCellStatus[],
  executions: readonly Execution[],
): ChunkBoard {
  const all = numbersOf(job, cells);
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
    all,
    isService: job.spec.restart !== undefined,
    generation: status.service?.rollout?.generation ?? 1,
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

/**
 * The numbers that there are: of a job that runs everywhere its cells say which, and of a service
 * which stand in for others.
 */
function numbersOf({ chunking, spec }: StoredJob, cells: readonly JobCellStatus[]): RangeSet {
  const counted = unionAll(cells.map((cell) => cell.ranges ?? emptyRanges));
  return spec.everywhere === undefined ? union(numbersIn(chunking), counted) : counted;
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
  /** How far it says it is; `null` where it says nothing, or does not run. */
  readonly percent: number | null;
  /** Its own times; `null` where nobody knows them. */
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** Of an instance of a service, and of nothing else. */
  readonly instance: InstancePlace | null;
  /** Between these it ran: what its edge did of the job, from the first lease to the last end. */
  readonly within: { readonly fromMs: number; readonly toMs: number | null } | null;
};

export type InstancePlace = {
  readonly ready: boolean;
  readonly restarts: number;
  /** What it is to run now. */
  readonly generation: number;
  readonly lastExit: { exitCode: number | null; reason: string | null; atMs: number } | null;
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
    percent: percentOf(state, holder?.percents?.get(chunk)),
    instance: board.isService ? instanceOf(board, chunk, holder, end) : null,
    ...timesOf(begun ? holder : null, end),
  };
}

/**
 * Edges report ranges, and an execution has one beginning and one end. They are the chunk's where
 * it is the only one that the edge was ever given, and ran once; else they are bounds. The end of a
 * failure is known, because each is reported by itself.
 */
function timesOf(
  holder: Execution | null,
  end: ChunkEnd | null,
): Pick<ChunkPlace, 'startedAtMs' | 'endedAtMs' | 'within'> {
  const failedAtMs = end?.state === 'dead' ? end.atMs : null;
  if (holder === null || holder.startedAtMs === 0) {
    return { startedAtMs: null, endedAtMs: failedAtMs, within: null };
  }
  const { startedAtMs, endedAtMs } = holder;
  const isAlone = count(holder.chunks) === 1 && (end?.attempts ?? 1) === 1;
  return {
    startedAtMs: isAlone ? startedAtMs : null,
    endedAtMs: failedAtMs ?? (isAlone ? endedAtMs : null),
    within: { fromMs: startedAtMs, toMs: endedAtMs },
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

function instanceOf(
  board: ChunkBoard,
  chunk: number,
  holder: Execution | null,
  end: ChunkEnd | null,
): InstancePlace {
  const failure = end?.failure ?? null;
  const held = [...(holder?.generations ?? [])].find(([, chunks]) => has(chunks, chunk));
  return {
    generation: held?.[0] ?? board.generation,
    ready: has(holder?.ready ?? emptyRanges, chunk),
    restarts: end?.attempts ?? 0,
    lastExit:
      end === null
        ? null
        : {
            exitCode: exitCodeOf('dead', failure),
            reason: reasonOf('dead', failure),
            atMs: end.atMs,
          },
  };
}

function percentOf(state: ChunkState, known: number | undefined): number | null {
  if (state === 'done') return 100;
  return state === 'running' ? (known ?? null) : null;
}

/** Failed attempts are counted; a chunk that runs or is done has had one more. */
function attemptsOf(state: ChunkState, failures: number): number {
  return state === 'running' || state === 'done' ? failures + 1 : failures;
}

function exitCodeOf(state: ChunkState, failure: number | string | null): number | null {
  if (state === 'done') return 0;
  return codeOfFailure(failure);
}

function reasonOf(state: ChunkState, failure: number | string | null): string | null {
  if (failure === null || state === 'done') return null;
  return typeof failure === 'number' ? `exit code ${failure}` : failure;
}
