import { expect, test } from 'vitest';
import { startDatabase } from '../../../contract/database.ts';
import { createTableStores } from '../../../contract/table-stores.ts';
import { createApiStage } from '../api-stage.ts';
import { plantJobs, walk } from './many-jobs.ts';

test('10,000 jobs are listed once each, in order, with and without a filter', {
  timeout: 300_000,
}, async () => {
  const database = await startDatabase();
  try {
    const table = await database.makeTable();
    const api = createApiStage(createTableStores(table));
    const ids = await plantJobs(api, table, 10_000);
    expect((await walk(api, '/v1/jobs?', 500)).ids).toEqual(ids);
    const filtered = await walk(api, '/v1/jobs?queue=odd&state=done&', 50);
    expect(filtered.ids).toHaveLength(667);
  } finally {
    await database.close();
  }
});
