import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAge, formatDurationMs, parseDurationMs } from '../../../cli/input/duration.ts';

test.each([
  ['90', 90_000],
  ['0.5', 500],
  ['250ms', 250],
  ['90s', 90_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
])('%s is %d ms', (text, ms) => expect(parseDurationMs(text, 'timeout')).toBe(ms));

test.each(['', 'soon', '5 m', '-5s', '5mm', 'm5', '1h 30m', '∞'])('%j is refused', (text) => {
  expect(() => parseDurationMs(text, 'timeout')).toThrow('--timeout');
});

test.each([
  [0, '0.0s'],
  [9_999, '9.9s'],
  [10_000, '10s'],
  [65_000, '1m5s'],
  [3_600_000, '1h'],
  [90_061_000, '1d1h'],
  [Number.NaN, '-'],
])('%d ms is shown as %s', (ms, text) => expect(formatDurationMs(ms)).toBe(text));

test('what is shown reads back as no more than it was, and nearly as much', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 400 * 86_400_000 }), (ms) => {
      const back = parseDurationMs(formatDurationMs(ms), 'x');
      expect(back).toBeLessThanOrEqual(ms);
      expect(ms - back).toBeLessThan(Math.max(1_000, ms / 10));
    }),
  );
});

test('an age is never negative, and unknown times have none', () => {
  const nowMs = Date.parse('2026-01-01T12:00:00Z');
  expect(formatAge('2026-01-01T12:00:05Z', nowMs)).toBe('0.0s');
  expect(formatAge('2026-01-01T11:00:00Z', nowMs)).toBe('1h');
  expect(formatAge(null, nowMs)).toBe('-');
  expect(formatAge('yesterday', nowMs)).toBe('-');
});
