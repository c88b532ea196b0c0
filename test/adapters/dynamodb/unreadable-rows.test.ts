import { describe, expect, test } from 'vitest';
import { createCellStore } from '../../../adapters/dynamodb/fleet/adopting-cells.ts';
import {
  cellQueueKey,
  edgeKey,
  executionKey,
  factsKey,
  intentKey,
  type Key,
  metaKey,
  reportKey,
  sliceKey,
  specKey,
  tickKey,
  workKey,
} from '../../../adapters/dynamodb/keys.ts';
import { encodeTick } from '../../../adapters/dynamodb/rows/rows-cell.ts';
import { encodeSpec } from '../../../adapters/dynamodb/rows/rows-spec.ts';
import type { Row, Table } from '../../../adapters/dynamodb/table.ts';
import type { Cell } from '../../../core/model/cell.ts';
import { cellIdOf, edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { count, intersect, isEmpty, rangeOf } from '../../../core/model/ranges.ts';
import { explain } from '../../../core/scheduler/explain.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { runPass } from '../../../lambdas/workers/schedule/run-pass.ts';
import { simulatedTable } from '../../contract/simulated-stores.ts';
import { makeCell, makeEdges, makeJob, makeSpec, startMs } from '../../core/cell-fixture.ts';
import { createQuietLog } from '../../lambdas/quiet-log.ts';
import { seedCell } from './seed-cell.ts';

/**
 * One row of a cell is damaged while work is under way: what it is about stands still, its row is
 * left alone, everything else goes on, and all of it goes on when the row is mended.
 */
const cell = cellIdOf('default.0');
const [edge, other] = [edgeNameOf('edge-0'), edgeNameOf('edge-1')];
const [job, running, fresh] = [jobIdOf('job-1'), jobIdOf('job-2'), jobIdOf('job-new')];

/** Two edges with room for four chunks, each holding some of two jobs. */
async function busyCell(): Promise<Table> {
  const table = simulatedTable();
  const slice = { startedAtMs: startMs };
  const jobs = [job, running].map((id) => makeJob(id, { chunks: 2, chunkPower: 100, slice }));
  const queues = new Map([['default', { weight: 1, strict: false, quota: null }]]);
  await seedCell(table, makeCell({ edges: makeEdges(2, { power: 400 }), jobs, queues }));
  await table.put(encodeTick(cell, startMs));
  for (const { id, intent } of jobs) {
    const stored = { cells: [cell], generation: 1, createdAtMs: startMs, createdBy: 'someone' };
    const seen = { version: 0, retryEpoch: 0, cancelledAtMs: null };
    const { chunking, specHash } = intent;
    const spec = makeSpec({ chunkPower: 100, chunks: 2 });
    await table.put(encodeSpec({ id, spec, chunking, specHash, ...stored, ...seen }));
  }
  await pass(table);
  return table;
}

async function pass(table: Table) {
  const log = createQuietLog();
  const looks: number[] = [];
  const outcome = await runPass(
    {
      store: createCellStore(table),
      shadows: { write: async () => undefined },
      timers: { lookAgain: async (_, atMs) => void looks.push(atMs) },
      clock: { nowMs: () => startMs + 1_000 },
      log,
      rates: { countProgress: async () => undefined },
    },
    cell,
  );
  return { outcome, log };
}

async function submit(table: Table): Promise<void> {
  const late = makeJob(fresh, { chunks: 2, chunkPower: 100 });
  const partial = simulatedTable();
  await seedCell(partial, makeCell({ edges: [], jobs: [late] }));
  await table.put((await partial.get(intentKey(cell, fresh)))!);
}

async function load(table: Table): Promise<Cell> {
  return (await createCellStore(table).load(cell))!;
}

function leasedOf(stored: Cell, id: JobId): number {
  const edges = [...stored.edges.values()];
  return edges.reduce((all, it) => {
    const lease = it.work?.leases.get(id);
    return all + (lease === undefined ? 0 : count(lease.ranges));
  }, 0);
}

/** No chunk on two edges, and none beyond what an edge has. */
function expectSound(stored: Cell): void {
  const edges = [...stored.edges.values()];
  for (const id of stored.jobs.keys()) {
    const [a, b] = edges.map((it) => it.work?.leases.get(id)?.ranges ?? rangeOf(0, 0));
    expect(isEmpty(intersect(a!, b!)), id).toBe(true);
  }
  for (const { work } of edges) {
    const slots = [...(work?.leases.values() ?? [])].reduce((all, it) => all + it.slots, 0);
    expect(slots * 100).toBeLessThanOrEqual(400);
  }
}

const damages: readonly (readonly [name: string, key: Key, damage: Record<string, unknown>])[] = [
  ['WORK', workKey(cell, edge), { leases: '{"job-1":{"r":"1-0"' }],
  ['WORK, of which an attribute is another thing', workKey(cell, edge), { epoch: 'seven' }],
  ['WORK, with more slots than there are chunks', workKey(cell, edge), { leases: bigLease() }],
  ['ASK', intentKey(cell, job), { spec: 'not JSON' }],
  ['ASK, whose power is no number', intentKey(cell, job), { cut: '{"chunks":2}' }],
  ['SHARE', sliceKey(cell, job), { ranges: '5-1' }],
  ['SHARE, with retries of nothing', sliceKey(cell, job), { retries: '[[1]]' }],
  ['EDGE', edgeKey(cell, edge), { capacity: '{"power":"much"}' }],
  ['FACTS', factsKey(cell, edge), { flat: '[]' }],
  ['REPORT', reportKey(cell, edge), { prog: '{"e":"x"}' }],
  ['REPORT, which does not say who connects', reportKey(cell, edge), { connected: 'perhaps' }],
  ['TICK', tickKey(cell), { atMs: 'noon' }],
  ['QUEUE', cellQueueKey(cell, 'default'), { quota: 'all' }],
  ['META, without its summary', metaKey(cell), { summary: '{"edges":7}' }],
  ['META, without its health', metaKey(cell), { health: 'well' }],
];

function bigLease(): string {
  return JSON.stringify({ 'job-1': { r: '0', s: 1e15, at: startMs } });
}

describe.each(damages)('a damaged row: %s', (name, key, damage) => {
  test('stands still alone, is left alone, and goes on when it is mended', async () => {
    const table = await busyCell();
    const whole = (await table.get(key))!;
    expect(whole, 'the row is there').not.toBeNull();
    await submit(table);
    const damaged = { ...whole, ...damage } as Row;
    await table.put(damaged);

    const { outcome, log } = await pass(table);
    expect(outcome).toBe('settled');
    expect(log.lines.some(({ UnreadableRows }) => UnreadableRows === 1)).toBe(true);
    expect(log.lines.some(({ RefusedPlans }) => RefusedPlans !== undefined)).toBe(false);
    const standing = await load(table);
    expect(standing.unreadable?.rows).toEqual([key.sk]);
    expect(standing.meta.unreadable !== undefined || standing.meta.summary.unreadable === 1).toBe(
      true,
    );
    if (!name.startsWith('QUEUE')) expect(leasedOf(standing, fresh)).toBe(2);
    const left = await table.get(key);
    for (const attribute of Object.keys(damage)) {
      expect(left?.[attribute]).toEqual(damage[attribute]);
    }
    if (!name.startsWith('META')) expect(left).toEqual(damaged);

    await table.update(key, { set: Object.fromEntries(changedOf(whole, damage)) });
    expect((await pass(table)).outcome).toBe('settled');
    const mended = await load(table);
    expect(mended.unreadable).toBeUndefined();
    expectSound(mended);
    for (const id of [job, running, fresh]) expect(leasedOf(mended, id), id).toBe(2);
    expect(violationsOf(mended, reconcile(mended, startMs + 2_000))).toEqual([]);
  });
});

function changedOf(whole: Row, damage: Record<string, unknown>): [string, unknown][] {
  return Object.keys(damage).map((name) => [name, whole[name] ?? null]);
}

test('a job whose row cannot be read says so, and says which', async () => {
  const table = await busyCell();
  await table.update(sliceKey(cell, job), { set: { ranges: 'x' } });
  const [reason] = explain(await load(table), job, startMs);
  expect(reason).toMatchObject({ reason: 'inconsistent' });
  expect(reason?.detail).toContain('SHARE#job-1 cannot be read');
});

test('a job that waits for the edge whose row cannot be read says so', async () => {
  const table = await busyCell();
  await table.update(workKey(cell, edge), { set: { leases: 'x' } });
  await table.update(workKey(cell, other), { set: { leases: 'x' } });
  await submit(table);
  const [reason] = explain(await load(table), fresh, startMs);
  expect(reason).toMatchObject({ reason: 'edge-cordoned', edges: 2 });
  expect(reason?.detail).toBe('its row WORK#edge-0 cannot be read');
});

test('where nobody can say what a job takes of an edge, the edge gets nothing more', async () => {
  const table = await busyCell();
  await table.update(intentKey(cell, job), { set: { spec: 'x' } });
  await table.update(specKey(job), { set: { spec: 'x' } });
  await submit(table);
  await pass(table);
  const stored = await load(table);
  expect(stored.edges.get(edge)?.config.cordoned?.reason).toContain('ASK#job-1');
  expect(leasedOf(stored, fresh)).toBe(0);
});

test('where nobody can say what an edge holds of a job, the job stands still too', async () => {
  const table = await busyCell();
  await table.update(workKey(cell, edge), { set: { leases: 'x' } });
  await table.update(executionKey(job, edge), { set: { chunks: '9-1' } });
  const stored = await load(table);
  expect([...stored.unreadable!.jobs.keys()]).toEqual([job]);
  expect(stored.jobs.has(running)).toBe(true);
});

test('a cell whose version cannot be read stands still, says so, and goes on when it can', async () => {
  const table = await busyCell();
  await submit(table);
  const whole = (await table.get(metaKey(cell)))!;
  const damaged = { ...whole, version: 'nine' };
  await table.put(damaged);
  const { outcome, log } = await pass(table);
  expect(outcome).toBe('unreadable');
  expect(log.lines.some(({ UnreadableRows }) => UnreadableRows === 1)).toBe(true);
  expect(await table.get(metaKey(cell))).toEqual(damaged);
  const [reason] = explain(await load(table), fresh, startMs);
  expect(reason?.detail).toContain('META of default.0 cannot be read');
  await table.put(whole);
  expect((await pass(table)).outcome).toBe('settled');
  expect(leasedOf(await load(table), fresh)).toBe(2);
});

test('rows of kinds and values that nobody here writes are left alone', async () => {
  const table = await busyCell();
  const later: Row = { ...metaKey(cell), sk: 'LATER#thing', what: { nested: [1, 'two'] } };
  await table.put(later);
  expect((await pass(table)).outcome).toBe('settled');
  expect((await load(table)).unreadable).toBeUndefined();
  expect(await table.get(later)).toEqual(later);
});
