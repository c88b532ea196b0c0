import { expect, test } from 'vitest';
import { fuzzRows } from './fuzz-rows.ts';

test.each([1, 2, 3, 4, 5])(
  'of 2,000 damages none stops anybody else, and each shows (seed %i)',
  async (seed) => {
    const { failures, bad } = await fuzzRows({ seed, rounds: 2_000 });
    expect(failures).toEqual([]);
    expect(Math.min(...Object.values(bad))).toBeGreaterThan(100);
  },
);
