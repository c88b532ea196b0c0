import { isDeepStrictEqual } from 'node:util';
import {
  type ChunkRetry,
  type Intent,
  newSlice,
  noEntries,
  type Refusal,
  type Slice,
} from '../../../core/model/cell.ts';
import { type Chunking, jobStates } from '../../../core/model/job.ts';
import type { CellId, EdgeName, JobId } from '../../../core/model/names.ts';
import { formatRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { Failure } from '../../../core/protocol/progress-report.ts';
import type { StandIns } from '../../../core/services/service.ts';
import { intentKey, sliceKey } from '../keys.ts';
import {
  decodeRollout,
  decodeTurn,
  decodeWish,
  encodeRollout,
  encodeTurn,
  encodeWish,
} from '../services/rollout-parts.ts';
import type { Row } from '../table.ts';
import { decodeCancelledRanges, encodeCancelledRanges } from './cancelled-ranges.ts';
import { isChunking, isIntentSpec, isRetries, isServiceChunking } from './job-shapes.ts';
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
import { decodePart, encodePart } from './rows-spec.ts';
import {
  isAmount,
  isFailure,
  isText,
  isTime,
  isWhole,
  listOf,
  orNull,
  recordOf,
  tupleOf,
} from './shapes.ts';

/**
 * A job in a cell is two rows of different trees: `ASK#` says what its user wants (the API writes
 * it), `SHARE#` what the scheduler made of it (passes write it). What users may change later is an
 * attribute of its own: `priority`, `retries`, `cancelled`, `retryEpoch` and `held` can be updated
 * without reading the row.
 *
 * A new job is one row: `given` names its chunks in this cell, and stands for the slice until a
 * pass writes the first one. A job that is placed as it is stored has been seen by a pass: what
 * that wrote down beside the chunks (`placedSlice`) is here, too.
 */
export function encodeIntent(
  cell: CellId,
  job: JobId,
  intent: Intent,
  initialRanges?: RangeSet,
): Row {
  const { priority, retries } = intent.spec;
  return {
    ...(initialRanges === undefined ? {} : { given: formatRanges(initialRanges) }),
    ...intentKey(cell, job),
    spec: intentSpecText(intent.spec),
    priority,
    retries: JSON.stringify(retries),
    specHash: intent.specHash,
    ...(intent.createdBy === null ? {} : { by: intent.createdBy }),
    cut: JSON.stringify(intent.chunking),
    submittedAtMs: intent.submittedAtMs,
    cancelled: intent.cancelled,
    ...encodeCancelledRanges(intent),
    retryEpoch: intent.retryEpoch,
    held: intent.blockedByDependencies,
    ...(intent.foldedByCell ? { byCell: true } : {}),
    ...encodePart(intent.submission),
    ...(intent.rollout === undefined ? {} : { wish: encodeWish(intent.rollout) }),
    ...(intent.turn === undefined ? {} : { turn: encodeTurn(intent.turn) }),
  };
}

/** Without what users may change by itself. */
export function intentSpecText(spec: Intent['spec']): string {
  const { priority, retries, ...own } = spec;
  return JSON.stringify(own);
}

export function decodeIntent(row: Row, known = newKnownTexts()): Intent {
  const spec = decodeIntentSpec(row, known.specs);
  const chunking = spec === null ? null : decodeChunking(row, spec, known.chunkings);
  if (spec === null || chunking === null) {
    throw new Error(`${row.pk} ${row.sk} does not say what it is of`);
  }
  return {
    spec,
    specHash: text(row.specHash),
    createdBy: textOrNull(row.by),
    chunking,
    submittedAtMs: time(row.submittedAtMs),
    cancelled: flag(row.cancelled),
    ...decodeCancelledRanges(row),
    retryEpoch: whole(row.retryEpoch),
    blockedByDependencies: flag(row.held),
    foldedByCell: flag(row.byCell),
    ...decodePart(row),
    ...decodeWish(row.wish),
    ...decodeTurn(row.turn),
  };
}

/**
 * What was read before, by how it is written. Of thousands of jobs that wait most say the same, and
 * to read that anew was half of what it took to put their cell together. What is equal is one
 * object then.
 */
export type KnownTexts = {
  readonly specs: Map<string, Intent['spec']>;
  readonly chunkings: Map<string, Chunking>;
};

export function newKnownTexts(): KnownTexts {
  return { specs: new Map(), chunkings: new Map() };
}

function decodeIntentSpec(row: Row, known: KnownTexts['specs']): Intent['spec'] | null {
  const priority = amount(row.priority);
  const key = `${priority} ${text(row.retries)} ${text(row.spec)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  type OwnSpec = Omit<Intent['spec'], 'priority' | 'retries'>;
  const own = json<OwnSpec | null>(row.spec, isIntentSpec, null);
  const retries = json<Intent['spec']['retries'] | null>(row.retries, isRetries, null);
  if (own === null || retries === null) return null;
  const spec = { ...own, priority, retries };
  known.set(key, spec);
  return spec;
}

function decodeChunking(
  row: Row,
  { restart }: Intent['spec'],
  known: KnownTexts['chunkings'],
): Chunking | null {
  const isService = restart !== undefined;
  const key = `${isService} ${text(row.cut)}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const shape = isService ? isServiceChunking : isChunking;
  const chunking = json<Chunking | null>(row.cut, shape, null);
  if (chunking !== null) known.set(key, chunking);
  return chunking;
}

/**
 * The slice of a job that no pass has touched yet, as its intent tells it; `null` where it tells
 * none.
 */
export function initialSlice(row: Row): Slice | null {
  const given = textOrNull(row.given);
  return given === null ? null : { ...newSlice(ranges(given)), ...seenBy(row) };
}

/** What a first pass over a slice changes of it. */
function seenBy(row: Row): Pick<Slice, 'reportedReasons' | 'countedAs' | 'lastEventAtMs'> {
  return {
    reportedReasons: text(row.told).split(',').filter(Boolean),
    countedAs: word(row.counted, jobStates, null),
    lastEventAtMs: timeOrNull(row.eventAtMs),
  };
}

/** The attributes of a slice that says nothing else; `null` of one that needs a row of its own. */
export function placedSlice(slice: Slice): Record<string, unknown> | null {
  const { reportedReasons, countedAs, lastEventAtMs, ranges: given } = slice;
  const told = reportedReasons.join(',');
  const plain = { ...newSlice(given), reportedReasons, countedAs, lastEventAtMs };
  if (!isDeepStrictEqual(plain, slice)) return null;
  return sparse({ told, counted: countedAs, eventAtMs: lastEventAtMs });
}

export function encodeSlice(cell: CellId, job: JobId, slice: Slice): Row {
  return sparse({
    ...sliceKey(cell, job),
    ranges: formatRanges(slice.ranges),
    done: formatRanges(slice.done),
    dead: formatRanges(slice.dead),
    cancelled: formatRanges(slice.cancelled),
    retries: JSON.stringify([...slice.retries].map(retryText)),
    losses: JSON.stringify([...slice.losses]),
    refusals: JSON.stringify([...slice.refusals]),
    retryEpoch: slice.retryEpoch,
    revived: formatRanges(slice.revived),
    attemptBase: slice.attemptBase,
    attemptsUsed: slice.attemptsUsed === 0 ? null : slice.attemptsUsed,
    told: slice.reportedReasons.join(','),
    counted: slice.countedAs,
    eventAtMs: slice.lastEventAtMs,
    byRollup: slice.foldedByRollup ? true : null,
    workedPower: slice.workedPower ?? null,
    rollout: slice.rollout === undefined ? null : encodeRollout(slice.rollout),
    standIns: slice.standIns === undefined ? null : JSON.stringify(slice.standIns),
    seats: slice.seats === undefined ? null : JSON.stringify([...slice.seats]),
    startedAtMs: slice.startedAtMs,
    past: JSON.stringify(
      [...slice.doneBeforeReopening].map(([edge, done]) => [edge, formatRanges(done)]),
    ),
  });
}

export function decodeSlice(row: Row): Slice {
  const workedPower = amountOrNull(row.workedPower);
  return {
    ranges: ranges(row.ranges),
    done: ranges(row.done),
    dead: ranges(row.dead),
    cancelled: ranges(row.cancelled),
    retries: mapOf(json<RetryText[]>(row.retries, areRetries, []).map(retryOf)),
    losses: mapOf(json<[number, number][]>(row.losses, areLosses, [])),
    refusals: mapOf(json<[EdgeName, Refusal][]>(row.refusals, areRefusals, [])),
    retryEpoch: whole(row.retryEpoch),
    revived: ranges(row.revived),
    attemptBase: whole(row.attemptBase),
    attemptsUsed: whole(row.attemptsUsed),
    ...seenBy(row),
    foldedByRollup: flag(row.byRollup),
    startedAtMs: timeOrNull(row.startedAtMs),
    doneBeforeReopening: mapOf(
      json<[EdgeName, string][]>(row.past, arePast, []).map(([edge, done]) => [edge, ranges(done)]),
    ),
    ...(workedPower !== null && { workedPower }),
    ...decodeRollout(row.rollout),
    ...standInsOf(row),
    ...seatsOf(row),
  };
}

function mapOf<K, V>(entries: readonly (readonly [K, V])[]): ReadonlyMap<K, V> {
  return entries.length === 0 ? noEntries() : new Map(entries);
}

function standInsOf(row: Row): Pick<Slice, 'standIns'> {
  const standIns = json<StandIns | null>(row.standIns, areStandIns, null);
  return standIns === null ? {} : { standIns };
}

function seatsOf(row: Row): Pick<Slice, 'seats'> {
  const seats = json<[EdgeName, number][] | null>(row.seats, areSeats, null);
  return seats === null ? {} : { seats: new Map(seats) };
}

const areStandIns = recordOf({ atMs: isTime, readyAtMs: orNull(isTime) });
const areSeats = listOf(tupleOf(isText, isWhole));
const isRetry = tupleOf(isWhole, isWhole, isTime, isFailure);
const isRestart = tupleOf(isWhole, isWhole, isTime, isFailure, isWhole);
const areRetries = listOf((value) => isRetry(value) || isRestart(value));
const areLosses = listOf(tupleOf(isWhole, isAmount));
const areRefusals = listOf(tupleOf(isText, recordOf({ reason: isText, atMs: isTime })));
const arePast = listOf(tupleOf(isText, isText));

type RetryText = [chunk: number, failures: number, dueAtMs: number, last: Failure, streak?: number];

function retryText([chunk, retry]: [number, ChunkRetry]): RetryText {
  const { failures, dueAtMs, last, streak } = retry;
  return streak === undefined
    ? [chunk, failures, dueAtMs, last]
    : [chunk, failures, dueAtMs, last, streak];
}

function retryOf([chunk, failures, dueAtMs, last, streak]: RetryText): [number, ChunkRetry] {
  return [chunk, { failures, dueAtMs, last, ...(streak !== undefined && { streak }) }];
}
