import { expect, test } from 'vitest';
import { chunkIntervals, countRanges } from '../../../dashboard/model/chunk-intervals.ts';

const held = { chunks: '0-9', done: '0-3', running: '4-5', dead: '7', endedAt: null };

test('what is known better is painted over what is leased', () => {
  expect(chunkIntervals([held])).toEqual([
    { start: 0, end: 10, state: 'scheduled' },
    { start: 4, end: 6, state: 'running' },
    { start: 0, end: 4, state: 'done' },
    { start: 7, end: 8, state: 'dead' },
  ]);
});

test('an edge that gave its part back holds only what it did', () => {
  const ended = { ...held, running: '', endedAt: '2026-11-01T12:00:00Z' };
  expect(chunkIntervals([ended]).map(({ state }) => state)).toEqual(['done', 'dead']);
});

test('the drawing is bounded however finely the job is cut', () => {
  const done = Array.from({ length: 9_000 }, (_, i) => String(2 * i)).join(',');
  const { length } = chunkIntervals([{ ...held, done }]);
  expect(length).toBeLessThanOrEqual(4_000);
});

test('ranges are counted, nonsense counts nothing', () => {
  expect(countRanges('0-41,43')).toBe(43);
  expect(countRanges('')).toBe(0);
  expect(countRanges('x')).toBe(0);
});
