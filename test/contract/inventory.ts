import { expect, test } from 'vitest';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { EdgeEvent } from '../../core/protocol/edge-event.ts';
import { type ProgressReport, parseProgressReport } from '../../core/protocol/progress-report.ts';
import { enrol } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const cell = cellIdOf('default.0');
const edge = edgeNameOf('edge-1');
const dayMs = 86_400_000;

function progress(
  version: number | null,
  over: { n?: number | null; b?: string; at?: number } = {},
) {
  const { n = null, b = 'boot-1', at = 1_000 } = over;
  const parsed = parseProgressReport({
    b,
    e: 1,
    n,
    f: 250,
    w: { job: { d: '0', a: '1' } },
  }) as ProgressReport;
  return { kind: 'prog', edge, atMs: at, version, progress: parsed } as const;
}

function presence(kind: 'connected' | 'disconnected', version: number, atMs: number): EdgeEvent {
  return { kind, edge, version, atMs };
}

function factsEvent(version: number | null, power: number, atMs = 1_000) {
  const facts = {
    capacity: { power },
    labels: { site: 'north' },
    facts: { os: { version: '12' } },
  };
  return { kind: 'facts', edge, version, atMs, facts } as const;
}

/** What every inventory promises: the newest wins, whatever the order in which events arrive. */
export const inventoryContract: Contract = (makeStores) => {
  const stored = async (events: readonly EdgeEvent[]) => {
    const stores = await makeStores();
    await enrol(stores, edge);
    const outcomes = [];
    for (const event of events) outcomes.push(await stores.inventory.store(cell, event));
    const { report, facts } = (await stores.cells.load(cell))!.edges.get(edge)!;
    const { allFacts, factsAtMs } = (await stores.edges.load(cell, edge))!;
    return { outcomes, report, facts, allFacts, factsAtMs };
  };

  test('only edges that are enrolled have a cell', async () => {
    const stores = await makeStores();
    await enrol(stores, edge);
    const cells = await stores.inventory.cellsOf([edge, edgeNameOf('edge-2'), edge]);
    expect([...cells]).toEqual([[edge, cell]]);
  });

  test('a report is read back as it was sent, and proves a connection', async () => {
    const event = progress(3, { n: 7 });
    const { outcomes, report } = await stored([event]);
    expect(outcomes).toEqual(['stored']);
    expect(report?.progress).toEqual(event.progress);
    expect(report).toMatchObject({ version: 3, receivedAtMs: 1_000, connected: true });
  });

  test('a report of an older shadow version, or the same again, changes nothing', async () => {
    const { outcomes, report } = await stored([progress(5, { at: 9 }), progress(4), progress(5)]);
    expect(outcomes).toEqual(['stored', 'older', 'older']);
    expect(report).toMatchObject({ version: 5, receivedAtMs: 9 });
  });

  test('a late message of one way does not undo a report that came the other', async () => {
    const overHttps = progress(null, { n: 9, at: 2_000 });
    const { outcomes, report } = await stored([
      progress(5, { n: 7 }),
      overHttps,
      progress(6, { n: 8 }),
    ]);
    expect(outcomes).toEqual(['stored', 'stored', 'older']);
    expect(report?.progress?.sequence).toBe(9);
  });

  test('an agent that lost its journal starts counting again and its reports count', async () => {
    const { outcomes } = await stored([
      progress(5, { n: 700 }),
      progress(6, { n: 1, b: 'boot-2' }),
    ]);
    expect(outcomes).toEqual(['stored', 'stored']);
  });

  test('without a version and a sequence the later report wins', async () => {
    const { outcomes } = await stored([progress(null, { at: 5 }), progress(null, { at: 4 })]);
    expect(outcomes).toEqual(['stored', 'older']);
  });

  test('the end of a connection wins over its beginning in either order', async () => {
    const [up, down] = [presence('connected', 4, 10), presence('disconnected', 4, 20)];
    expect((await stored([up, down])).report?.connected).toBe(false);
    expect((await stored([down, up])).report?.connected).toBe(false);
  });

  test('a disconnect of an earlier connection is no disconnect', async () => {
    const events = [presence('connected', 5, 30), presence('disconnected', 4, 40)];
    const { outcomes, report } = await stored(events);
    expect(outcomes).toEqual(['stored', 'older']);
    expect(report).toMatchObject({ connected: true, connectionVersion: 5 });
  });

  test('the broker may start counting again after a long absence', async () => {
    const events = [presence('disconnected', 99, 10), presence('connected', 0, dayMs)];
    const { report } = await stored(events);
    expect(report).toMatchObject({ connected: true, connectionVersion: 0 });
  });

  test('a report after a disconnect proves a connection, one before it does not', async () => {
    const gone = presence('disconnected', 1, 1_000);
    expect((await stored([gone, progress(1, { at: 1_001 })])).report?.connected).toBe(true);
    expect((await stored([gone, progress(1, { at: 999 })])).report?.connected).toBe(false);
  });

  test('contacts over HTTPS keep an edge that reports over HTTPS, and no other', async () => {
    const contact = (atMs: number) => ({ kind: 'contact', edge, atMs, version: null }) as const;
    const overHttps = progress(null, { n: 1, at: 1_000 });
    const { outcomes, report } = await stored([overHttps, contact(20_000), contact(20_001)]);
    expect(outcomes).toEqual(['stored', 'stored', 'older']);
    expect(report?.poll).toEqual({ contactAtMs: 20_000, everyMs: 10_000 });
    const overMqtt = progress(2, { n: 2, at: 2_000 });
    expect((await stored([overHttps, overMqtt, contact(20_000)])).report?.poll).toBeUndefined();
    expect((await stored([contact(20_000)])).report).toBeNull();
  });

  test('a connection leaves the report as it is', async () => {
    const { report } = await stored([progress(3), presence('disconnected', 1, 2_000)]);
    expect(report?.progress?.jobs.has(jobIdOf('job'))).toBe(true);
  });

  test('facts are kept as leaves, the newest wins', async () => {
    const { outcomes, facts } = await stored([factsEvent(2, 300), factsEvent(1, 100)]);
    expect(outcomes).toEqual(['stored', 'older']);
    expect(facts).toEqual({
      capacity: { power: 300 },
      labels: { site: 'north' },
      flat: { 'os.version': '12' },
    });
  });

  test('facts over HTTPS win when they came later', async () => {
    const { outcomes } = await stored([
      factsEvent(2, 300, 10),
      factsEvent(null, 100, 20),
      factsEvent(null, 50, 15),
    ]);
    expect(outcomes).toEqual(['stored', 'stored', 'older']);
  });

  test('reports of a client that keeps a sequence only sometimes count', async () => {
    const events = [progress(1, { n: 700 }), progress(2), progress(3, { n: 1 })];
    expect((await stored(events)).outcomes).toEqual(['stored', 'stored', 'stored']);
  });

  test('all that an edge said of itself is as new as the facts of its cell', async () => {
    const older = factsEvent(1, 100);
    const { allFacts, factsAtMs } = await stored([
      { ...factsEvent(2, 300), facts: { ...older.facts, facts: { os: { version: '13' } } } },
      older,
    ]);
    expect(allFacts).toEqual({ os: { version: '13' } });
    expect(factsAtMs).toBe(older.atMs);
    expect((await stored([])).factsAtMs).toBeUndefined();
  });
};
