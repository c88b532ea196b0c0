import { crc32 } from 'node:zlib';
import {
  count,
  emptyRanges,
  first,
  firstIntervals,
  formatRanges,
  isEmpty,
  parseRanges,
  type RangeSet,
  subtract,
} from '../../core/model/ranges.ts';
import { isRecord } from '../../core/protocol/json.ts';
import type { Failure } from '../../core/protocol/progress-report.ts';
import { journalIntervalsMax, journalLineBytesMax } from '../limits.ts';

/**
 * One line of the journal: eight hex digits of CRC-32, a space, JSON. What it says of an edge is
 * named by `e`.
 */
export type JournalRecord =
  /** The work document that was applied last, as it came. */
  | { readonly k: 'work'; readonly e: string; readonly w: unknown }
  /** A chunk ended: `x` is `null` when it is done. */
  | {
      readonly k: 'end';
      readonly e: string;
      readonly j: string;
      readonly c: number;
      readonly t: number;
      readonly x: Failure | null;
    }
  /** A chunk ended like this, and its results are not safe yet. */
  | {
      readonly k: 'sending';
      readonly e: string;
      readonly j: string;
      readonly c: number;
      readonly t: number;
      readonly x: Failure | null;
    }
  /** They need not be sent: the chunk runs again, or is somebody else's. */
  | { readonly k: 'unsent'; readonly e: string; readonly j: string; readonly c: number }
  /** Results that need not be kept: ranges. */
  | { readonly k: 'forget'; readonly e: string; readonly j: string; readonly r: string }
  /** Chunks that are done, of one attempt. */
  | {
      readonly k: 'done';
      readonly e: string;
      readonly j: string;
      readonly t: number;
      readonly r: string;
    }
  /** Report sequence numbers below this may have been used. */
  | { readonly k: 'sequence'; readonly e: string; readonly n: number }
  | { readonly k: 'contact'; readonly e: string; readonly at: number }
  /** So many starts of the agent in a row, this one included, that had no contact yet. */
  | { readonly k: 'start'; readonly e: string; readonly n: number }
  /** The edge began a new life: everything before is another's. */
  | { readonly k: 'reset'; readonly e: string }
  /** What an executor must find again after a restart: batch ids, work already done. */
  | { readonly k: 'note'; readonly x: string; readonly key: string; readonly v: string | null };

export function encodeRecord(record: JournalRecord): string {
  const text = JSON.stringify(record);
  return `${checksum(text)} ${text}\n`;
}

/** Chunks that are done, in as many records as it takes for each to be read again. */
export function doneRecords(
  edge: string,
  job: string,
  attempt: number,
  chunks: RangeSet,
): JournalRecord[] {
  if (count(chunks) === 1) {
    return [{ k: 'end', e: edge, j: job, c: first(chunks)!, t: attempt, x: null }];
  }
  const records: JournalRecord[] = [];
  let rest = chunks;
  while (!isEmpty(rest)) {
    const part = firstIntervals(rest, journalIntervalsMax);
    records.push({ k: 'done', e: edge, j: job, t: attempt, r: formatRanges(part) });
    rest = subtract(rest, part);
  }
  return records;
}

/** The chunks that a record names; none where that makes no sense. */
export function chunksOfRecord(record: JournalRecord & { k: 'done' | 'forget' }): RangeSet {
  return parseRanges(record.r) ?? emptyRanges;
}

/** `null` for a line that is torn, damaged or not ours. */
export function decodeRecord(line: string): JournalRecord | null {
  if (line.length < 10 || line.length > journalLineBytesMax || line[8] !== ' ') return null;
  const text = line.slice(9);
  if (line.slice(0, 8) !== checksum(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && typeof value.k === 'string' ? (value as JournalRecord) : null;
  } catch {
    return null;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
