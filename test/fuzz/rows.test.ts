import { expect, test } from 'vitest';
import { fuzzRows } from './fuzz-rows.ts';

/** A share of `rows.slow.test.ts` that takes a moment. */
test('a damaged row, document or message stops nobody else, and shows', async () => {
  const { failures, done, bad } = await fuzzRows({ seed: 11, rounds: 200 });
  expect(failures).toEqual([]);
  expect(Math.min(...Object.values(done))).toBeGreaterThan(20);
  expect(Math.min(...Object.values(bad))).toBeGreaterThan(10);
});
