import { describe, expect, test } from 'vitest';
import { pauseMsMax } from '../../../dashboard/limits.ts';
import { pauseMs } from '../../../dashboard/live/pace.ts';

const healthy = { everyMs: 2_000, costMs: 10, failures: 0, retryAfterMs: null, random: 0.5 };

describe('pace', () => {
  test('a cheap feed keeps its pace, an expensive one slows down', () => {
    expect(pauseMs(healthy)).toBe(2_000);
    expect(pauseMs({ ...healthy, costMs: 1_000 })).toBe(5_000);
    expect(pauseMs({ ...healthy, costMs: 60_000 })).toBe(pauseMsMax);
  });

  test('failures double the pause up to a limit', () => {
    const pauses = [1, 2, 3, 4, 5, 6, 20].map((failures) => pauseMs({ ...healthy, failures }));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('many pages do not come back together', () => {
    const early = pauseMs({ ...healthy, failures: 3, random: 0 });
    const late = pauseMs({ ...healthy, failures: 3, random: 0.99 });
    expect(late).toBeGreaterThan(early * 1.5);
  });

  test('the server may ask for more', () => {
    expect(pauseMs({ ...healthy, failures: 1, retryAfterMs: 45_000 })).toBe(45_000);
  });
});
