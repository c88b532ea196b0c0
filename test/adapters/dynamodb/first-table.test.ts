import { expect, test } from 'vitest';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { encodeWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { SimulatedTable, tableThrough } from '../../sim/table/simulated-table.ts';
import { rowsOf } from './kept-rows.ts';

/**
 * The first of the tables of before. Passes of two versions run side by side while one replaces the
 * other, and nobody rewrites a table: what lies in it has to be read as it is.
 */
const table = new SimulatedTable(() => {});
for (const row of rowsOf('first')) table.write({ kind: 'put', row });
const stores = createTableStores(tableThrough(table, async (_, operation) => operation()));

const [first, job] = [cellIdOf('default.0'), jobIdOf('job-b')];
const edge = edgeNameOf('edge-1');

test('a cell is read whole, and what it did not know yet reads as nothing', async () => {
  const cell = (await stores.cells.load(first))!;
  expect(cell.unreadable).toBeUndefined();
  expect([...cell.jobs.keys()].sort()).toEqual(['job-a', 'job-b', 'job-d']);
  const { slice, intent } = cell.jobs.get(job)!;
  expect(formatRanges(slice.done)).toBe('0-2');
  expect(slice).toMatchObject({ attemptBase: 3, attemptsUsed: 0, retryEpoch: 2 });
  expect(intent.createdBy).toBeNull();
  const { work } = cell.edges.get(edge)!;
  expect(work).toMatchObject({ epoch: 8, foreignResults: 0 });
  const lease = work!.leases.get(job)!;
  expect([lease.ranges, lease.heldBefore].map(formatRanges)).toEqual(['2-7', '']);
});

test('a pass decides about it, and its edges get documents', async () => {
  const cell = (await stores.cells.load(first))!;
  const { refused } = reconcileSafely(cell, 1_000_000_060_000);
  expect(refused.filter(({ jobs }) => jobs.length === 0)).toEqual([]);
  const { work } = cell.edges.get(edge)!;
  const document = encodeWork(workOf(work!, cell.jobs), []);
  expect(JSON.parse(JSON.stringify(document))).toMatchObject({ e: 8 });
});

test('jobs, edges, pools, queues, tokens and the trail are found', async () => {
  const found = (await stores.jobs.find(job))!;
  expect(found.status.job).toBe(job);
  expect(await stores.jobs.executions(job, null, 10)).toHaveLength(1);
  expect((await stores.changes.cellsOf(found.job)).get(first)?.status?.attemptsUsed).toBe(0);
  expect((await stores.edges.identify(edge))?.cell).toBe(first);
  expect((await stores.edges.load(first, edge))?.name).toBe(edge);
  expect((await stores.pools.find('default')).cells).toHaveLength(2);
  expect((await stores.queues.find('fast'))?.name).toBe('fast');
  expect((await stores.stats.current(1_000_000_060_000)).total).toBeGreaterThan(0);
  const trail = await stores.audit.list(null, 0, 1_000_000_060_000, 10);
  expect(trail).toHaveLength(1);
});
