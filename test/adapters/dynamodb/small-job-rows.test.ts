import { expect, test } from 'vitest';
import { closedIn } from '../../../adapters/dynamodb/rows/counts-in-status.ts';
import { decodeExecution, encodeExecution } from '../../../adapters/dynamodb/rows/rows-job.ts';
import { decodeWorkRow, encodeWorkRow } from '../../../adapters/dynamodb/rows/rows-work.ts';
import type { Table, Write } from '../../../adapters/dynamodb/table.ts';
import { type Cell, noEdgeWork } from '../../../core/model/cell.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import { placeNewJob } from '../../../core/scheduler/short-pass.ts';
import { simulatedTable } from '../../contract/simulated-stores.ts';
import { auditOf, enrol, executionOf, north } from '../../contract/stored-fixture.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { startMs } from '../../core/cell-fixture.ts';
import { creation } from '../../core/jobs/job-fixture.ts';

/** What a job of one chunk writes, row by row: each of them is paid for a million times. */
const edge = edgeNameOf('edge-1');

const keyOf = (write: Write) => (write.kind === 'put' ? write.row : write.key);

/** A table that notes which kinds of rows each transaction writes. */
function counting(table: Table): { table: Table; kinds: string[][] } {
  const kinds: string[][] = [];
  return {
    kinds,
    table: {
      ...table,
      transact(writes) {
        kinds.push(writes.map((write) => kindOf(write)));
        return table.transact(writes);
      },
    },
  };
}

