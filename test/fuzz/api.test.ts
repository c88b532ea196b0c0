import { expect, test } from 'vitest';
import { simulatedTable } from '../contract/simulated-stores.ts';
import { fuzzApi } from './fuzz-api.ts';

test('generated requests meet no 5xx, no hang, and store nothing when refused', async () => {
  const result = await fuzzApi(simulatedTable(), { seed: 7, requests: 1_000 });
  expect(result.failures).toEqual([]);
  expect(Object.keys(result.statuses).length).toBeGreaterThan(6);
  // What is only ever refused has not been tried.
  expect((result.statuses[201] ?? 0) + (result.statuses[202] ?? 0)).toBeGreaterThan(5);
});
