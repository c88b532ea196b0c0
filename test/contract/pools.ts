import { expect, test } from 'vitest';
import { createPoolCells } from '../../adapters/dynamodb/fleet/pool-cells.ts';
import { newCellMeta } from '../../core/model/cell.ts';
import { cellIdOf } from '../../core/model/names.ts';
import { newPool } from '../../core/ports/pools.ts';
import { startMs } from '../core/cell-fixture.ts';
import { commit, enrol, north, south } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

/** What every store promises of pools and their cells. */
export const poolsContract: Contract = (makeStores) => {
  test('a pool that nobody has named has no cells', async () => {
    const { pools } = await makeStores();
    expect(await pools.find('default')).toEqual({ pool: null, cells: [] });
    expect(await pools.list()).toEqual([]);
    expect(await pools.allCells()).toEqual([]);
  });

  test('a pool comes into being with its first cell', async () => {
    const { pools, cells } = await makeStores();
    expect(await pools.ensureCell('default', 0, startMs)).toBe(north);
    const pool = newPool('default', startMs);
    expect(await pools.find('default')).toEqual({ pool, cells: [{ id: north, edges: 0 }] });
    expect(await cells.load(north)).toEqual({
      meta: newCellMeta(north, 'default', startMs),
      edges: new Map(),
      jobs: new Map(),
      queues: new Map(),
      tickAtMs: null,
    });
  });

  test('a cell that is there stays as it is when it is made again', async () => {
    const stores = await makeStores();
    await enrol(stores, 'edge-1');
    await commit(stores, north, {});
    const before = await stores.cells.load(north);
    await stores.pools.ensureCell('default', 0, startMs + 1);
    expect(await stores.cells.load(north)).toEqual(before);
    const { pool, cells } = await stores.pools.find('default');
    expect(pool?.createdAtMs).toBe(startMs);
    expect(cells).toEqual([{ id: north, edges: 1 }]);
  });

  test('what a user said of a pool stays when its first cell is made', async () => {
    const { pools } = await makeStores();
    const pool = { ...newPool('default', 1), description: 'mine', version: 1 };
    await pools.put(pool, null);
    await pools.ensureCell('default', 0, startMs);
    expect((await pools.find('default')).pool).toEqual(pool);
  });

  test('of two that saw the same pool one changes it', async () => {
    const { pools } = await makeStores();
    const pool = newPool('default', startMs);
    expect(await pools.put(pool, null)).toBe(true);
    expect(await pools.put(pool, null)).toBe(false);
    const changes = ['a', 'b'].map((description) => ({ ...pool, description, version: 1 }));
    const outcomes = await Promise.all(changes.map((it) => pools.put(it, 0)));
    expect(outcomes.toSorted()).toEqual([false, true]);
    expect((await pools.find('default')).pool).toEqual(changes[outcomes.indexOf(true)]);
  });

  test('pools are listed by name, and no pool has the cells of another', async () => {
    const { pools } = await makeStores();
    for (const name of ['b', 'a-1', 'a']) await pools.ensureCell(name, 0, startMs);
    expect(await pools.list()).toEqual(['a', 'a-1', 'b']);
    expect((await pools.find('a')).cells.map((cell) => cell.id)).toEqual(['a.0']);
  });

  test('cells come by pool and number, not as texts', async () => {
    const { pools } = await makeStores();
    for (const index of [10, 2, 0]) await pools.ensureCell('default', index, startMs);
    await pools.ensureCell('a', 0, startMs);
    const all = ['a.0', 'default.0', 'default.2', 'default.10'].map(cellIdOf);
    expect(await pools.allCells()).toEqual(all);
    const metas = await pools.metas([...all.toReversed(), cellIdOf('nowhere.0')]);
    expect(metas.map((meta) => meta.id)).toEqual(all);
  });

  test('the cells of a pool are made for a job, and not for who only looks', async () => {
    const { pools } = await makeStores();
    const cells = createPoolCells(pools);
    const none = { policy: 'spread', metas: [], largestEdgePower: null };
    expect(await cells.peek('default', startMs)).toEqual(none);
    expect(await pools.allCells()).toEqual([]);
    expect((await cells.ofPool('default', startMs)).metas.map(({ id }) => id)).toEqual([north]);
    expect((await cells.peek('default', startMs)).metas).toHaveLength(1);
  });

  test('the cells of a pool come with its policy and its largest edge', async () => {
    const stores = await makeStores();
    for (const index of [0, 1]) await stores.pools.ensureCell('default', index, startMs);
    await stores.pools.put({ ...newPool('default', startMs), policy: 'pack', version: 1 }, 0);
    const { meta } = (await stores.cells.load(south))!;
    const summary = { ...meta.summary, largestEdgePower: 400 };
    await commit(stores, south, { meta: { ...meta, version: 1, summary } });
    const found = await createPoolCells(stores.pools).peek('default', startMs);
    expect(found).toMatchObject({ policy: 'pack', largestEdgePower: 400 });
    expect(found.metas.map(({ id }) => id)).toEqual([north, south]);
  });
};
