import { expect, test } from 'vitest';
import { noEdgeWork } from '../../core/model/cell.ts';
import { cellEdgesMax } from '../../core/model/limits.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { EdgeIdentity } from '../../core/ports/edges.ts';
import type { EdgeEvent } from '../../core/protocol/edge-event.ts';
import { parseProgressReport } from '../../core/protocol/progress-report.ts';
import { plainConfig, startMs } from '../core/cell-fixture.ts';
import { commit, enrol, makeEnrolment, north, planOver } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const name = edgeNameOf('edge-1');
const there = cellIdOf('hpc.0');
const config = { ...plainConfig, labels: { rack: '7' } };
const work = {
  ...noEdgeWork,
  epoch: 12,
  boot: 'boot-1',
  totals: { chunksDone: 3, powerServed: 30 },
};

const reported = (epoch: number, atMs: number): EdgeEvent => {
  const progress = parseProgressReport({ b: 'boot-1', e: epoch, n: epoch, f: 250, w: {} })!;
  return { kind: 'prog', edge: name, atMs, version: epoch, progress };
};

async function inNorth(makeStores: () => Promise<Stores>) {
  const stores = await makeStores();
  await stores.pools.ensureCell('hpc', 0, startMs);
  const identity = await enrol(stores, name, { credentials: ['a', 'b'] });
  await commit(stores, north, { works: new Map([[name, work]]) });
  await stores.inventory.store(north, reported(12, startMs));
  return { stores, identity };
}

async function move({ edges }: Stores, identity: EdgeIdentity, to = there) {
  const seen = (await edges.inCell(identity.cell, name))!;
  return () => edges.move({ identity, to, seen, config, work, nowMs: startMs + 1 });
}

const countIn = async ({ pools }: Stores, pool: string) =>
  (await pools.find(pool)).cells.map(({ edges }) => edges);

