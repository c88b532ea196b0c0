/**
 * A set of chunk numbers, kept as sorted disjoint intervals: the data structure everything else is
 * made of.
 *
 * A job is `[0,n)`; slices, leases and what an agent still owes are subsets of it. All operations
 * cost time in the number of intervals, never in the number of chunks. The representation is a flat
 * list `[start, end, start, end, …]` with exclusive ends, strictly increasing, so that two equal
 * sets are equal element by element. The text form is `0-41,43` (inclusive ends); the empty set is
 * the empty string.
 */

declare const rangeSetBrand: unique symbol;
export type RangeSet = readonly number[] & { readonly [rangeSetBrand]: true };

/** Every set is made in this file: the numbers are sorted and disjoint. Costs nothing. */
function made(numbers: readonly number[]): RangeSet {
  return numbers as RangeSet;
}

export const emptyRanges: RangeSet = made(Object.freeze([]));

/** The half-open interval `[start, end)`. */
export function rangeOf(start: number, end: number): RangeSet {
  return end > start ? made([start, end]) : emptyRanges;
}

export function isEmpty(set: RangeSet): boolean {
  return set.length === 0;
}

/** How many chunks the set holds. */
export function count(set: RangeSet): number {
  let total = 0;
  for (let i = 0; i < set.length; i += 2) total += set[i + 1]! - set[i]!;
  return total;
}

/** How many intervals the set holds: what it costs to store or send. */
export function intervals(set: RangeSet): number {
  return set.length / 2;
}

export function first(set: RangeSet): number | undefined {
  return set[0];
}

export function last(set: RangeSet): number | undefined {
  return set.length === 0 ? undefined : set[set.length - 1]! - 1;
}

/** The chunk that `index` others of the set come before. */
export function nth(set: RangeSet, index: number): number | undefined {
  let left = index;
  for (let i = 0; i < set.length; i += 2) {
    const length = set[i + 1]! - set[i]!;
    if (left < length) return set[i]! + left;
    left -= length;
  }
  return undefined;
}

export function has(set: RangeSet, chunk: number): boolean {
  const at = firstIntervalEndingAfter(set, chunk);
  return at < set.length && set[at]! <= chunk;
}

export function equal(a: RangeSet, b: RangeSet): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The set of the given chunk numbers, in any order, with repetitions. */
export function fromChunks(chunks: Iterable<number>): RangeSet {
  const sorted = [...chunks].sort((a, b) => a - b);
  const out: number[] = [];
  for (const chunk of sorted) append(out, chunk, chunk + 1);
  return made(out);
}

export function* chunksOf(set: RangeSet): Generator<number> {
  for (let i = 0; i < set.length; i += 2) {
    for (let chunk = set[i]!; chunk < set[i + 1]!; chunk++) yield chunk;
  }
}

/**
 * Adds `[start, end)`, which must not begin before the last interval begins, joining what touches.
 */
function append(out: number[], start: number, end: number): void {
  if (end <= start) return;
  const lastEnd = out[out.length - 1];
  if (lastEnd !== undefined && start <= lastEnd) {
    if (end > lastEnd) out[out.length - 1] = end;
  } else {
    out.push(start, end);
  }
}

export function union(a: RangeSet, b: RangeSet): RangeSet {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const [first, second] = a[0]! <= b[0]! ? [a, b] : [b, a];
  // What ends before the other begins is copied as it is.
  let i = firstIntervalEndingAfter(first, second[0]! - 1);
  let j = 0;
  const out = first.slice(0, i);
  while (i < first.length && j < second.length) {
    if (first[i]! <= second[j]!) {
      append(out, first[i]!, first[i + 1]!);
      i += 2;
    } else {
      append(out, second[j]!, second[j + 1]!);
      j += 2;
    }
  }
  const rest = i < first.length ? first.slice(i) : second.slice(j);
  let at = 0;
  for (; at < rest.length && rest[at]! <= out[out.length - 1]!; at += 2) {
    append(out, rest[at]!, rest[at + 1]!);
  }
  return made(out.concat(rest.slice(at)));
}

/** The union of many sets, in one sort instead of one merge for each. */
export function unionAll(sets: readonly RangeSet[]): RangeSet {
  const filled = sets.filter((set) => set.length > 0);
  if (filled.length === 0) return emptyRanges;
  if (filled.length === 1) return filled[0]!;
  if (filled.length === 2) return union(filled[0]!, filled[1]!);
  const starts: [number, number][] = [];
  for (const set of filled) {
    for (let i = 0; i < set.length; i += 2) starts.push([set[i]!, set[i + 1]!]);
  }
  starts.sort((a, b) => a[0] - b[0]);
  const out: number[] = [];
  for (const [start, end] of starts) append(out, start, end);
  return made(out);
}

