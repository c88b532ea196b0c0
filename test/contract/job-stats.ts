import { expect, test } from 'vitest';
import { type JobState, jobStates } from '../../core/model/job.ts';
import { type JobId, jobIdOf } from '../../core/model/names.ts';
import { noRemovedCells } from '../../core/ports/job-stats.ts';
import { startMs } from '../core/cell-fixture.ts';
import { submit } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

/** Folds a job into a state, as the rollup does. */
async function count({ rollups }: Stores, id: JobId, state: JobState): Promise<void> {
  const { status } = (await rollups.load(id))!;
  const next = { ...status, state, countedAs: state, version: status.version + 1 };
  const saved = await rollups.save(status, {
    next,
    changed: true,
    release: [],
    cancel: [],

    events: [],
    settleDependants: false,
    progress: { chunks: 0, jobs: 0 },
  });
  expect(saved).toBe('saved');
}

/** What every store promises of the figures of all jobs. */
export const jobStatsContract: Contract = (makeStores) => {
  test('nothing counted is nothing', async () => {
    const { stats } = await makeStores();
    const current = await stats.current(startMs);
    expect(Object.values(current.states)).toEqual(jobStates.map(() => 0));
    const rest = { total: 0, jobsPerMinute: 0, chunksPer10Seconds: 0 };
    const { states } = current;
    expect(current).toEqual({ states, removedCells: noRemovedCells, ...rest });
  });

  test('a job is in one state at a time, and in the total once for all time', async () => {
    const stores = await makeStores();
    const ids = Array.from({ length: 12 }, (_, at) => jobIdOf(`job-${at}`));
    for (const id of ids) await submit(stores, id);
    for (const state of ['pending', 'running'] as const) {
      await Promise.all(ids.map((id) => count(stores, id, state)));
    }
    await Promise.all(ids.slice(0, 5).map((id) => count(stores, id, 'done')));
    await count(stores, ids[5]!, 'failed');
    await stores.changes.purge({ kind: 'purge', id: ids[0]! });
    const { states, total } = await stores.stats.current(startMs);
    expect(states).toMatchObject({ pending: 0, running: 6, done: 5, failed: 1 });
    expect(total).toBe(12);
  });

  test('rates are of whole intervals that are over', async () => {
    const { rollups, stats } = await makeStores();
    const nowMs = Math.floor(startMs / 60_000) * 60_000 + 25_000;
    const tell = (chunks: number, jobs: number, agoMs: number) =>
      rollups.countProgress({ chunks, jobs }, nowMs - agoMs);
    await tell(1_000, 1_000, 0);
    await tell(3, 1, 6_000);
    await tell(4, 0, 15_000);
    await tell(5, 2, 65_000);
    await tell(100, 100, 65_001);
    expect(await stats.current(nowMs)).toMatchObject({ jobsPerMinute: 3, chunksPer10Seconds: 7 });
  });

  test('progress of one moment adds up, whoever writes it', async () => {
    const { rollups, stats } = await makeStores();
    const counted = Array.from({ length: 5 }, () =>
      rollups.countProgress({ chunks: 2, jobs: 1 }, 0),
    );
    await Promise.all(counted);
    const current = await stats.current(10_000);
    expect(current).toMatchObject({ jobsPerMinute: 5, chunksPer10Seconds: 10 });
  });

  test('the history is what ended in each minute of the last hour, and no more', async () => {
    const { rollups, stats } = await makeStores();
    // Both sides of a border between a thousand intervals, and what is too old to be shown.
    const nowMs = 10_000_000 * 170_000 + 25_000;
    const minute = Math.floor(nowMs / 60_000) * 60_000;
    await rollups.countProgress({ chunks: 1, jobs: 1 }, nowMs);
    await rollups.countProgress({ chunks: 2, jobs: 0 }, nowMs - 60_000);
    await rollups.countProgress({ chunks: 3, jobs: 0 }, nowMs - 40_000);
    await rollups.countProgress({ chunks: 5, jobs: 2 }, minute - 59 * 60_000);
    await rollups.countProgress({ chunks: 100, jobs: 100 }, minute - 59 * 60_000 - 1);
    const history = await stats.history(nowMs);
    expect(history).toHaveLength(60);
    expect(history.at(-1)?.atMs).toBe(minute);
    expect(history.filter(({ chunks }) => chunks > 0)).toEqual([
      { atMs: minute - 59 * 60_000, chunks: 5, jobs: 2 },
      { atMs: minute - 60_000, chunks: 2, jobs: 0 },
      { atMs: minute, chunks: 4, jobs: 1 },
    ]);
  });
};
