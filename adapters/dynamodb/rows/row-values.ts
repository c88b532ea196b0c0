import { chunksMax, shownLengthMax, storedIntervalsMax } from '../../../core/model/limits.ts';
import { last, parseRanges, type RangeSet } from '../../../core/model/ranges.ts';
import { isCount } from '../../../core/protocol/json.ts';
import { isTime, type Shape } from './shapes.ts';

/**
 * Reads the values of stored rows. An attribute that an older version did not write reads as its
 * default; one that is there and is of another kind makes the row unreadable, which is thrown here
 * and is a value again where rows are put together (`unreadable-row.ts`). Nothing is guessed: a
 * number that cannot be read must not pass for zero.
 *
 * Nested values that no condition or filter needs are one JSON text, which is smaller and several
 * times faster to read than a map.
 */
export function text(value: unknown, otherwise = ''): string {
  return textOrNull(value) ?? otherwise;
}

export function textOrNull(value: unknown): string | null {
  if (isAbsent(value)) return null;
  return typeof value === 'string' ? value : unreadable('a text', value);
}

export function amount(value: unknown, otherwise = 0): number {
  return amountOrNull(value) ?? otherwise;
}

export function amountOrNull(value: unknown): number | null {
  if (isAbsent(value)) return null;
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
    ? value
    : unreadable('a number', value);
}

export function time(value: unknown, otherwise = 0): number {
  return timeOrNull(value) ?? otherwise;
}

/** Since 1970, and no later than a date can be. */
export function timeOrNull(value: unknown): number | null {
  if (isAbsent(value)) return null;
  return isTime(value) ? (value as number) : unreadable('a time', value);
}

/** A number that counts: whole, not negative, and not beyond what is exact. */
export function whole(value: unknown, otherwise = 0): number {
  if (isAbsent(value)) return otherwise;
  return isCount(value) ? value : unreadable('a whole number', value);
}

export function flag(value: unknown): boolean {
  if (isAbsent(value)) return false;
  return typeof value === 'boolean' ? value : unreadable('true or false', value);
}

export function word<T extends string, D>(
  value: unknown,
  words: readonly T[],
  otherwise: D,
): T | D {
  if (isAbsent(value)) return otherwise;
  return words.find((it) => it === value) ?? unreadable(`one of ${words.join(', ')}`, value);
}

export function json<T>(value: unknown, shape: Shape, otherwise: T): T {
  if (isAbsent(value)) return otherwise;
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : undefined;
  return shape(parsed) ? (parsed as T) : unreadable('as it should be', value);
}

/**
 * Ranges we wrote ourselves: invalid text means a damaged row, which must not pass for an empty
 * set.
 */
export function ranges(value: unknown): RangeSet {
  const set = parseRanges(text(value), storedIntervalsMax);
  if (set === null || (last(set) ?? 0) >= chunksMax) return unreadable('ranges', value);
  return set;
}

/** A row without an attribute and one with an empty one read the same. */
function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function unreadable(what: string, value: unknown): never {
  const shown = JSON.stringify(value)?.slice(0, shownLengthMax);
  throw new Error(`an attribute of a stored row is not ${what}: ${shown}`);
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