export function subtract(a: RangeSet, b: RangeSet): RangeSet {
  if (a.length === 0 || b.length === 0) return a;
  // What lies before all of it is copied as it is, and so is what lies behind it.
  const from = firstIntervalEndingAfter(a, b[0]!);
  const end = b[b.length - 1]!;
  if (from >= a.length || a[from]! >= end) return a;
  const out = a.slice(0, from);
  let j = 0;
  for (let i = from; i < a.length; i += 2) {
    if (a[i]! >= end) return made(out.concat(a.slice(i)));
    let start = a[i]!;
    const before = a[i + 1]!;
    while (j < b.length && b[j + 1]! <= start) j += 2;
    for (let k = j; k < b.length && b[k]! < before; k += 2) {
      if (b[k]! > start) out.push(start, b[k]!);
      start = Math.max(start, b[k + 1]!);
    }
    if (start < before) out.push(start, before);
  }
  return made(out);
}

export function intersect(a: RangeSet, b: RangeSet): RangeSet {
  const out: number[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const start = Math.max(a[i]!, b[j]!);
    const end = Math.min(a[i + 1]!, b[j + 1]!);
    if (start < end) out.push(start, end);
    if (a[i + 1]! < b[j + 1]!) i += 2;
    else j += 2;
  }
  return made(out);
}

/** The first `n` chunks, and the rest. */
export function take(set: RangeSet, n: number): { taken: RangeSet; rest: RangeSet } {
  const taken: number[] = [];
  let left = n;
  for (let i = 0; i < set.length; i += 2) {
    const start = set[i]!;
    const end = set[i + 1]!;
    if (left <= 0) return { taken: made(taken), rest: made(set.slice(i)) };
    if (end - start > left) {
      taken.push(start, start + left);
      return { taken: made(taken), rest: made([start + left, end, ...set.slice(i + 2)]) };
    }
    taken.push(start, end);
    left -= end - start;
  }
  return { taken: made(taken), rest: emptyRanges };
}

/** The first `n` intervals: what fits where intervals are what costs. */
export function firstIntervals(set: RangeSet, n: number): RangeSet {
  return 2 * n >= set.length ? set : made(set.slice(0, 2 * n));
}

/** The last `n` chunks, and the rest: what a thief takes. */
export function takeLast(set: RangeSet, n: number): { taken: RangeSet; rest: RangeSet } {
  const { taken, rest } = take(set, Math.max(0, count(set) - n));
  return { taken: rest, rest: taken };
}

export function formatRanges(set: RangeSet): string {
  let text = '';
  for (let i = 0; i < set.length; i += 2) {
    const start = set[i]!;
    const end = set[i + 1]! - 1;
    if (i > 0) text += ',';
    text += start === end ? `${start}` : `${start}-${end}`;
  }
  return text;
}

const numberPattern = /^(0|[1-9]\d{0,15})$/;

function parseBound(text: string): number | null {
  if (!numberPattern.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/**
 * Reads hostile text: `null` when it is not the canonical form (sorted, disjoint, no leading zeros,
 * bounded).
 */
export function parseRanges(text: string, intervalsMax = 10_000): RangeSet | null {
  if (text === '') return emptyRanges;
  const out: number[] = [];
  const parts = text.split(',', intervalsMax + 1);
  if (parts.length > intervalsMax) return null;
  for (const part of parts) {
    const dash = part.indexOf('-');
    const start = parseBound(dash < 0 ? part : part.slice(0, dash));
    const end = dash < 0 ? start : parseBound(part.slice(dash + 1));
    if (start === null || end === null || end < start) return null;
    const before = out[out.length - 1];
    if (before !== undefined && start <= before) {
      if (start < before) return null;
      out[out.length - 1] = end + 1;
    } else {
      out.push(start, end + 1);
    }
  }
  return made(out);
}

/** Where the interval that holds `chunk` ends; `chunk` itself when it is not in the set. */
export function endOfInterval(set: RangeSet, chunk: number): number {
  const at = firstIntervalEndingAfter(set, chunk);
  return at < set.length && set[at]! <= chunk ? set[at + 1]! : chunk;
}

/** The longest interval, the earliest of equals; `null` of the empty set. */
export function longestInterval(set: RangeSet): { start: number; end: number } | null {
  if (set.length === 0) return null;
  let best = 0;
  for (let i = 2; i < set.length; i += 2) {
    if (set[i + 1]! - set[i]! > set[best + 1]! - set[best]!) best = i;
  }
  return { start: set[best]!, end: set[best + 1]! };
}

function firstIntervalEndingAfter(set: RangeSet, chunk: number): number {
  let low = 0;
  let high = set.length / 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (set[2 * middle + 1]! <= chunk) low = middle + 1;
    else high = middle;
  }
  return 2 * low;
}
