import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  liveChunksPerEdgeMax,
  liveRenewMs,
  liveWishesBytesMax,
  liveWishMs,
} from '../../../core/live/limits.ts';
import {
  encodeLiveWishes,
  type LiveWish,
  parseLiveWishes,
  withWish,
} from '../../../core/live/live-wishes.ts';
import { jobIdOf } from '../../../core/model/names.ts';

const nowMs = Date.parse('2026-03-01T12:00:00Z');
const job = jobIdOf('j');
const wish = (chunk: number, untilMs = nowMs + liveWishMs): LiveWish => ({ job, chunk, untilMs });

test('a wish travels as it is, to the second', () => {
  const one = fc.record({
    job: fc.constantFrom('a', 'job-7', 'x'.repeat(64)).map(jobIdOf),
    chunk: fc.nat(9_999_999),
    untilMs: fc.integer({ min: 1, max: 4_000_000_000 }).map((seconds) => seconds * 1_000),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 5 }), (wishes) => {
      expect(parseLiveWishes(encodeLiveWishes(wishes))).toEqual(wishes);
    }),
  );
});

test('what makes no sense is left out, whatever it is', () => {
  const odd = [null, 7, {}, '', 'j', 'j:x:1', 'j:1:', 'j:99999999:1', '__proto__:1:zz', 'J:1:1'];
  expect(odd.flatMap(parseLiveWishes)).toEqual([]);
  expect(parseLiveWishes(`${'j'.repeat(liveWishesBytesMax)}:1:1`)).toEqual([]);
  expect(parseLiveWishes('x,j:3:1')).toEqual([{ job, chunk: 3, untilMs: 1_000 }]);
});

test('however many look, a wish is written once until it is about to end', () => {
  const first = withWish([], { job, chunk: 3 }, nowMs) as LiveWish[];
  expect(first).toEqual([wish(3)]);
  expect(withWish(first, { job, chunk: 3 }, nowMs)).toBe('known');
  const lateMs = nowMs + liveWishMs - liveRenewMs;
  expect(withWish(first, { job, chunk: 3 }, lateMs)).toEqual([wish(3, lateMs + liveWishMs)]);
});

test('what has ended makes room, and an edge has no more than it can send', () => {
  const full = Array.from({ length: liveChunksPerEdgeMax }, (_, chunk) => wish(chunk));
  expect(withWish(full, { job, chunk: 99 }, nowMs)).toBe('full');
  const over = wish(0, nowMs);
  expect(withWish([over, ...full.slice(1)], { job, chunk: 99 }, nowMs)).toHaveLength(full.length);
  const long = jobIdOf('y'.repeat(64));
  const some = Array.from({ length: 6 }, (_, chunk) => ({ ...wish(chunk), job: long }));
  expect(withWish(some, { job: long, chunk: 99 }, nowMs)).toBe('full');
});
