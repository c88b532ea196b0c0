import { expect, test } from 'vitest';
import { edgeNameOf } from '../../../../core/model/names.ts';
import type { CellStore } from '../../../../core/ports/cells.ts';
import { type EdgeEvent, parseEdgeEvent } from '../../../../core/protocol/edge-event.ts';
import { parseProgressReport } from '../../../../core/protocol/progress-report.ts';
import { createKnownEdges } from '../../../../lambdas/workers/report/apply-at-once.ts';
import { storeReports } from '../../../../lambdas/workers/report/store-reports.ts';
import { createBusyCells } from '../../../../lambdas/workers/schedule/busy-cells.ts';
import { enrol, north } from '../../../contract/stored-fixture.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';

const edge = edgeNameOf('edge-1');

function message(over: Record<string, unknown>) {
  return { kind: 'prog', edge, at: 1_000, version: 1, reported: { b: 'b', e: 1, w: {} }, ...over };
}

function events(...messages: Record<string, unknown>[]): EdgeEvent[] {
  return messages.flatMap((it) => parseEdgeEvent(message(it)) ?? []);
}

/** How a function of the stack that may run passes stores them, with what it wrote to edges. */
async function applying(over: Partial<CellStore> = {}) {
  const { stores, inventory, report, log } = await stage();
  const documents: string[] = [];
  const edges = createKnownEdges();
  const applying = {
    store: { ...stores.cells, ...over },
    shadows: { write: async (name: string) => void documents.push(name) },
    timers: { lookAgain: async () => {} },
    clock: { nowMs: () => 2_000 },
    log,
    rates: { countProgress: async () => {} },
    busy: createBusyCells(),
    edges,
  };
  const deps = { inventory, log, applying };
  const connected = { kind: 'connected', version: 1, at: 900 };
  await storeReports(deps, events(connected));
  await storeReports(deps, events({ version: 1, at: 1_000 }));
  return { deps, stores, report, documents };
}

async function stage() {
  const stores = createMemoryStores();
  await enrol(stores, edge);
  const report = async () => (await stores.cells.load(north))?.edges.get(edge)?.report;
  return { stores, inventory: stores.inventory, report, log: createQuietLog() };
}

test('reads what the rules make of what edges say', () => {
  const reported = { b: 'boot', e: 7, n: 3, f: 10, w: { job: { d: '0-3', a: '4', x: null } } };
  expect(parseEdgeEvent(message({ reported }))).toEqual({
    kind: 'prog',
    edge,
    atMs: 1_000,
    version: 1,
    progress: parseProgressReport(reported),
  });
  expect(parseEdgeEvent(message({ kind: 'disconnected', version: 0 }))).toEqual({
    kind: 'disconnected',
    edge,
    atMs: 1_000,
    version: 0,
  });
});

test.each([
  null,
  'text',
  [],
  message({ kind: 'other' }),
  message({ edge: 'Not A Name' }),
  message({ edge: 7 }),
  message({ at: -1 }),
  message({ version: '1' }),
  message({ version: undefined }),
  message({ reported: null }),
  message({ reported: { e: 'x' } }),
  message({ kind: 'facts', reported: { labels: {} } }),
])('takes nothing for an event that is none (%#)', (value) => {
  expect(parseEdgeEvent(value)).toBeNull();
});

test('of a batch only the newest of each kind is written', async () => {
  const deps = await stage();
  const batch = events(
    { version: 2, at: 5 },
    { version: 4, at: 7 },
    { version: 3, at: 6 },
    { kind: 'connected', version: 1, at: 3 },
    { kind: 'disconnected', version: 1, at: 8 },
  );
  const outcomes = await storeReports(deps, batch);
  expect(outcomes).toEqual(['older', 'stored', 'older', 'older', 'stored']);
  expect(await deps.report()).toMatchObject({ version: 4, connected: false });
});

test('a connection that follows a disconnection of an earlier one wins in any order', async () => {
  const up = { kind: 'connected', version: 2, at: 9 };
  const down = { kind: 'disconnected', version: 1, at: 8 };
  for (const batch of [events(up, down), events(down, up)]) {
    const deps = await stage();
    await storeReports(deps, batch);
    expect((await deps.report())?.connected).toBe(true);
  }
});

test('a connection that ended is over in any order, whatever the clocks say', async () => {
  for (const at of [7, 8, 9]) {
    const up = { kind: 'connected', version: 2, at: 8 };
    const down = { kind: 'disconnected', version: 2, at };
    for (const batch of [events(up, down), events(down, up)]) {
      const deps = await stage();
      await storeReports(deps, batch);
      expect((await deps.report())?.connected).toBe(false);
    }
  }
});

test('an edge that is not enrolled is not stored and not tried again', async () => {
  const deps = await stage();
  const outcomes = await storeReports(deps, events({ edge: 'stranger' }, {}));
  expect(outcomes).toEqual(['unknown-edge', 'stored']);
});

test('what could not be stored fails alone', async () => {
  const { stores, inventory, log } = await stage();
  await enrol(stores, 'edge-2');
  const store: typeof inventory.store = async (cell, event) => {
    if (event.edge === edge) throw new Error('the table is away');
    return inventory.store(cell, event);
  };
  const batch = events({}, { edge: 'edge-2' });
  expect(await storeReports({ inventory: { ...inventory, store }, log }, batch)).toEqual([
    'failed',
    'stored',
  ]);
});

test('few reports of a quiet cell are applied in the commit that stores them', async () => {
  const { deps, stores, report } = await applying();
  const before = (await stores.cells.load(north))!.meta.version;
  const reported = { b: 'b', e: 0, n: 5, w: {} };
  const outcomes = await storeReports(deps, events({ version: 2, at: 1_500, reported }));
  expect(outcomes).toEqual(['stored']);
  expect(await report()).toMatchObject({ version: 2, receivedAtMs: 1_500 });
  expect((await stores.cells.load(north))?.meta.version).toBe(before + 1);
});

test.each<[string, Partial<CellStore>]>([
  ['a lost race', { commitWithReports: async () => 'conflict' }],
  ['a cell that cannot be read', { load: () => Promise.reject(new Error('the table is away')) }],
  ['a cell that is gone', { load: async () => null }],
])('after %s a report is stored for the pass of the stream', async (_, over) => {
  const { deps, stores, report } = await applying(over);
  const before = (await stores.cells.load(north))!.meta.version;
  const reported = { b: 'b', e: 0, n: 5, w: {} };
  expect(await storeReports(deps, events({ version: 2, at: 1_500, reported }))).toEqual(['stored']);
  expect(await report()).toMatchObject({ version: 2 });
  expect((await stores.cells.load(north))!.meta.version).toBe(before);
});
