import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCellStore, planWrites } from '../../../adapters/dynamodb/cell-store.ts';
import { transactRowsMax } from '../../../core/limits.ts';
import { reconcile } from '../../../core/reconcile.ts';
import { cellStoreContract } from '../../contract/cell-store.ts';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { createMemoryCellStore } from '../../contract/memory-cell-store.ts';
import { makeCell, makeEdges, makeJob, startMs } from '../../core/cell-fixture.ts';
import { seedCell } from './seed-cell.ts';

describe('cells in memory', () => {
  cellStoreContract(async () => {
    const store = createMemoryCellStore();
    return { store, seed: async (cell) => store.put(cell) };
  });
});

describe('cells in the table', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await startDatabase();
  });
  afterAll(() => database.close());

  cellStoreContract(async () => {
    const table = await database.makeTable();
    return { store: createCellStore(table), seed: (cell) => seedCell(table, cell) };
  });
});

test('the largest plan fits one transaction', () => {
  const jobs = Array.from({ length: 120 }, (_, at) => makeJob(`job-${at}`, { chunks: 500 }));
  const cell = makeCell({ edges: makeEdges(250), jobs });
  const writes = planWrites(reconcile(cell, startMs));
  expect(writes.length).toBeGreaterThan(transactRowsMax / 2);
  expect(writes.length).toBeLessThanOrEqual(transactRowsMax);
});
