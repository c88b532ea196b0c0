/** The clock of the machine, with the timers of Node faked: no test waits for a month. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../engine/clock.ts';

const dayMs = 24 * 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a wait that is longer than a timer of Node can be is as long as it is', () => {
  const acted: number[] = [];
  const fromMs = systemClock.nowMs();
  systemClock.after(30 * dayMs, () => acted.push(systemClock.nowMs() - fromMs));
  vi.advanceTimersByTime(29 * dayMs);
  expect(acted).toEqual([]);
  vi.advanceTimersByTime(2 * dayMs);
  expect(acted).toEqual([30 * dayMs]);
});

test('what was taken back does not happen, also on the second leg', () => {
  const acted: string[] = [];
  const cancelFirst = systemClock.after(1_000, () => acted.push('first'));
  const cancelLong = systemClock.after(30 * dayMs, () => acted.push('long'));
  const cancelEach = systemClock.every(dayMs, () => acted.push('day'));
  cancelFirst();
  vi.advanceTimersByTime(27 * dayMs);
  cancelLong();
  cancelEach();
  vi.advanceTimersByTime(30 * dayMs);
  expect(acted).toEqual(Array.from({ length: 27 }, () => 'day'));
});
