import { storedIntervalsMax } from '../../../core/model/limits.ts';
import { parseRanges, type RangeSet } from '../../../core/model/ranges.ts';

/**
 * Reads the values of stored rows. An attribute that an older version did not write reads as its
 * default; nested values that no condition or filter needs are one JSON text, which is smaller and
 * several times faster to read than a map.
 */
export function text(value: unknown, otherwise = ''): string {
  return typeof value === 'string' ? value : otherwise;
}

export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function amount(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
}

export function amountOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function json<T>(value: unknown, otherwise: T): T {
  return typeof value === 'string' ? (JSON.parse(value) as T) : otherwise;
}

/**
 * Ranges we wrote ourselves: invalid text means a damaged row, which must not pass for an empty
 * set.
 */
export function ranges(value: unknown): RangeSet {
  const set = parseRanges(text(value), storedIntervalsMax);
  if (set === null) throw new Error(`a stored row holds invalid ranges: ${text(value)}`);
  return set;
}

/**
 * A row without what reads the same when it is absent: empty texts and lists, flags that are not
 * set, `null`. Most of a row that just began is that, and every attribute costs its bytes in each
 * write, read and change record. Not for rows in which a condition compares such an attribute.
 */
export function sparse<R extends object>(row: R): R {
  const kept = Object.entries(row).filter(([, value]) => !emptyValues.has(value));
  return Object.fromEntries(kept) as R;
}

const emptyValues: ReadonlySet<unknown> = new Set(['', '[]', '{}', false, null]);