/** What every store promises of edges that go from one cell to another. */
export const edgeMovesContract: Contract = (makeStores) => {
  test('its name, its secrets, its settings and what it said are in the other cell', async () => {
    const { stores, identity } = await inNorth(makeStores);
    const before = (await stores.edges.load(north, name))!;
    expect(await (await move(stores, identity))()).toBe('moved');
    expect(await stores.edges.load(north, name)).toBeNull();
    const after = await stores.edges.load(there, name);
    expect(after).toEqual({ ...before, cell: there, config, work, version: 2 });
    expect((await stores.cells.load(there))!.edges.get(name)?.work).toEqual(work);
    expect((await stores.cells.load(north))!.edges.size).toBe(0);
    expect(await stores.edges.identify(name)).toEqual({ ...identity, cell: there });
    for (const secret of ['a', 'b']) {
      const found = await stores.tokens.find(secret);
      expect(found).toEqual({ kind: 'edge', edge: name, cell: there });
    }
    expect(await stores.inventory.cellsOf([name])).toEqual(new Map([[name, there]]));
    expect([await countIn(stores, 'default'), await countIn(stores, 'hpc')]).toEqual([[0], [1]]);
  });

  test('the cell that it left is woken, and its next report goes to the other', async () => {
    const { stores, identity } = await inNorth(makeStores);
    await (await move(stores, identity))();
    expect((await stores.cells.load(north))!.tickAtMs).toBe(startMs + 1);
    expect(await stores.inventory.store(there, reported(11, startMs + 2))).toBe('older');
    expect(await stores.inventory.store(there, reported(13, startMs + 3))).toBe('stored');
    expect((await stores.edges.load(there, name))!.report?.progress?.epoch).toBe(13);
  });

  test('a pass between the look and the move refuses the move', async () => {
    const { stores, identity } = await inNorth(makeStores);
    const late = await move(stores, identity);
    await commit(stores, north, { works: new Map([[name, { ...work, epoch: 13 }]]) });
    expect(await late()).toBe('changed');
    expect((await stores.edges.load(north, name))!.work?.epoch).toBe(13);
    expect(await stores.edges.load(there, name)).toBeNull();
    expect([await countIn(stores, 'default'), await countIn(stores, 'hpc')]).toEqual([[1], [0]]);
  });

  test('a pass that was decided before the move is not committed after it', async () => {
    const { stores, identity } = await inNorth(makeStores);
    const { meta } = (await stores.cells.load(north))!;
    await (await move(stores, identity))();
    const given = { ...work, epoch: 13, removed: [jobIdOf('job')] };
    const plan = { works: new Map([[name, given]]) };
    expect(await stores.cells.commit(planOver(meta, plan))).toBe('conflict');
    expect((await stores.edges.load(there, name))!.work).toEqual(work);
    expect((await stores.cells.load(north))!.edges.size).toBe(0);
  });

  test('what its user changed meanwhile refuses the move', async () => {
    const { stores, identity } = await inNorth(makeStores);
    const late = await move(stores, identity);
    await stores.edges.configure(north, name, plainConfig, 1);
    expect(await late()).toBe('changed');
    expect(await stores.edges.load(there, name)).toBeNull();
  });

  test('an edge that is to go, or has other secrets by now, stays', async () => {
    const { stores, identity } = await inNorth(makeStores);
    const late = await move(stores, identity);
    const renewed = (await stores.edges.addCredential(identity, 'c'))!;
    expect(await late()).toBe('changed');
    await stores.edges.markRemoving(renewed, startMs);
    expect(await (await move(stores, renewed))()).toBe('changed');
    expect(await stores.edges.identify(name)).toMatchObject({ cell: north });
  });

  test('what it says between the look and the move is not lost', async () => {
    const { stores, identity } = await inNorth(makeStores);
    const late = await move(stores, identity);
    await stores.inventory.store(north, reported(13, startMs + 1));
    if ((await late()) === 'changed') await (await move(stores, identity))();
    expect((await stores.edges.load(there, name))!.report?.progress?.epoch).toBe(13);
  });

  test('of two moves at once one is made', async () => {
    const { stores, identity } = await inNorth(makeStores);
    await stores.pools.ensureCell('site', 0, startMs);
    const other = cellIdOf('site.0');
    const moves = [await move(stores, identity), await move(stores, identity, other)];
    const outcomes = await Promise.all(moves.map((it) => it()));
    expect(outcomes.toSorted()).toEqual(['changed', 'moved']);
    const { cell } = (await stores.edges.identify(name))!;
    expect(cell).toBe(outcomes[0] === 'moved' ? there : other);
    const counts = await Promise.all(['default', 'hpc', 'site'].map((it) => countIn(stores, it)));
    expect(counts.flat().reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  test('back again it is as it is now, and not as it was then', async () => {
    const { stores, identity } = await inNorth(makeStores);
    await (await move(stores, identity))();
    await stores.inventory.store(there, reported(13, startMs + 1));
    expect(await (await move(stores, { ...identity, cell: there }, north))()).toBe('moved');
    const back = (await stores.edges.load(north, name))!;
    expect([back.report?.progress?.epoch, back.version]).toEqual([13, 3]);
    expect(await stores.edges.load(there, name)).toBeNull();
  });

  test('a cell that has no room takes none', async () => {
    const { stores, identity } = await inNorth(makeStores);
    for (let at = 0; at < cellEdgesMax; at++) {
      await stores.edges.enrol(makeEnrolment(`other-${at}`, { cell: there }));
    }
    expect(await (await move(stores, identity))()).toBe('full');
    expect(await stores.edges.load(north, name)).not.toBeNull();
    // A quarter of a thousand transactions, one after the other, on whichever database.
  }, 120_000);

  test('an edge that is not there is not looked at', async () => {
    const { stores } = await inNorth(makeStores);
    expect(await stores.edges.inCell(there, name)).toBeNull();
    expect(await stores.edges.inCell(north, edgeNameOf('nobody'))).toBeNull();
  });
};