function kindOf(write: Write): string {
  const { pk, sk } = keyOf(write);
  const kind = pk.startsWith('AUDIT') ? 'AUDIT' : sk.replace(/#.*/, '');
  return write.kind === 'delete' ? `-${kind}` : kind;
}

async function stage() {
  const { table, kinds } = counting(simulatedTable());
  const stores = createTableStores(table);
  await enrol(stores, edge);
  const at = { edge, atMs: startMs, version: 1 };
  await stores.inventory.store(north, { kind: 'connected', ...at });
  kinds.length = 0;
  return { stores, kinds };
}

async function loaded({ cells }: Stores): Promise<Cell> {
  return (await cells.load(north))!;
}

function planFor(cell: Cell, nowMs: number): Plan {
  const { plan, refused } = reconcileSafely(cell, nowMs);
  expect(refused).toEqual([]);
  return plan!;
}

async function report(stores: Stores, id: JobId, entry: object): Promise<void> {
  const progress = parseProgressReport({ b: 'boot', e: 1, n: 1, f: 100, w: { [id]: entry } })!;
  await stores.inventory.store(north, {
    kind: 'prog',
    ...{ progress, edge, atMs: startMs + 1, version: 2 },
  });
}

test('a job that is placed at once is seven rows, and four more end it', async () => {
  const { stores, kinds } = await stage();
  const cell = await loaded(stores);
  const made = creation({ chunks: 1 }, { metas: [cell.meta] });
  const placed = placeNewJob(cell, made, startMs)!;
  const { id } = made.job;
  const whole = { ...made, status: placed.status };
  await stores.changes.createPlaced(whole, placed.plan, null, auditOf(id));
  expect(kinds).toEqual([['META', 'WORK', 'EXEC', 'SPEC', 'STATUS', 'ASK', 'AUDIT']]);
  await report(stores, id, { d: '0' });
  kinds.length = 0;
  const before = await loaded(stores);
  expect(before.jobs.get(id)).toEqual(applyPlan(placed.cell, placed.plan).jobs.get(id));
  await stores.cells.commit(planFor(before, startMs + 5));
  expect(kinds).toEqual([['META', 'STATUS', 'WORK', '-ASK']]);
  await expectDone(stores, id, { rows: 11, calls: 4 });
});

test('a job that waits for a pass is four rows, and four more place and end it', async () => {
  const { stores, kinds } = await stage();
  const { meta } = await loaded(stores);
  const made = creation({ chunks: 1 }, { metas: [meta] });
  const { id } = made.job;
  await stores.changes.create(made, null, auditOf(id));
  await stores.cells.commit(planFor(await loaded(stores), startMs + 1));
  const placed = await loaded(stores);
  expect(placed.jobs.get(id)).toMatchObject({
    slice: { countedAs: 'scheduled' },
    hasNoSliceRow: true,
  });
  await report(stores, id, { d: '0' });
  await stores.cells.commit(planFor(await loaded(stores), startMs + 5));
  expect(kinds).toEqual([
    ['SPEC', 'STATUS', 'ASK', 'AUDIT'],
    ['META', 'STATUS', 'WORK', 'EXEC'],
    ['META', 'STATUS', 'WORK', '-ASK'],
  ]);
  await expectDone(stores, id, { rows: 12, calls: 5 });
});

async function expectDone(
  stores: Stores,
  id: JobId,
  { rows, calls }: { rows: number; calls: number },
): Promise<void> {
  const done = { job: id, edge, done: rangeOf(0, 1), running: emptyRanges, slots: 0 };
  const ended = { ...done, endedAtMs: startMs + 5 };
  expect(await stores.jobs.executions(id, null, 9)).toMatchObject([ended]);
  expect(await stores.jobs.executionsOn(edge, [id])).toMatchObject([ended]);
  expect(await stores.changes.allExecutions(id)).toMatchObject([ended]);
  const { status } = (await stores.jobs.find(id))!;
  expect(status.state).toBe('done');
  // Besides: two reports, a row that counts what was done, and a line in the log of the fleet.
  expect(status.spent).toEqual({ rows: rows + 4, documents: 2, reports: 2, calls: calls + 1 });
  expect((await loaded(stores)).jobs.has(id)).toBe(false);
}

const job = jobIdOf('a-job');
const open = executionOf(job, edge, { done: emptyRanges, endedAtMs: null });
const key = { pk: `JOB#${job}`, sk: 'STATUS' };
const closes = JSON.stringify([edge, startMs + 2]);

test('an open execution is closed by the status that names its edge, and no other is', () => {
  const status = { ...key, state: 'done', endedAtMs: startMs + 3, closes };
  const closed = closedIn(status, open);
  expect(closed).toMatchObject({ done: open.chunks, startedAtMs: startMs + 2, slots: 0 });
  expect(closed.endedAtMs).toBe(startMs + 3);
  expect(decodeExecution(encodeExecution(closed))).toEqual(closed);
  for (const other of [
    { ...status, closes: undefined },
    { ...status, state: 'running' },
    { ...status, closes: JSON.stringify(['edge-2', 1]) },
  ]) {
    expect(closedIn(other, open)).toEqual(open);
  }
  const ended = { ...open, endedAtMs: startMs };
  expect(closedIn(status, ended)).toEqual(ended);
  expect(() => closedIn({ ...status, closes: '[1]' }, open)).toThrow();
});

test('a slice in a lease reads as it was written, and one that cannot be read stops the edge', () => {
  const slice = {
    reportedReasons: ['no-fit', 'quota'],
    countedAs: 'running' as const,
    lastEventAtMs: 4,
    startedAtMs: 3,
    workedPower: 20,
  };
  const lease = { ...noLease, slice };
  const work = { ...noEdgeWork, leases: new Map([[job, lease]]) };
  const row = encodeWorkRow(north, edge, work);
  expect(decodeWorkRow(row).leases.get(job)).toEqual(lease);
  const damaged = String(row.leases).replace('"running"', '"nothing"');
  expect(() => decodeWorkRow({ ...row, leases: damaged })).toThrow();
});

const noLease = {
  ranges: rangeOf(0, 1),
  reclaiming: emptyRanges,
  reclaimEpoch: null,
  slots: 1,
  running: emptyRanges,
  grantedAtMs: 9,
  startedAtMs: 9,
  chunkMs: null,
  heldBefore: emptyRanges,
  doneHere: emptyRanges,
  deadHere: emptyRanges,
};
