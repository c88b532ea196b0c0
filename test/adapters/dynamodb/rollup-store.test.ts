import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCellStore } from '../../../adapters/dynamodb/cell-store.ts';
import { createRollupStore } from '../../../adapters/dynamodb/rollup-store.ts';
import { jobIdOf } from '../../../core/names.ts';
import { rangeOf } from '../../../core/ranges.ts';
import { reconcile } from '../../../core/reconcile.ts';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { makeCell, makeJob, startMs } from '../../core/cell-fixture.ts';
import { seedCell } from './seed-cell.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const job = jobIdOf('job-1');

test('a job that its cell has ended is owed a fold until its final status was saved', async () => {
  const table = await database.makeTable();
  const share = { done: rangeOf(0, 2) };
  const cell = makeCell({ jobs: [makeJob(job, { chunks: 2, share })] });
  await seedCell(table, cell);
  const plan = reconcile(cell, startMs);
  expect([...plan.endedJobs]).toEqual([job]);
  await createCellStore(table).commit(plan);
  const rollups = createRollupStore(table);
  expect(await rollups.owedFolds(startMs)).toEqual([]);
  expect(await rollups.owedFolds(startMs + 1)).toEqual([job]);
  await rollups.settle(job, startMs - 1);
  expect(await rollups.owedFolds(startMs + 1)).toEqual([job]);
  await rollups.settle(job, startMs);
  expect(await rollups.owedFolds(startMs + 1)).toEqual([]);
});
