import {
  type ChunkCounts,
  type Chunking,
  type JobState,
  jobStates,
  noChunks,
} from '../../../core/model/job.ts';
import { type JobStatus, percentOf } from '../../../core/model/job-status.ts';
import { type CellId, cellIdOf, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type {
  ChunkEnd,
  Execution,
  FoldedStatus,
  JobCellStatus,
  Spending,
  WaitingCount,
} from '../../../core/model/plan.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { encodePercents, parsePercents } from '../../../core/protocol/percents.ts';
import type { Failure } from '../../../core/protocol/progress-report.ts';
import type { ServiceCounts } from '../../../core/services/service.ts';
import { positionOf, timeOfPosition } from '../jobs/job-position.ts';
import {
  edgeJobsListKey,
  executionKey,
  jobCellKey,
  jobListKey,
  jobOfRow,
  statusKey,
} from '../keys.ts';
import { foldedBy, jobRows, statusNews } from '../schema.ts';
import { encodeGenerations, generationsIn } from '../services/rollout-parts.ts';
import type { Row } from '../table.ts';
import { decodeCancelledRanges, encodeCancelledRanges } from './cancelled-ranges.ts';
import {
  isChunking,
  isCounts,
  isServiceChunking,
  isServiceCounts,
  isWaiting,
} from './job-shapes.ts';
import {
  amount,
  amountOrNull,
  flag,
  json,
  ranges,
  sparse,
  text,
  textOrNull,
  time,
  timeOrNull,
  whole,
  word,
} from './row-values.ts';
import { isFailure, isText, isWhole, listOf, orNull, tableOf, tupleOf } from './shapes.ts';

const noChunking: Chunking = { chunks: 0, chunkPower: 0, lastChunkPower: 0 };

/** The rows in a job's own partition that say how it goes. Its `SPEC` row is the API's. */
export function encodeStatus(status: JobStatus): Row {
  return sparse({
    ...statusKey(status.job),
    ...jobListKey(status.pool, status.job),
    ...statusAttributes(status),
    version: status.version,
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
    ...encodeCancelledRanges(status),
    byCell: status.foldedByCell ? true : null,
    notifies: status.notifies ?? null,
    ...(status.spent !== undefined && spentAttributes(status.spent)),
  });
}

/**
 * In hundredths, because a job has its part of what it shares: added to, by whoever writes the
 * status, without reading it.
 */
export function spentAttributes(spent: Spending): Record<string, number> {
  const { rows, documents, reports, calls } = spent;
  return {
    spentRows: hundredths(rows),
    spentDocuments: hundredths(documents),
    spentReports: hundredths(reports),
    spentCalls: hundredths(calls),
  };
}

const hundredths = (value: number): number => Math.round(value * 100);

/** What earlier versions stored was not counted from the beginning. */
function spentOf(row: Row): Pick<JobStatus, 'spent'> {
  if (row.spentRows === undefined) return {};
  const spent = {
    rows: amount(row.spentRows) / 100,
    documents: amount(row.spentDocuments) / 100,
    reports: amount(row.spentReports) / 100,
    calls: amount(row.spentCalls) / 100,
  };
  return { spent };
}

/** What a fold changes. */
export function statusAttributes(status: FoldedStatus): Record<string, unknown> {
  return {
    state: status.state,
    percent: percentOf(status),
    counts: JSON.stringify(status.counts),
    donePower: status.donePower,
    workedPower: status.workedPower ?? null,
    ...(status.service !== undefined && { service: JSON.stringify(status.service) }),
    startedAtMs: status.startedAtMs,
    endedAtMs: status.endedAtMs,
    reason: status.reason,
    waiting: JSON.stringify(status.waiting),
    held: status.blockedByDependencies,
    orphaned: status.dependencyFailed,
    ...(status.failedDependency !== undefined && { orphanedBy: status.failedDependency }),
    retrying: JSON.stringify(status.retrying),
    counted: status.countedAs,
    lastEventAtMs: status.lastEventAtMs,
  };
}

/**
 * Whether a write of a status may be something to notify of: another state, and what only the
 * images before and after can say of dead chunks and of services.
 */
export function mayBeNews(next: FoldedStatus, seen: JobState | null): boolean {
  return next.state !== seen || next.counts.dead > 0 || next.service !== undefined;
}

export function newsOf(isNews: boolean): Record<string, string> {
  return { [statusNews.attribute]: isNews ? statusNews.yes : statusNews.no };
}

export function decodeStatus(row: Row): JobStatus {
  const service = serviceOf(row);
  const isCut = service.service === undefined ? isChunking : isServiceChunking;
  return {
    job: jobOfRow(row),
    name: textOrNull(row.name),
    pool: text(row.pool),
    queue: text(row.queue),
    labels: json(row.labels, tableOf(isText), {}),
    chunking: json<Chunking>(row.cut, isCut, noChunking),
    cells: json<string[]>(row.cells, listOf(isText), []).map(cellIdOf),
    dependsOn: json<string[]>(row.dependsOn, listOf(isText), []).map(jobIdOf),
    createdAtMs: time(row.createdAtMs),
    maxFailedChunks: amountOrNull(row.maxFailedChunks),
    version: whole(row.version),
    state: word(row.state, jobStates, 'pending'),
    counts: json<ChunkCounts>(row.counts, isCounts, noChunks),
    donePower: amount(row.donePower),
    ...workedPowerOf(row),
    ...service,
    startedAtMs: timeOrNull(row.startedAtMs),
    endedAtMs: timeOrNull(row.endedAtMs),
    reason: textOrNull(row.reason),
    waiting: json<WaitingCount[]>(row.waiting, isWaiting, []),
    cancelled: flag(row.cancelled),
    ...decodeCancelledRanges(row),
    blockedByDependencies: flag(row.held),
    dependencyFailed: flag(row.orphaned),
    ...failedDependencyOf(row),
    retrying: json<[CellId, number][]>(row.retrying, listOf(tupleOf(isText, isWhole)), []),
    countedAs: word(row.counted, jobStates, null),
    lastEventAtMs: timeOrNull(row.lastEventAtMs),
    foldedByCell: flag(row.byCell),
    ...(flag(row.notifies) && { notifies: true as const }),
    ...spentOf(row),
  };
}

export function encodeJobCell(cell: CellId, status: JobCellStatus): Row {
  return sparse({
    ...jobCellKey(status.job, cell),
    counts: JSON.stringify(status.counts),
    donePower: status.donePower,
    workedPower: status.workedPower ?? null,
    ...(status.service !== undefined && { service: JSON.stringify(status.service) }),
    ranges: status.ranges === undefined ? null : formatRanges(status.ranges),
    done: formatRanges(status.done),
    dead: formatRanges(status.dead),
    cancelled: formatRanges(status.cancelled),
    waiting: JSON.stringify(status.waiting),
    startedAtMs: status.startedAtMs,
    endedAtMs: status.endedAtMs,
    reason: status.reason,
    retryEpoch: status.retryEpoch === 0 ? null : status.retryEpoch,
    byCell: status.foldedByCell ? true : null,
    [foldedBy.attribute]: status.foldedByCell ? null : foldedBy.rollup,
    attemptsUsed: status.attemptsUsed === 0 ? null : status.attemptsUsed,
  });
}

export function decodeJobCell(row: Row): JobCellStatus {
  return {
    job: jobOfRow(row),
    counts: json<ChunkCounts>(row.counts, isCounts, noChunks),
    donePower: amount(row.donePower),
    ...workedPowerOf(row),
    ...serviceOf(row),
    ...(row.ranges === undefined ? {} : { ranges: ranges(row.ranges) }),
    done: ranges(row.done),
    dead: ranges(row.dead),
    cancelled: ranges(row.cancelled),
    waiting: json<WaitingCount[]>(row.waiting, isWaiting, []),
    startedAtMs: timeOrNull(row.startedAtMs),
    endedAtMs: timeOrNull(row.endedAtMs),
    reason: textOrNull(row.reason),
    retryEpoch: whole(row.retryEpoch),
    attemptsUsed: whole(row.attemptsUsed),
    foldedByCell: flag(row.byCell),
  };
}

function failedDependencyOf(row: Row): Pick<JobStatus, 'failedDependency'> {
  const job = textOrNull(row.orphanedBy);
  return job === null ? {} : { failedDependency: jobIdOf(job) };
}

function workedPowerOf(row: Row): Pick<JobCellStatus, 'workedPower'> {
  const workedPower = amountOrNull(row.workedPower);
  return workedPower === null ? {} : { workedPower };
}

function serviceOf(row: Row): Pick<JobCellStatus, 'service'> {
  const service = json<ServiceCounts | null>(row.service, orNull(isServiceCounts), null);
  return service === null ? {} : { service };
}

export function encodeExecution(execution: Execution): Row {
  return sparse({
    ...executionKey(execution.job, execution.edge),
    ...edgeJobsListKey(execution.edge, positionOf(execution.job, execution.submittedAtMs)),
    chunks: formatRanges(execution.chunks),
    done: formatRanges(execution.done),
    running: formatRanges(execution.running),
    dead: formatRanges(execution.dead),
    power: execution.power,
    slots: execution.slots,
    startedAtMs: execution.startedAtMs,
    endedAtMs: execution.endedAtMs,
    percents: execution.percents === undefined ? null : encodePercents(execution.percents),
    ready: execution.ready === undefined ? null : formatRanges(execution.ready),
    ...(execution.generations !== undefined && {
      generations: JSON.stringify(encodeGenerations(execution.generations)),
    }),
  });
}

export function decodeExecution(row: Row): Execution {
  const percents = parsePercents(row.percents);
  const ready = ranges(row.ready);
  return {
    job: jobOfRow(row),
    submittedAtMs: timeOfPosition(text(row.listSk)),
    edge: edgeNameOf(row.sk.slice(jobRows.execution.length)),
    chunks: ranges(row.chunks),
    done: ranges(row.done),
    running: ranges(row.running),
    dead: ranges(row.dead),
    power: amount(row.power),
    slots: whole(row.slots),
    startedAtMs: time(row.startedAtMs),
    endedAtMs: timeOrNull(row.endedAtMs),
    ...(percents.size > 0 && { percents }),
    ...(ready.length > 0 && { ready }),
    ...generationsIn(row.generations),
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
    attempts: whole(row.attempts),
    failure: json<Failure>(row.failure, isFailure, 0),
    state: word(row.state, ['dead', 'retrying'], 'retrying'),
    atMs: time(row.atMs),
  };
}
