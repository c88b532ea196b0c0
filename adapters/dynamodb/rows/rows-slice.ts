import { type ChunkRetry, type Intent, newSlice, type Slice } from '../../../core/model/cell.ts';
import type { Chunking } from '../../../core/model/job.ts';
import type { CellId, EdgeName, JobId } from '../../../core/model/names.ts';
import { formatRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { Failure } from '../../../core/protocol/progress-report.ts';
import { intentKey, sliceKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, json, ranges, sparse, text } from './row-values.ts';

/**
 * A job in a cell is two rows of different trees: `ASK#` says what its user wants (the API writes
 * it), `SHARE#` what the scheduler made of it (passes write it). What users may change later is an
 * attribute of its own: `priority`, `retries`, `cancelled`, `retryEpoch` and `held` can be updated
 * without reading the row.
 *
 * A new job is one row: `given` names its chunks in this cell, and stands for the slice until a
 * pass writes the first one.
 */
export function encodeIntent(
  cell: CellId,
  job: JobId,
  intent: Intent,
  initialRanges?: RangeSet,
): Row {
  const { priority, retries, ...spec } = intent.spec;
  return {
    ...(initialRanges === undefined ? {} : { given: formatRanges(initialRanges) }),
    ...intentKey(cell, job),
    spec: JSON.stringify(spec),
    priority,
    retries: JSON.stringify(retries),
    specHash: intent.specHash,
    cut: JSON.stringify(intent.chunking),
    submittedAtMs: intent.submittedAtMs,
    cancelled: intent.cancelled,
    retryEpoch: intent.retryEpoch,
    held: intent.blockedByDependencies,
  };
}

export function decodeIntent(row: Row): Intent {
  const spec = json<Omit<Intent['spec'], 'priority' | 'retries'> | null>(row.spec, null);
  const retries = json<Intent['spec']['retries'] | null>(row.retries, null);
  if (spec === null || retries === null) throw new Error(`${row.pk} ${row.sk} holds no spec`);
  return {
    spec: { ...spec, priority: amount(row.priority), retries },
    specHash: text(row.specHash),
    chunking: json<Chunking>(row.cut, { chunks: 0, chunkPower: 0, lastChunkPower: 0 }),
    submittedAtMs: amount(row.submittedAtMs),
    cancelled: row.cancelled === true,
    retryEpoch: amount(row.retryEpoch),
    blockedByDependencies: row.held === true,
  };
}

/**
 * The slice of a job that no pass has touched yet, as its intent tells it; `null` where it tells
 * none.
 */
export function initialSlice(row: Row): Slice | null {
  return row.given === undefined ? null : newSlice(ranges(row.given));
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
    told: slice.reportedReasons.join(','),
    startedAtMs: slice.startedAtMs,
    past: JSON.stringify(
      [...slice.doneBeforeReopening].map(([edge, done]) => [edge, formatRanges(done)]),
    ),
  });
}

export function decodeSlice(row: Row): Slice {
  return {
    ranges: ranges(row.ranges),
    done: ranges(row.done),
    dead: ranges(row.dead),
    cancelled: ranges(row.cancelled),
    retries: new Map(json<RetryText[]>(row.retries, []).map(retryOf)),
    losses: new Map(json<[number, number][]>(row.losses, [])),
    refusals: new Map(json<[EdgeName, { reason: string; atMs: number }][]>(row.refusals, [])),
    retryEpoch: amount(row.retryEpoch),
    revived: ranges(row.revived),
    attemptBase: amount(row.attemptBase),
    reportedReasons: typeof row.told === 'string' && row.told !== '' ? row.told.split(',') : [],
    startedAtMs: amountOrNull(row.startedAtMs),
    doneBeforeReopening: new Map(
      json<[EdgeName, string][]>(row.past, []).map(([edge, done]) => [edge, ranges(done)]),
    ),
  };
}

type RetryText = [chunk: number, failures: number, dueAtMs: number, last: Failure];

function retryText([chunk, retry]: [number, ChunkRetry]): RetryText {
  return [chunk, retry.failures, retry.dueAtMs, retry.last];
}

function retryOf([chunk, failures, dueAtMs, last]: RetryText): [number, ChunkRetry] {
  return [chunk, { failures, dueAtMs, last }];
}
