import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromChunks, parseRanges } from '../../../core/model/ranges.ts';
import { percentsLengthMax, percentsMax } from '../../../core/protocol/limits.ts';
import {
  encodePercents,
  noPercents,
  type Percents,
  parsePercents,
  risenPercents,
} from '../../../core/protocol/percents.ts';

const percents = fc
  .array(fc.tuple(fc.nat(9_999_999), fc.integer({ min: 1, max: 99 })), { maxLength: percentsMax })
  .map((entries): Percents => new Map(entries));

test('what is encoded is read again, however large the numbers', () => {
  fc.assert(
    fc.property(percents, (some) => {
      expect(encodePercents(some).length).toBeLessThanOrEqual(percentsLengthMax);
      expect(parsePercents(encodePercents(some))).toEqual(some);
    }),
  );
});

test.each<[unknown, [number, number][]]>([
  [null, []],
  [7, []],
  ['', []],
  [
    '0:50,x,3:10,4:,:5,5:100,6:-1,7:0,8:1.5, 9:9',
    [
      [0, 50],
      [3, 10],
    ],
  ],
  ['1:20,1:30,1:10', [[1, 30]]],
  ['99999999:5', []],
  [`${'0:1,'.repeat(percentsLengthMax)}`, []],
])('of %j only what makes sense is read', (text, known) => {
  expect([...parsePercents(text)]).toEqual(known);
});

test('a report names so many chunks at most, and so many are kept', () => {
  const many = Array.from({ length: percentsMax + 9 }, (_, chunk) => `${chunk}:5`).join(',');
  expect(parsePercents(many).size).toBe(percentsMax);
  const running = fromChunks(Array.from({ length: 500 }, (_, chunk) => chunk));
  const later = new Map([...parsePercents(many).keys()].map((chunk) => [chunk + 200, 9] as const));
  expect(risenPercents(parsePercents(many), later, running).size).toBe(percentsMax);
});

test('it rises, of chunks that run, and is the same object when nothing did', () => {
  const running = parseRanges('0-2')!;
  const before = new Map([
    [0, 50],
    [1, 20],
  ]);
  expect(risenPercents(before, new Map([[0, 40]]), running)).toBe(before);
  expect(risenPercents(before, noPercents, running)).toBe(before);
  const risen = risenPercents(
    before,
    new Map([
      [0, 60],
      [2, 1],
      [9, 99],
    ]),
    running,
  );
  expect([...risen]).toEqual([
    [0, 60],
    [1, 20],
    [2, 1],
  ]);
  expect([...risenPercents(before, noPercents, parseRanges('1')!)]).toEqual([[1, 20]]);
});
