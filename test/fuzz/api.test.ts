import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dynoxide, startDynoxide } from '../contract/dynoxide.ts';
import { fuzzApi } from './fuzz-api.ts';

let database: Dynoxide;
beforeAll(async () => {
  database = await startDynoxide();
});
afterAll(() => database.close());

test('generated requests meet no 5xx, no hang, and store nothing when refused', async () => {
  const result = await fuzzApi(await database.makeTable(), { seed: 7, requests: 400 });
  expect(result.failures).toEqual([]);
  expect(Object.keys(result.statuses).length).toBeGreaterThan(6);
});
