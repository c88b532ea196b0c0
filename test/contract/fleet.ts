import { expect, test } from 'vitest';
import { jobIdOf } from '../../core/model/names.ts';
import { startMs } from '../core/cell-fixture.ts';
import { cellStatus, commit, north, south, submit } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

/** What every store promises the minute tick. */
export const fleetContract: Contract = (makeStores) => {
  test('the fleet is all cells of all pools with their summaries', async () => {
    const stores = await makeStores();
    for (const [pool, index] of [
      ['default', 1],
      ['default', 0],
      ['a', 0],
    ] as const) {
      await stores.pools.ensureCell(pool, index, startMs);
    }
    const cells = await stores.fleet.cells();
    expect(cells).toEqual(['a.0', north, south]);
    const metas = await stores.fleet.metas(cells);
    expect(metas).toEqual(await stores.pools.metas(cells));
    expect(metas.map((meta) => meta.pool)).toEqual(['a', 'default', 'default']);
  });

  test('a cell that is touched knows when, and nothing else of it changes', async () => {
    const { fleet, pools, cells } = await makeStores();
    await pools.ensureCell('default', 0, startMs);
    const before = await cells.load(north);
    await fleet.touch(north, startMs + 60_000);
    await fleet.touch(north, startMs + 120_000);
    expect(await cells.load(north)).toEqual({ ...before, tickAtMs: startMs + 120_000 });
  });

  test('jobs whose last fold may be lost are come back to', async () => {
    const stores = await makeStores();
    const job = jobIdOf('job-1');
    await submit(stores, job);
    await commit(stores, north, {
      jobStatuses: new Map([[job, cellStatus(job, { endedAtMs: startMs })]]),
      endedJobs: new Set([job]),
    });
    expect(await stores.fleet.pendingRollups(startMs + 1)).toEqual([job]);
  });
};
