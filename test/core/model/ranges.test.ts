import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chunksOf,
  count,
  emptyRanges,
  endOfInterval,
  equal,
  first,
  formatRanges,
  fromChunks,
  has,
  intersect,
  last,
  longestInterval,
  nth,
  parseRanges,
  rangeOf,
  subtract,
  take,
  takeLast,
  union,
  unionAll,
} from '../../../core/model/ranges.ts';

/** The oracle is a plain Set: whatever a Set of numbers does, ranges do. */

const chunks = fc.array(fc.nat({ max: 60 }), { maxLength: 40 });

function sorted(set: Set<number>): number[] {
  return [...set].sort((a, b) => a - b);
}

test('ranges hold what a set of numbers holds', () => {
  fc.assert(
    fc.property(chunks, (list) => {
      const ranges = fromChunks(list);
      const set = new Set(list);
      expect([...chunksOf(ranges)]).toEqual(sorted(set));
      expect(count(ranges)).toBe(set.size);
      expect(first(ranges)).toBe(sorted(set)[0]);
      expect(last(ranges)).toBe(sorted(set).at(-1));
      expect(sorted(set).map((_, i) => nth(ranges, i))).toEqual(sorted(set));
      expect(nth(ranges, set.size)).toBeUndefined();
      for (let chunk = 0; chunk <= 61; chunk++) expect(has(ranges, chunk)).toBe(set.has(chunk));
    }),
  );
});

test('union, subtract and intersect agree with sets', () => {
  fc.assert(
    fc.property(chunks, chunks, (left, right) => {
      const a = new Set(left);
      const b = new Set(right);
      const both = [fromChunks(left), fromChunks(right)] as const;
      expect([...chunksOf(union(...both))]).toEqual(sorted(new Set([...a, ...b])));
      expect([...chunksOf(subtract(...both))]).toEqual(
        sorted(new Set([...a].filter((chunk) => !b.has(chunk)))),
      );
      expect([...chunksOf(intersect(...both))]).toEqual(
        sorted(new Set([...a].filter((chunk) => b.has(chunk)))),
      );
    }),
  );
});

test('every result is in the one normal form', () => {
  fc.assert(
    fc.property(chunks, chunks, fc.nat({ max: 50 }), (left, right, n) => {
      const a = fromChunks(left);
      const b = fromChunks(right);
      const results = [a, union(a, b), subtract(a, b), intersect(a, b), take(a, n).taken];
      for (const result of [...results, take(a, n).rest, takeLast(a, n).taken, unionAll([a, b])]) {
        for (let i = 1; i < result.length; i++) expect(result[i]!).toBeGreaterThan(result[i - 1]!);
        expect(equal(result, fromChunks(chunksOf(result)))).toBe(true);
      }
    }),
  );
});

test('many sets are united like two and two', () => {
  fc.assert(
    fc.property(fc.array(chunks, { maxLength: 8 }), (lists) => {
      const sets = lists.map(fromChunks);
      expect(unionAll(sets)).toEqual(sets.reduce(union, emptyRanges));
    }),
  );
});

test('take and takeLast split a set at either end', () => {
  fc.assert(
    fc.property(chunks, fc.nat({ max: 50 }), (list, n) => {
      const set = fromChunks(list);
      const all = [...chunksOf(set)];
      const front = take(set, n);
      expect([...chunksOf(front.taken)]).toEqual(all.slice(0, n));
      expect([...chunksOf(front.rest)]).toEqual(all.slice(n));
      const back = takeLast(set, n);
      expect([...chunksOf(back.taken)]).toEqual(n === 0 ? [] : all.slice(-n));
      expect(count(back.rest) + count(back.taken)).toBe(all.length);
    }),
  );
});

test('intervals can be found', () => {
  fc.assert(
    fc.property(chunks, fc.nat({ max: 61 }), (list, chunk) => {
      const set = fromChunks(list);
      let end = chunk;
      while (has(set, end)) end++;
      expect(endOfInterval(set, chunk)).toBe(end);
      const longest = longestInterval(set);
      let most = 0;
      for (let i = 0; i < set.length; i += 2) most = Math.max(most, set[i + 1]! - set[i]!);
      expect(longest === null ? 0 : longest.end - longest.start).toBe(most);
    }),
  );
});

test('the text form goes there and back', () => {
  fc.assert(
    fc.property(chunks, (list) => {
      const set = fromChunks(list);
      expect(parseRanges(formatRanges(set))).toEqual([...set]);
    }),
  );
  expect(formatRanges(fromChunks([0, 1, 2, 41, 43]))).toBe('0-2,41,43');
  expect(formatRanges(rangeOf(0, 42))).toBe('0-41');
});

test('text that is not ranges is refused', () => {
  for (const text of [
    'a',
    '1-',
    '-1',
    '2-1',
    '1,1',
    '3,1',
    '01',
    '1.5',
    '1e3',
    '0-9,5',
    ' 1',
    '1,',
  ]) {
    expect(parseRanges(text), text).toBeNull();
  }
  expect(parseRanges('1,2,3,5', 3)).toBeNull();
  expect(parseRanges('9007199254740993')).toBeNull();
});
