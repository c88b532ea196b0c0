import { type ChunkCounts, type JobState, noChunks } from '../../core/model/job.ts';
import { newJobStatus } from '../../core/model/job-status.ts';
import { cellIdOf, type EdgeName, type JobId } from '../../core/model/names.ts';
import type { Execution } from '../../core/model/plan.ts';
import { emptyRanges, intersect, rangeOf } from '../../core/model/ranges.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { Outputs } from '../../core/ports/outputs.ts';
import { makeSpec } from '../core/cell-fixture.ts';
import { rowsOf, type Stored } from '../memory/stored.ts';

/**
 * A job of the past as its rows tell it: its cell has no slice of it any more. Of the first chunks
 * some are done, those behind them failed after three attempts, and on two edges it was run.
 */
export type EndedJob = {
  readonly id: JobId;
  /** `running` is a job that goes on without end: no cell has it. */
  readonly state: JobState;
  readonly createdAtMs: number;
  readonly endedAtMs: number;
  readonly spec: Partial<StoredJob['spec']> & { readonly chunks: number };
  readonly done: number;
  readonly dead: number;
  readonly reason: string | null;
  readonly edges: readonly EdgeName[];
};

const attempts = 3;
/** A word in red, and what would rename a window. */
const colours = '\u001b[1;31mred\u001b[0m \u001b]0;renamed\u0007\n';

export async function addEndedJob(stored: Stored, outputs: Outputs, ended: EndedJob) {
  const { id, createdAtMs, state, done, dead } = ended;
  const job = storedJobOf(ended);
  const { spec, chunking, cells } = job;
  const { chunks } = chunking;
  const isOver = state !== 'running';
  const endedAtMs = isOver ? ended.endedAtMs : null;
  const counts: ChunkCounts = {
    ...noChunks,
    total: chunks,
    done,
    dead,
    running: isOver ? 0 : Math.min(chunks - done, 8),
    pending: isOver ? 0 : Math.max(0, chunks - done - 8),
    cancelled: isOver ? chunks - done - dead : 0,
  };
  const folded = { counts, donePower: done * chunking.chunkPower, startedAtMs: createdAtMs + 400 };
  const rows = rowsOf(stored, id);
  const { name, pool, queue, labels, dependsOn } = spec;
  const { maxFailedChunks } = spec.retries;
  rows.job = job;
  rows.status = {
    ...newJobStatus({
      ...{ job: id, name, pool, queue, labels, chunking, cells, dependsOn },
      ...{ createdAtMs, maxFailedChunks },
    }),
    ...folded,
    state,
    endedAtMs,
    reason: ended.reason,
    countedAs: state,
  };
  rows.cells.set(cells[0]!, {
    job: id,
    ...folded,
    done: rangeOf(0, done),
    dead: rangeOf(done, done + dead),
    cancelled: isOver ? rangeOf(done + dead, chunks) : emptyRanges,
    waiting: [],
    endedAtMs,
    reason: ended.reason,
    retryEpoch: 0,
    attemptsUsed: 0,
    foldedByCell: false,
  });
  for (const execution of executionsOf(ended, chunking.chunkPower)) {
    rows.executions.set(execution.edge, execution);
  }
  for (let chunk = done; chunk < done + dead; chunk++) {
    const edge = ended.edges[0]!;
    const end = { job: id, chunk, edge, attempts, failure: 1, atMs: ended.endedAtMs };
    rows.ends.set(chunk, { ...end, state: 'dead' });
    const text = Buffer.from(`chunk ${chunk}: <b>no space left on device</b>\n${colours}`);
    const key = await outputs.put(id, chunk, attempts, text);
    rows.outputs.set(chunk, { key, bytes: text.length });
  }
  const states = [state, 'total'] as const;
  for (const one of states) stored.counts.set(one, (stored.counts.get(one) ?? 0) + 1);
}

function storedJobOf({ id, spec, createdAtMs }: EndedJob): StoredJob {
  const { chunks } = spec;
  const chunkPower = Math.max(1, Math.floor((spec.power ?? chunks) / chunks));
  const full = makeSpec({ chunkPower: null, ...spec });
  return {
    id,
    spec: full,
    chunking: { chunks, chunkPower, lastChunkPower: chunkPower },
    specHash: 'hash',
    cells: [cellIdOf(`${full.pool}.0`)],
    generation: 1,
    createdAtMs,
    createdBy: 'token:admin',
    version: 1,
    retryEpoch: 0,
    cancelledAtMs: null,
  };
}

/** The first edge had one half, the second the other. */
function executionsOf(ended: EndedJob, chunkPower: number): Execution[] {
  const { chunks } = ended.spec;
  const half = Math.ceil(chunks / 2);
  const parts = [rangeOf(0, half), rangeOf(half, chunks)];
  const dead = rangeOf(ended.done, ended.done + ended.dead);
  return ended.edges.slice(0, 2).map((edge, at) => ({
    job: ended.id,
    submittedAtMs: ended.createdAtMs,
    edge,
    chunks: parts[at]!,
    done: intersect(parts[at]!, rangeOf(0, ended.done)),
    running: emptyRanges,
    dead: intersect(parts[at]!, dead),
    power: chunkPower * half,
    slots: 1,
    startedAtMs: ended.createdAtMs + 400,
    endedAtMs: ended.state === 'running' ? null : ended.endedAtMs,
  }));
}
