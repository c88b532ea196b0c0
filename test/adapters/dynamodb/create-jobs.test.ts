import { expect, test } from 'vitest';
import { createJobs, finishBatches } from '../../../adapters/dynamodb/jobs/create-jobs.ts';
import { decodeBatchPart } from '../../../adapters/dynamodb/rows/rows-batch.ts';
import { partitions } from '../../../adapters/dynamodb/schema.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { auditOf, makeCreation, submit } from '../../contract/stored-fixture.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { startMs } from '../../core/cell-fixture.ts';
import { SimulatedTable, tableThrough } from '../../sim/table/simulated-table.ts';

/** A batch that takes several transactions, whose request ends somewhere in the middle. */
function stage() {
  const simulated = new SimulatedTable(() => {});
  const whole = tableThrough(simulated, async (_, run) => run());
  let left = Number.POSITIVE_INFINITY;
  const table: Table = {
    ...whole,
    async transact(writes) {
      if (left-- <= 0) throw new Error('the function is over');
      return whole.transact(writes);
    },
  };
  const stores = createTableStores(whole);
  return {
    stores,
    table,
    whole,
    endAfter: (transactions: number) => {
      left = transactions;
    },
    parts: () => simulated.partitionsOf(partitions.batch).flatMap((pk) => simulated.query({ pk })),
  };
}

const ids = Array.from({ length: 40 }, (_, at) => jobIdOf(`batch-${String(at).padStart(2, '0')}`));
const packedEarlier =
  'G0IAAESBdaW+q0SkI/gASxaXoivVF9v1YQYdp/sNJC7HJ/QvTlvoCFKD2BxHigOJ6xY6ysw2QeIvdIn9/xs=';

const audits = ids.map((id) => auditOf(id));

test('what one transaction takes is stored in one, and what does not fit leaves no trace', async () => {
  const { table, stores, parts, endAfter } = stage();
  endAfter(1);
  const few = ids.slice(0, 10).map((id) => makeCreation(id));
  expect(await createJobs(table, few, null, audits)).toBe('created');
  expect(await stores.jobs.findMany(ids)).toHaveLength(10);
  endAfter(99);
  const many = ids.slice(10).map((id) => makeCreation(id));
  expect(await createJobs(table, many, null, audits.slice(10))).toBe('created');
  expect(await stores.jobs.findMany(ids)).toHaveLength(40);
  expect(parts()).toEqual([]);
});

test.each([1, 2, 3])('after %i transactions the tick stores the rest, once', async (count) => {
  const { table, whole, stores, parts, endAfter } = stage();
  endAfter(count);
  const many = ids.map((id) => makeCreation(id));
  expect(await createJobs(table, many, null, audits)).toBe('created');
  const before = (await stores.jobs.findMany(ids)).length;
  expect(before).toBeLessThan(40);
  const left = parts().length;
  expect(await finishBatches(whole, startMs)).toBe(0);
  expect(await finishBatches(whole, startMs + 1)).toBe(left);
  expect(await stores.jobs.findMany(ids)).toHaveLength(40);
  expect(await finishBatches(whole, startMs + 1)).toBe(0);
  const trail = await stores.audit.list(null, startMs, startMs, 99);
  expect(trail.map(({ event }) => event.target).toSorted()).toEqual(ids);
});

test('a batch that is not accepted leaves nothing', async () => {
  const { table, stores, parts, endAfter } = stage();
  endAfter(0);
  const many = ids.map((id) => makeCreation(id));
  await expect(createJobs(table, many, null, audits)).rejects.toThrow('the function is over');
  expect(parts()).toEqual([]);
  expect(await stores.jobs.findMany(ids)).toEqual([]);
});

test('a part that an earlier version wrote is read', () => {
  const row = { pk: 'BATCH#0', sk: 'job-1#000', atMs: startMs, writes: packedEarlier };
  const write = { kind: 'put', row: { pk: 'JOB#job-1', sk: 'SPEC', priority: 50 } };
  expect(decodeBatchPart(row)).toEqual({ atMs: startMs, writes: [write] });
  expect(() => decodeBatchPart({ ...row, writes: 'AAAA' })).toThrow();
});

test('what waits for a job that ended in between is folded by the tick', async () => {
  const { table, whole, stores, endAfter } = stage();
  const parent = jobIdOf('parent');
  await submit(stores, parent);
  const parents = [(await stores.jobs.find(parent))!];
  endAfter(1);
  const many = ids.map((id) => makeCreation(id, { parents }));
  expect(await createJobs(table, many, null, audits)).toBe('created');
  const { status } = parents[0]!;
  const next = { ...status, state: 'done' as const, version: status.version + 1 };
  const fold = { next, changed: true, release: [], cancel: [], events: [] };
  const rest = { settleDependants: true, progress: { chunks: 0, jobs: 1 } };
  await stores.rollups.save({ ...status, foldedByCell: false }, { ...fold, ...rest });
  await finishBatches(whole, startMs + 1);
  expect(await stores.jobs.findMany(ids)).toHaveLength(40);
  const owed = await stores.fleet.pendingRollups(startMs);
  expect(owed.toSorted()).toEqual(ids);
});
