import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabase, type TestDatabase } from '../contract/database.ts';
import { fuzzApi } from './fuzz-api.ts';

/** What a table does not take shows on one. */
let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test('generated requests meet no 5xx, no hang, and store nothing when refused, on a database', async () => {
  const result = await fuzzApi(await database.makeTable(), { seed: 7, requests: 1_000 });
  expect(result.failures).toEqual([]);
});
