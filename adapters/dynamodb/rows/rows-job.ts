import {
  type ChunkCounts,
  type Chunking,
  type JobState,
  noChunks,
} from '../../../core/model/job.ts';
import { type JobStatus, percentOf } from '../../../core/model/job-status.ts';
import { type CellId, cellIdOf, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus, WaitingCount } from '../../../core/model/plan.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import type { Failure } from '../../../core/protocol/progress-report.ts';
import {
  edgeJobsListKey,
  executionKey,
  jobCellKey,
  jobListKey,
  jobOfRow,
  statusKey,
} from '../keys.ts';
import { jobRows } from '../schema.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, json, ranges, sparse, text, textOrNull } from './row-values.ts';

/** The rows in a job's own partition that say how it goes. Its `SPEC` row is the API's. */
export function encodeStatus(status: JobStatus): Row {
  return sparse({
    ...statusKey(status.job),
    ...jobListKey(status.pool, status.job),
    ...statusAttributes(status),
    name: status.name,
    pool: status.pool,
    queue: status.queue,
    labels: JSON.stringify(status.labels),
    cut: JSON.stringify(status.chunking),
    cells: JSON.stringify(status.cells),
    dependsOn: JSON.stringify(status.dependsOn),
    createdAtMs: status.createdAtMs,
    maxFailedChunks: status.maxFailedChunks,
    cancelled: status.cancelled,
  });
}

/** What a fold changes. */
export function statusAttributes(status: JobStatus): Record<string, unknown> {
  return {
    version: status.version,
    state: status.state,
    percent: percentOf(status),
    counts: JSON.stringify(status.counts),
    donePower: status.donePower,
    startedAtMs: status.startedAtMs,
    endedAtMs: status.endedAtMs,
    reason: status.reason,
    waiting: JSON.stringify(status.waiting),
    held: status.blockedByDependencies,
    orphaned: status.dependencyFailed,
    retrying: JSON.stringify(status.retrying),
    counted: status.countedAs,
  };
}

export function decodeStatus(row: Row): JobStatus {
  return {
    job: jobOfRow(row),
    name: textOrNull(row.name),
    pool: text(row.pool),
    queue: text(row.queue),
    labels: json(row.labels, {}),
    chunking: json<Chunking>(row.cut, { chunks: 0, chunkPower: 0, lastChunkPower: 0 }),
    cells: json<string[]>(row.cells, []).map(cellIdOf),
    dependsOn: json<string[]>(row.dependsOn, []).map(jobIdOf),
    createdAtMs: amount(row.createdAtMs),
    maxFailedChunks: amountOrNull(row.maxFailedChunks),
    version: amount(row.version),
    state: text(row.state, 'pending') as JobState,
    counts: json<ChunkCounts>(row.counts, noChunks),
    donePower: amount(row.donePower),
    startedAtMs: amountOrNull(row.startedAtMs),
    endedAtMs: amountOrNull(row.endedAtMs),
    reason: textOrNull(row.reason),
    waiting: json<WaitingCount[]>(row.waiting, []),
    cancelled: row.cancelled === true,
    blockedByDependencies: row.held === true,
    dependencyFailed: row.orphaned === true,
    retrying: json<[CellId, number][]>(row.retrying, []),
    countedAs: textOrNull(row.counted) as JobState | null,
  };
}

export function encodeJobCell(cell: CellId, status: JobCellStatus): Row {
  return sparse({
    ...jobCellKey(status.job, cell),
    counts: JSON.stringify(status.counts),
    donePower: status.donePower,
    done: formatRanges(status.done),
    dead: formatRanges(status.dead),
    cancelled: formatRanges(status.cancelled),
    waiting: JSON.stringify(status.waiting),
    startedAtMs: status.startedAtMs,
    endedAtMs: status.endedAtMs,
    reason: status.reason,
    retryEpoch: status.retryEpoch === 0 ? null : status.retryEpoch,
  });
}

export function decodeJobCell(row: Row): JobCellStatus {
  return {
    job: jobOfRow(row),
    counts: json<ChunkCounts>(row.counts, noChunks),
    donePower: amount(row.donePower),
    done: ranges(row.done),
    dead: ranges(row.dead),
    cancelled: ranges(row.cancelled),
    waiting: json<WaitingCount[]>(row.waiting, []),
    startedAtMs: amountOrNull(row.startedAtMs),
    endedAtMs: amountOrNull(row.endedAtMs),
    reason: textOrNull(row.reason),
    retryEpoch: amount(row.retryEpoch),
  };
}

export function encodeExecution(execution: Execution): Row {
  return sparse({
    ...executionKey(execution.job, execution.edge),
    ...edgeJobsListKey(execution.edge, execution.job),
    chunks: formatRanges(execution.chunks),
    done: formatRanges(execution.done),
    running: formatRanges(execution.running),
    dead: formatRanges(execution.dead),
    power: execution.power,
    slots: execution.slots,
    startedAtMs: execution.startedAtMs,
    endedAtMs: execution.endedAtMs,
  });
}

export function decodeExecution(row: Row): Execution {
  return {
    job: jobOfRow(row),
    edge: edgeNameOf(row.sk.slice(jobRows.execution.length)),
    chunks: ranges(row.chunks),
    done: ranges(row.done),
    running: ranges(row.running),
    dead: ranges(row.dead),
    power: amount(row.power),
    slots: amount(row.slots),
    startedAtMs: amount(row.startedAtMs),
    endedAtMs: amountOrNull(row.endedAtMs),
  };
}

/** Attributes only: the row may hold more, such as where the kept output of the chunk lies. */
export function chunkAttributes(end: ChunkEnd): Record<string, unknown> {
  return {
    edge: end.edge,
    attempts: end.attempts,
    failure: JSON.stringify(end.failure),
    state: end.state,
    atMs: end.atMs,
  };
}

/** `null` for a row that no pass has written to: one that only names a kept output. */
export function decodeChunkEnd(row: Row): ChunkEnd | null {
  if (row.failure === undefined) return null;
  return {
    job: jobOfRow(row),
    chunk: Number(row.sk.slice(jobRows.chunk.length)),
    edge: edgeNameOf(text(row.edge)),
    attempts: amount(row.attempts),
    failure: json<Failure>(row.failure, 0),
    state: text(row.state) === 'dead' ? 'dead' : 'retrying',
    atMs: amount(row.atMs),
  };
}
