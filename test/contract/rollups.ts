import { expect, test } from 'vitest';
import type { Rollup } from '../../core/jobs/rollup.ts';
import type { JobEvent } from '../../core/model/job-event.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import { jobIdOf } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { startMs } from '../core/cell-fixture.ts';
import { cellStatus, commit, north, south, submit, traceOf } from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const job = jobIdOf('job-1');
const other = jobIdOf('job-2');
const started: JobEvent = { atMs: startMs, kind: 'started', by: 'scheduler', detail: '1 of 16.' };

async function stage(makeStores: () => Promise<Stores>) {
  const stores = await makeStores();
  const { status } = await submit(stores, job);
  return { ...stores, status };
}

/** A fold whose only change is what the test is about. */
function foldOf(seen: JobStatus, change: Partial<JobStatus>, events: JobEvent[] = []): Rollup {
  const next = { ...seen, ...change, version: seen.version + 1 };
  return {
    next,
    changed: true,
    release: [],
    cancel: [],

    events,
    settleDependants: false,
    progress: { chunks: 0, jobs: 0 },
  };
}

const intentIn = async ({ cells }: Stores, cell = north) =>
  (await cells.load(cell))?.jobs.get(job)?.intent;

/** What every store promises the rollup. */
export const rollupsContract: Contract = (makeStores) => {
  test('a job is seen with what each of its cells counted last', async () => {
    const stores = await stage(makeStores);
    expect(await stores.rollups.load(other)).toBeNull();
    const before = cellStatus(job, { done: rangeOf(0, 1) });
    const last = cellStatus(job, { done: rangeOf(0, 2), dead: rangeOf(2, 3) });
    for (const it of [before, last]) {
      await commit(stores, north, { jobStatuses: new Map([[job, it]]) });
    }
    expect(await stores.rollups.load(job)).toEqual({
      status: stores.status,
      cells: new Map([[north, last]]),
      parents: new Map(),
    });
  });

  test('a job that waits for others is seen with the states of those there are', async () => {
    const stores = await stage(makeStores);
    const parent = (await stores.jobs.find(job))!;
    const child = await submit(stores, other, { parents: [parent] });
    const view = { status: child.status, cells: new Map() };
    const parents = new Map([[job, 'pending']]);
    expect(await stores.rollups.load(other)).toEqual({ ...view, parents });
    expect(await stores.rollups.dependantsOf(job)).toEqual([other]);
    expect(await stores.rollups.dependantsOf(other)).toEqual([]);
    await stores.changes.purge({ kind: 'purge', id: job });
    expect(await stores.rollups.load(other)).toEqual({ ...view, parents: new Map() });
  });

  test('a fold is read as it was saved, with what the timeline says of it', async () => {
    const stores = await stage(makeStores);
    const fold = foldOf(
      stores.status,
      {
        state: 'running',
        counts: { ...stores.status.counts, pending: 15, running: 1 },
        donePower: 100,
        workedPower: 130,
        service: { wanted: 16, ready: 1, restarts: 2 },
        startedAtMs: startMs,
        waiting: [{ reason: 'no-free-power', chunks: 3, edges: 0, examples: [], detail: '' }],
        countedAs: 'running',
      },
      [started],
    );
    expect(await stores.rollups.save(stores.status, fold)).toBe('saved');
    expect((await stores.jobs.find(job))?.status).toEqual(fold.next);
    const [event] = await stores.jobs.events(job, null, 9);
    expect(event).toMatchObject(started);
  });

  test('of two folds of one version the other says and counts nothing', async () => {
    const stores = await stage(makeStores);
    const folds = (['running', 'done'] as const).map((state) =>
      foldOf(stores.status, { state, countedAs: state }, [{ ...started, kind: state }]),
    );
    const outcomes = await Promise.all(
      folds.map((fold) => stores.rollups.save(stores.status, fold)),
    );
    expect(outcomes.toSorted()).toEqual(['conflict', 'saved']);
    const winner = folds[outcomes.indexOf('saved')]!.next;
    expect((await stores.jobs.find(job))?.status).toEqual(winner);
    const events = await stores.jobs.events(job, null, 9);
    expect(events.map((event) => event.kind)).toEqual([winner.state]);
    const { states, total } = await stores.stats.current(startMs);
    expect([states[winner.state], total]).toEqual([1, 1]);
  });

  test('a fold of a job that was purged is a conflict', async () => {
    const stores = await stage(makeStores);
    await stores.changes.purge({ kind: 'purge', id: job });
    for (const fold of [
      foldOf(stores.status, { donePower: 1 }),
      foldOf(stores.status, { countedAs: 'done' }, [started]),
    ]) {
      expect(await stores.rollups.save(stores.status, fold)).toBe('conflict');
    }
    expect(await stores.rollups.load(job)).toBeNull();
    expect((await stores.stats.current(startMs)).total).toBe(0);
  });

  test('what its user changed stays as it is when a fold is saved', async () => {
    const stores = await stage(makeStores);
    const cells = [north, south];
    const detail = '';
    const change = { kind: 'cancel', id: job, seenVersion: 1, atMs: 5, cells, detail } as const;
    await stores.changes.commit(change, traceOf(job));
    const { status } = (await stores.rollups.load(job))!;
    expect(status).toMatchObject({ cancelled: true, version: stores.status.version + 1 });
    expect(await stores.rollups.save(stores.status, foldOf(stores.status, {}))).toBe('conflict');
    await stores.rollups.save(status, foldOf(status, { state: 'cancelled' }));
    expect((await stores.jobs.find(job))?.status).toMatchObject({
      cancelled: true,
      state: 'cancelled',
    });
  });

  test('cells get to know that a job may start, and that it shall end', async () => {
    const stores = await makeStores();
    await submit(stores, other);
    const parent = (await stores.jobs.find(other))!;
    await submit(stores, job, { parents: [parent] });
    expect(await intentIn(stores)).toMatchObject({ blockedByDependencies: true, cancelled: false });
    await stores.rollups.release(job, [north]);
    expect(await intentIn(stores)).toMatchObject({
      blockedByDependencies: false,
      cancelled: false,
    });
    expect(await intentIn(stores, south)).toMatchObject({ blockedByDependencies: true });
    await stores.rollups.cancel(job, [north, south]);
    expect(await intentIn(stores)).toMatchObject({ blockedByDependencies: false, cancelled: true });
    expect(await intentIn(stores, south)).toMatchObject({
      blockedByDependencies: true,
      cancelled: true,
    });
  });

  test('a cell gets to know that it is its turn, and which one', async () => {
    const stores = await stage(makeStores);
    const back = { to: 1, reason: 'instance 3 on edge-1 ended: exit code 1' };
    for (const turn of [{ wish: 2 }, { wish: 2 }, { wish: 3, back }]) {
      await stores.rollups.giveTurn(job, { cell: north, turn });
      expect((await intentIn(stores))?.turn).toEqual(turn);
    }
    expect(await intentIn(stores, south)).not.toHaveProperty('turn');
  });

  test('a cell that has ended the job is left alone', async () => {
    const stores = await stage(makeStores);
    await commit(stores, north, { endedJobs: new Set([job]) });
    const before = await stores.cells.load(north);
    await stores.rollups.release(job, [north]);
    await stores.rollups.cancel(job, [north]);
    await stores.rollups.giveTurn(job, { cell: north, turn: { wish: 2 } });
    expect(await stores.cells.load(north)).toEqual(before);
  });

  test('a rollup is pending from the end in a cell until a status as late was saved', async () => {
    const stores = await stage(makeStores);
    const end = (cell: typeof north, endedAtMs: number) =>
      commit(stores, cell, {
        jobStatuses: new Map([[job, cellStatus(job, { endedAtMs })]]),
        endedJobs: new Set([job]),
      });
    const owed = () => stores.rollups.pendingRollups(startMs + 100);
    await end(north, startMs);
    expect(await stores.rollups.pendingRollups(startMs)).toEqual([]);
    expect(await owed()).toEqual([job]);
    await end(south, startMs + 9);
    await stores.rollups.settle(job, startMs);
    expect(await owed()).toEqual([job]);
    await stores.rollups.settle(job, startMs + 9);
    expect(await owed()).toEqual([]);
    await stores.rollups.settle(job, startMs + 9);
  });
};
