import { isFinal } from '../../../core/job.ts';
import { executionsBoardMax } from '../../../core/limits.ts';
import type { JobId } from '../../../core/names.ts';
import type { Execution } from '../../../core/plan.ts';
import type { JobsStore, StoredChunk } from '../../../core/ports/jobs.ts';
import {
  emptyRanges,
  has,
  intersect,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../../core/ranges.ts';
import type { JobWithStatus } from '../../../core/stored-job.ts';
import type { ChunkAnswer } from '../../../core/wire/job-answer.ts';
import { timeOrNull } from '../views/job-view.ts';

/**
 * Where every chunk of a job is, derived from its cells and executions; no row per chunk is stored
 * except of those that failed or left an output. Terminal comes first: what is done somewhere is
 * done, whoever else still holds it.
 */
export type ChunkBoard = {
  readonly found: JobWithStatus;
  readonly executions: readonly Execution[];
  readonly sets: Readonly<Record<ChunkAnswer['state'], RangeSet>>;
};

export async function loadBoard(jobs: JobsStore, found: JobWithStatus): Promise<ChunkBoard> {
  const [cells, executions] = await Promise.all([
    jobs.cellStatuses(found.job.id),
    allExecutions(jobs, found.job.id),
  ]);
  const all = rangeOf(0, found.job.cut.chunks);
  const sum = (sets: readonly RangeSet[]) => sets.reduce(union, emptyRanges);
  const done = sum([...cells, ...executions].map((it) => it.done));
  const dead = subtract(sum(cells.map((cell) => cell.dead)), done);
  const cancelled = subtract(sum(cells.map((cell) => cell.cancelled)), union(done, dead));
  let open = subtract(all, union(union(done, dead), cancelled));
  if (isFinal(found.status.state)) open = emptyRanges;
  const running = intersect(sum(executions.map((it) => it.running)), open);
  const held = subtract(sum(executions.map((it) => it.chunks)), running);
  const scheduled = intersect(held, open);
  const rest = subtract(open, union(running, scheduled));
  const waits = found.status.state === 'waiting';
  return {
    found,
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

async function allExecutions(jobs: JobsStore, id: JobId): Promise<Execution[]> {
  const all: Execution[] = [];
  for (let after: string | null = null; all.length < executionsBoardMax; ) {
    const page = await jobs.executions(id, after, 1_000);
    all.push(...page);
    if (page.length < 1_000) break;
    after = page.at(-1)?.edge ?? null;
  }
  return all;
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

export function chunkView(
  board: ChunkBoard,
  chunk: number,
  stored: StoredChunk | null,
): ChunkAnswer {
  const state = terminalFirst.find((name) => has(board.sets[name], chunk)) ?? 'pending';
  const holder = holderOf(board.executions, chunk, state);
  const end = stored?.end ?? null;
  const failed = state === 'dead' ? end : null;
  const begun = state !== 'pending' && state !== 'waiting' && state !== 'scheduled';
  const output = stored?.output ?? null;
  const { id } = board.found.job;
  return {
    chunk,
    state,
    edge: holder?.edge ?? failed?.edge ?? null,
    attempts: attemptsOf(state, end?.attempts ?? 0),
    exitCode: exitCodeOf(state, end?.failure ?? null),
    reason: reasonOf(state, end?.failure ?? null),
    startedAt: begun ? timeOrNull(holder?.startedAtMs || null) : null,
    endedAt: timeOrNull(failed?.atMs ?? (state === 'done' ? (holder?.endedAtMs ?? null) : null)),
    ...(output === null ? {} : { output: `/v1/jobs/${id}/chunks/${chunk}/output` }),
  };
}

function holderOf(
  executions: readonly Execution[],
  chunk: number,
  state: ChunkAnswer['state'],
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
function attemptsOf(state: ChunkAnswer['state'], failures: number): number {
  return state === 'running' || state === 'done' ? failures + 1 : failures;
}

function exitCodeOf(state: ChunkAnswer['state'], failure: number | string | null): number | null {
  if (state === 'done') return 0;
  return typeof failure === 'number' ? failure : null;
}

function reasonOf(state: ChunkAnswer['state'], failure: number | string | null): string | null {
  if (failure === null || state === 'done') return null;
  return typeof failure === 'number' ? `exit code ${failure}` : failure;
}
