import { expect, test } from 'vitest';
import { cellIdOf } from '../../core/model/names.ts';
import type { StoredQueue } from '../../core/ports/pools.ts';
import { startMs } from '../core/cell-fixture.ts';
import { north } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const fast: StoredQueue = { name: 'fast', weight: 3, strict: true, quota: 500, version: 1 };

const copyIn = async ({ cells }: Stores, cell: string) =>
  (await cells.load(cellIdOf(cell)))?.queues.get('fast');

/** What every store promises of queues: stored once, and known in every cell. */
export const queuesContract: Contract = (makeStores) => {
  test('a queue is read as it was stored, and listed by name', async () => {
    const { queues } = await makeStores();
    expect(await queues.find('fast')).toBeNull();
    const slow = { ...fast, name: 'a-slow', strict: false, quota: null };
    for (const queue of [fast, slow]) expect(await queues.put(queue, null)).toBe(true);
    expect(await queues.find('fast')).toEqual(fast);
    expect(await queues.list()).toEqual([slow, fast]);
  });

  test('of two that saw the same queue one changes it', async () => {
    const { queues } = await makeStores();
    await queues.put(fast, null);
    expect(await queues.put(fast, null)).toBe(false);
    const changes = [4, 5].map((weight) => ({ ...fast, weight, version: 2 }));
    const outcomes = await Promise.all(changes.map((it) => queues.put(it, 1)));
    expect(outcomes.toSorted()).toEqual([false, true]);
    expect(await queues.find('fast')).toEqual(changes[outcomes.indexOf(true)]);
  });

  test('a queue that is not there cannot be changed', async () => {
    const { queues } = await makeStores();
    expect(await queues.put({ ...fast, version: 2 }, 1)).toBe(false);
    expect(await queues.find('fast')).toBeNull();
  });

  test('every cell of every pool has its part of the quota, and at least one', async () => {
    const stores = await makeStores();
    for (const index of [0, 1, 2]) await stores.pools.ensureCell('default', index, startMs);
    await stores.pools.ensureCell('other', 0, startMs);
    await stores.queues.put(fast, null);
    expect(await copyIn(stores, north)).toEqual({ weight: 3, strict: true, quota: 166 });
    expect(await copyIn(stores, 'other.0')).toMatchObject({ quota: 500 });
    await stores.queues.put({ ...fast, quota: 2, version: 2 }, 1);
    expect(await copyIn(stores, 'default.2')).toMatchObject({ quota: 1 });
    await stores.queues.put({ ...fast, quota: null, version: 3 }, 2);
    expect(await copyIn(stores, 'default.2')).toMatchObject({ quota: null });
  });

  test('a new cell knows the queues, and takes its part from its siblings', async () => {
    const stores = await makeStores();
    await stores.queues.put(fast, null);
    await stores.pools.ensureCell('default', 0, startMs);
    expect(await copyIn(stores, north)).toMatchObject({ quota: 500 });
    await stores.pools.ensureCell('default', 1, startMs);
    const parts = await Promise.all(['default.0', 'default.1'].map((it) => copyIn(stores, it)));
    expect(parts.map((it) => it?.quota)).toEqual([250, 250]);
  });

  test('a queue goes with its copies, and may come again', async () => {
    const stores = await makeStores();
    const { queues, pools } = stores;
    for (const name of ['default', 'other']) await pools.ensureCell(name, 0, startMs);
    await queues.put(fast, null);
    expect(await queues.remove('fast', 2)).toBe(false);
    expect(await queues.remove('fast', 1)).toBe(true);
    expect(await queues.remove('fast', 1)).toBe(false);
    expect(await queues.list()).toEqual([]);
    for (const cell of ['default.0', 'other.0']) {
      expect(await copyIn(stores, cell)).toBeUndefined();
    }
    await Promise.all([queues.put(fast, null), queues.put({ ...fast, weight: 9 }, null)]);
    const { weight } = (await queues.find('fast'))!;
    expect(await copyIn(stores, 'other.0')).toMatchObject({ weight });
  });
};
