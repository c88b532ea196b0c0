import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabase, type TestDatabase } from '../contract/database.ts';
import { fuzzApi } from './fuzz-api.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test('generated requests meet no 5xx, no hang, and store nothing when refused', async () => {
  const result = await fuzzApi(await database.makeTable(), { seed: 7, requests: 1_000 });
  expect(result.failures).toEqual([]);
  expect(Object.keys(result.statuses).length).toBeGreaterThan(6);
  // What is only ever refused has not been tried.
  expect((result.statuses[201] ?? 0) + (result.statuses[202] ?? 0)).toBeGreaterThan(5);
});
