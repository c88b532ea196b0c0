import { beforeEach, expect, test } from 'vitest';
import { emptyPoolKeptMs, poolsTidiedMax } from '../../../../core/model/limits.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../../core/model/names.ts';
import { newPool } from '../../../../core/ports/pools.ts';
import { tidyPools } from '../../../../lambdas/workers/tick/tidy-pools.ts';
import { commit, makeCreation, makeEnrolment } from '../../../contract/stored-fixture.ts';
import type { Stores } from '../../../contract/stored-ports.ts';
import { startMs } from '../../../core/cell-fixture.ts';
import { nothingStored } from '../../../memory/stored.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';

const laterMs = startMs + emptyPoolKeptMs;
let stores: Stores;
beforeEach(() => {
  stores = createMemoryStores(nothingStored());
});

async function tidy(nowMs = laterMs): Promise<void> {
  const { pools, jobs } = stores;
  const metas = await pools.metas(await pools.allCells());
  await tidyPools({ pools, jobs, clock: { nowMs: () => nowMs }, log: createQuietLog() }, metas);
}

async function submit(pool: string, id = 'job-1') {
  await stores.pools.ensureCell(pool, 0, startMs);
  const creation = makeCreation(jobIdOf(id), { pool });
  const audit = { atMs: startMs, by: '', action: '', target: '', requestId: '' };
  expect(await stores.changes.create(creation, null, audit)).toBe('created');
}

test('a pool that a slip of a key made goes with its job, and not before', async () => {
  await submit('defualt');
  await stores.pools.ensureCell('fresh', 0, laterMs);
  await tidy();
  expect(await stores.pools.list()).toContain('defualt');
  const id = jobIdOf('job-1');
  for (const cell of ['defualt.0', 'defualt.1'].map(cellIdOf)) {
    if ((await stores.cells.load(cell)) === null) continue;
    await commit(stores, cell, { endedJobs: new Set([id]) });
  }
  await tidy();
  expect(await stores.pools.list()).toContain('defualt');
  await stores.changes.purge({ kind: 'purge', id });
  await tidy();
  expect(await stores.pools.list()).toEqual(['fresh']);
});

test('what was named, holds an edge, or is where everything goes stays', async () => {
  const { pools, edges } = stores;
  await pools.ensureCell('default', 0, startMs);
  await pools.ensureCell('named', 0, startMs);
  await pools.put({ ...newPool('named', startMs), version: 1 }, 0);
  await pools.ensureCell('site', 0, startMs);
  const cell = cellIdOf('site.0');
  const enrolment = makeEnrolment('edge-1', { edge: edgeNameOf('edge-1'), cell });
  expect(await edges.enrol(enrolment)).toBe('enrolled');
  await tidy();
  expect(await pools.list()).toEqual(['default', 'named', 'site']);
});

test('a removed pool is forgotten when the last of its jobs is', async () => {
  await submit('gone');
  const id = jobIdOf('job-1');
  await commit(stores, cellIdOf('gone.0'), { endedJobs: new Set([id]) });
  expect(await stores.pools.remove('gone', 0)).toBe('removed');
  await tidy();
  expect(await stores.pools.listRemoved()).toEqual(['gone']);
  await stores.changes.purge({ kind: 'purge', id });
  await tidy();
  expect(await stores.pools.listWithJobs()).toEqual([]);
});

test('of many a few each minute, until all have had their turn', async () => {
  const names = Array.from({ length: 3 * poolsTidiedMax }, (_, at) => `typo-${at}`);
  for (const name of names) await stores.pools.ensureCell(name, 0, startMs);
  await tidy();
  expect(await stores.pools.list()).toHaveLength(names.length - poolsTidiedMax);
  for (let minute = 1; minute <= 4; minute++) await tidy(laterMs + minute * 60_000);
  expect(await stores.pools.list()).toEqual([]);
});
