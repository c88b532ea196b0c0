import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { axisTop, throughput } from '../../dashboard/view/throughput.ts';

const nowMs = 1_000_000_000;
const minutes = (n: number) => n * 60_000;
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe('throughput', () => {
  test('chunks are spread over the minutes of their job', () => {
    const job = {
      startedAtMs: nowMs - minutes(2),
      endedAtMs: nowMs,
      chunksDone: 10,
    };
    const values = throughput([job], nowMs, 4);
    expect(values.map(Math.round)).toEqual([0, 0, 5, 5]);
  });

  test('what was before the hour does not count', () => {
    const old = { startedAtMs: 0, endedAtMs: nowMs - minutes(61), chunksDone: 99 };
    const half = { startedAtMs: nowMs - minutes(120), endedAtMs: nowMs, chunksDone: 100 };
    expect(sum(throughput([old, half], nowMs))).toBeCloseTo(50);
  });

  test('nothing is lost and nothing is counted twice', () => {
    const job = fc.record({
      startedAtMs: fc.integer({ min: nowMs - minutes(60), max: nowMs }),
      lastedMs: fc.integer({ min: 0, max: minutes(60) }),
      chunksDone: fc.integer({ min: 0, max: 10_000 }),
    });
    fc.assert(
      fc.property(fc.array(job), (jobs) => {
        const timed = jobs.map(({ startedAtMs, lastedMs, chunksDone }) => ({
          startedAtMs: startedAtMs + 1,
          endedAtMs: Math.min(nowMs, startedAtMs + 1 + lastedMs),
          chunksDone,
        }));
        const total = sum(timed.map(({ chunksDone }) => chunksDone));
        expect(sum(throughput(timed, nowMs))).toBeCloseTo(total, 3);
      }),
    );
  });

  test('the axis ends at a round number above the highest bar', () => {
    expect(axisTop([])).toBe(4);
    expect(axisTop([37])).toBe(40);
    expect(axisTop([410, 3])).toBe(500);
    expect(axisTop([1_000])).toBe(1_000);
  });
});
