import { expect, test } from 'vitest';
import { createPoolCells } from '../../adapters/dynamodb/fleet/pool-cells.ts';
import { newCellMeta } from '../../core/model/cell.ts';
import { unnamedPoolsMax } from '../../core/model/limits.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import { newPool } from '../../core/ports/pools.ts';
import { startMs } from '../core/cell-fixture.ts';
import { auditOf, commit, enrol, makeCreation, north, south, submit } from './stored-fixture.ts';
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

  test('what a pool believes of a claim is said of each of its edges, now and later', async () => {
    const stores = await makeStores();
    await enrol(stores, 'edge-1');
    const max = async (edge: string) => [
      (await stores.cells.load(north))!.edges.get(edgeNameOf(edge))!.capacityMax,
      (await stores.edges.load(north, edgeNameOf(edge)))!.capacityMax,
      (await stores.edges.listCell(north, null, 9)).find(({ name }) => name === edge)!.capacityMax,
    ];
    expect(await max('edge-1')).toEqual([undefined, undefined, undefined]);
    const seen = (await stores.pools.find('default')).pool!;
    const pool = { ...seen, edgeCapacityMax: { power: 500, constructor: 1 }, version: 1 };
    expect(await stores.pools.put(pool, 0)).toBe(true);
    expect((await stores.pools.find('default')).pool).toEqual(pool);
    await enrol(stores, 'edge-2');
    for (const edge of ['edge-1', 'edge-2']) {
      for (const found of await max(edge)) expect({ ...found }).toEqual(pool.edgeCapacityMax);
    }
    await stores.pools.ensureCell('default', 1, startMs);
    await enrol(stores, 'edge-3', { cell: south });
    const there = (await stores.cells.load(south))!.edges.get(edgeNameOf('edge-3'))!;
    expect({ ...there.capacityMax }).toEqual(pool.edgeCapacityMax);
    expect(await stores.pools.put({ ...pool, edgeCapacityMax: {}, version: 2 }, 1)).toBe(true);
    expect(await max('edge-1')).toEqual([undefined, undefined, undefined]);
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
    expect((await cells.ofPool('default', startMs))?.metas.map(({ id }) => id)).toEqual([north]);
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

  test('a pool that holds nothing goes with its cells, and may come again', async () => {
    const { pools, cells, queues } = await makeStores();
    await queues.put({ name: 'fast', weight: 3, strict: true, quota: 5, version: 1 }, null);
    for (const index of [0, 1]) await pools.ensureCell('typo', index, startMs);
    await pools.ensureCell('default', 0, startMs);
    expect(await pools.remove('typo', 0)).toBe('removed');
    expect(await pools.find('typo')).toEqual({ pool: null, cells: [] });
    expect([await pools.list(), await pools.listWithJobs(), await pools.listRemoved()]).toEqual([
      ['default'],
      ['default'],
      [],
    ]);
    expect(await pools.allCells()).toEqual([north]);
    expect(await cells.load(cellIdOf('typo.0'))).toBeNull();
    expect(await cells.adopt(cellIdOf('typo.0'), startMs)).toBe(false);
    await pools.ensureCell('typo', 0, startMs + 1);
    expect((await pools.find('typo')).pool?.createdAtMs).toBe(startMs + 1);
    expect((await cells.load(cellIdOf('typo.0')))?.queues.size).toBe(1);
  });

  test('a pool with an edge or an open job is in use', async () => {
    const stores = await makeStores();
    await enrol(stores, 'edge-1');
    expect(await stores.pools.remove('default', 0)).toBe('in-use');
    const { job } = await submit(stores, jobIdOf('job-1'), { pool: 'default' });
    await stores.pools.ensureCell('other', 0, startMs);
    expect(await stores.pools.remove('default', 0)).toBe('in-use');
    expect((await stores.cells.load(south))?.jobs.has(job.id)).toBe(true);
    expect(await stores.pools.remove('other', 1)).toBe('changed');
    expect(await stores.pools.list()).toContain('other');
  });

  test('a pool is remembered for its ended jobs, until it is forgotten or comes again', async () => {
    const stores = await makeStores();
    const { pools } = stores;
    const id = jobIdOf('job-1');
    await submit(stores, id);
    for (const cell of [north, south]) await commit(stores, cell, { endedJobs: new Set([id]) });
    expect(await pools.remove('default', 0)).toBe('removed');
    const lists = async () => [
      await pools.list(),
      await pools.listWithJobs(),
      await pools.listRemoved(),
    ];
    expect(await lists()).toEqual([[], ['default'], ['default']]);
    expect((await pools.find('default')).pool).toBeNull();
    expect(await pools.put({ ...newPool('default', 1), version: 1 }, null)).toBe(true);
    expect(await lists()).toEqual([['default'], ['default'], []]);
    expect(await pools.remove('default', 1)).toBe('removed');
    await pools.forget('default');
    expect(await lists()).toEqual([[], [], []]);
    await pools.ensureCell('default', 0, startMs);
    await pools.forget('default');
    expect(await pools.list()).toEqual(['default']);
  });

  test('what a removed cell counted stays in the figures', async () => {
    const stores = await makeStores();
    await stores.pools.ensureCell('default', 0, startMs);
    const { meta } = (await stores.cells.load(north))!;
    const chunks = { ...meta.summary.chunks, done: 5, dead: 1, cancelled: 2 };
    const power = { ...meta.summary.power, served: 50 };
    const jobStates = { ...meta.summary.jobStates, done: 3, scheduled: -1, total: 2 };
    const summary = { ...meta.summary, chunks, power, jobStates };
    await commit(stores, north, { meta: { ...meta, version: meta.version + 1, summary } });
    expect(await stores.pools.remove('default', 0)).toBe('removed');
    const { removedCells, states, total } = await stores.stats.current(startMs);
    expect([states.done, states.scheduled, total]).toEqual([3, -1, 2]);
    expect(removedCells).toEqual({ done: 5, dead: 1, cancelled: 2, served: 50 });
  });

  test('a job that comes to a cell while it is removed brings the cell back', async () => {
    const stores = await makeStores();
    const { pools, cells, changes } = stores;
    for (const index of [0, 1]) await pools.ensureCell('default', index, startMs);
    const late = makeCreation(jobIdOf('late'));
    expect(await pools.remove('default', 0)).toBe('removed');
    expect(await changes.create(late, null, auditOf('late'))).toBe('created');
    expect(await cells.load(north)).toBeNull();
    expect(await cells.adopt(north, startMs)).toBe(true);
    expect((await cells.load(north))?.jobs.has(late.job.id)).toBe(true);
    expect(await pools.list()).toEqual(['default']);
  });

  test('pools that nobody has named are counted, and are no more than a bound', async () => {
    const { pools } = await makeStores();
    const cells = createPoolCells(pools);
    expect(await cells.ofPool('typo', startMs)).not.toBeNull();
    await pools.put({ ...newPool('named', 1), version: 1 }, null);
    expect(await pools.countUnnamed()).toBe(1);
    await pools.put({ ...newPool('typo', 1), version: 1 }, 0);
    expect(await pools.countUnnamed()).toBe(0);
    const full = createPoolCells({ ...pools, countUnnamed: async () => unnamedPoolsMax });
    expect(await full.ofPool('one-more', startMs)).toBeNull();
    expect(await pools.list()).not.toContain('one-more');
    expect(await full.ofPool('named', startMs)).not.toBeNull();
    expect(await full.ofPool('typo', startMs)).not.toBeNull();
  });
};
