import { expect, test } from 'vitest';
import { createJobStatistics } from '../../../../adapters/dynamodb/jobs/job-stats.ts';
import { createRollupStore } from '../../../../adapters/dynamodb/jobs/rollup-store.ts';
import {
  dependantKey,
  intentKey,
  jobPartition,
  pendingRollupKey,
  statusKey,
} from '../../../../adapters/dynamodb/keys.ts';
import {
  decodeStatus,
  encodeJobCell,
  encodeStatus,
} from '../../../../adapters/dynamodb/rows/rows-job.ts';
import { decodeIntent, encodeIntent } from '../../../../adapters/dynamodb/rows/rows-slice.ts';
import { jobRows } from '../../../../adapters/dynamodb/schema.ts';
import type { Table } from '../../../../adapters/dynamodb/table.ts';
import { rollUp } from '../../../../core/jobs/rollup.ts';
import { noChunks } from '../../../../core/model/job.ts';
import { newJobStatus } from '../../../../core/model/job-status.ts';
import { cellIdOf, type JobId, jobIdOf } from '../../../../core/model/names.ts';
import type { JobCellStatus } from '../../../../core/model/plan.ts';
import type { RollupStore } from '../../../../core/ports/rollups.ts';
import { rollUpJobs } from '../../../../lambdas/workers/rollup/roll-up-jobs.ts';
import { simulatedTable } from '../../../contract/simulated-stores.ts';
import { makeCellStatus, makeJob, startMs } from '../../../core/cell-fixture.ts';
import { createQuietLog } from '../../quiet-log.ts';

/** The rollup: what it folds, whom it tells, and what a race or a crash leaves behind. */
const cell = cellIdOf('default.0');
const endMs = startMs + 15_000;

async function stage() {
  const table = simulatedTable();
  const store = createRollupStore(table);
  const deps = { store, clock: { nowMs: () => endMs }, log: createQuietLog() };
  return { table, store, deps };
}

async function submit(table: Table, id: string, dependsOn: string[] = []): Promise<JobId> {
  const job = jobIdOf(id);
  const { intent } = makeJob(id);
  const status = newJobStatus({
    job,
    name: null,
    pool: 'default',
    queue: 'default',
    labels: {},
    chunking: intent.chunking,
    cells: [cell],
    dependsOn: dependsOn.map(jobIdOf),
    createdAtMs: startMs,
    maxFailedChunks: null,
  });
  await table.put(encodeStatus(status));
  await table.put(
    encodeIntent(cell, job, { ...intent, blockedByDependencies: status.blockedByDependencies }),
  );
  for (const parent of dependsOn) await table.put(dependantKey(jobIdOf(parent), job));
  return job;
}

async function count(table: Table, job: JobId, counts: Partial<JobCellStatus['counts']>) {
  const open = (counts.pending ?? 0) + (counts.running ?? 0) + (counts.waiting ?? 0);
  const status = makeCellStatus(job, {
    counts: { ...noChunks, total: 4, ...counts },
    donePower: (counts.done ?? 0) * 100,
    startedAtMs: startMs,
    endedAtMs: open === 0 ? endMs : null,
  });
  await table.put(encodeJobCell(cell, status));
}

const statusOf = async (table: Table, job: JobId) =>
  decodeStatus((await table.get(statusKey(job)))!);
const intentOf = async (table: Table, job: JobId) =>
  decodeIntent((await table.get(intentKey(cell, job)))!);

test('a job goes through its states with its timeline, and is counted once', async () => {
  const { table, deps } = await stage();
  const job = await submit(table, 'job-1');
  await count(table, job, { running: 3, done: 1 });
  expect(await rollUpJobs(deps, [job, job])).toEqual([]);
  expect(await statusOf(table, job)).toMatchObject({ state: 'running', donePower: 100 });
  await count(table, job, { done: 4 });
  await rollUpJobs(deps, [job]);
  await rollUpJobs(deps, [job]);
  expect(await statusOf(table, job)).toMatchObject({ state: 'done', endedAtMs: endMs });
  const events = await table.queryAll({ pk: jobPartition(job), skPrefix: jobRows.event });
  expect(events.map((row) => row.kind).toSorted()).toEqual(['done', 'started']);
  const stats = await createJobStatistics(table).current(endMs + 10_000);
  expect(stats).toMatchObject({ total: 1, jobsPerMinute: 1, chunksPer10Seconds: 4 });
  expect(stats.states).toMatchObject({ done: 1, running: 0 });
});

test('many jobs at once are all counted', async () => {
  const { table, deps } = await stage();
  const ids = Array.from({ length: 40 }, (_, at) => `job-${at}`);
  for (const id of ids) await count(table, await submit(table, id), { done: 4 });
  expect(await rollUpJobs(deps, ids.map(jobIdOf))).toEqual([]);
  expect((await createJobStatistics(table).current(endMs)).states.done).toBe(40);
});

test('a job that is gone is no failure', async () => {
  const { deps } = await stage();
  expect(await rollUpJobs(deps, [jobIdOf('nothing')])).toEqual([]);
});

test('a parent that ends releases who waits for it', async () => {
  const { table, deps } = await stage();
  const parent = await submit(table, 'parent');
  const child = await submit(table, 'child', ['parent']);
  await count(table, parent, { done: 4 });
  await rollUpJobs(deps, [parent]);
  expect(await statusOf(table, child)).toMatchObject({
    blockedByDependencies: false,
    state: 'pending',
  });
  expect((await intentOf(table, child)).blockedByDependencies).toBe(false);
});

test('a parent that fails ends its children, and theirs after them', async () => {
  const { table, deps } = await stage();
  const parent = await submit(table, 'parent');
  const child = await submit(table, 'child', ['parent']);
  const grandchild = await submit(table, 'grandchild', ['child']);
  await count(table, parent, { dead: 4 });
  await rollUpJobs(deps, [parent]);
  expect((await intentOf(table, child)).cancelled).toBe(true);
  expect((await intentOf(table, grandchild)).cancelled).toBe(false);
  await count(table, child, { cancelled: 4 });
  await rollUpJobs(deps, [child]);
  expect(await statusOf(table, child)).toMatchObject({
    state: 'failed',
    reason: 'dependency-failed',
  });
  expect((await intentOf(table, grandchild)).cancelled).toBe(true);
});

test('a crash after telling the cells and before the status is repaired by the next fold', async () => {
  const { table, store, deps } = await stage();
  const parent = await submit(table, 'parent');
  const child = await submit(table, 'child', ['parent']);
  await count(table, parent, { done: 4 });
  await rollUpJobs(deps, [parent]);
  await table.update(statusKey(child), { set: { held: true, state: 'waiting' } });
  const save: RollupStore['save'] = async () => {
    throw new Error('killed');
  };
  expect(await rollUpJobs({ ...deps, store: { ...store, save } }, [child])).toEqual([child]);
  expect(await rollUpJobs(deps, [child])).toEqual([]);
  expect(await statusOf(table, child)).toMatchObject({ blockedByDependencies: false });
});

test('a crash before the dependants are released leaves the rollup pending', async () => {
  const { table, store, deps } = await stage();
  const parent = await submit(table, 'parent');
  const child = await submit(table, 'child', ['parent']);
  await count(table, parent, { done: 4 });
  await table.put({ ...pendingRollupKey(parent), atMs: endMs });
  const dependantsOf: RollupStore['dependantsOf'] = async () => {
    throw new Error('killed');
  };
  await rollUpJobs({ ...deps, store: { ...store, dependantsOf } }, [parent]);
  expect(await store.pendingRollups(endMs + 1)).toEqual([parent]);
  await rollUpJobs(deps, [parent]);
  expect(await store.pendingRollups(endMs + 1)).toEqual([]);
  expect((await intentOf(table, child)).blockedByDependencies).toBe(false);
});

test('of two folds at once neither is lost', async () => {
  const { table, store, deps } = await stage();
  const job = await submit(table, 'job-1');
  await count(table, job, { running: 4 });
  let raced = false;
  const save: RollupStore['save'] = async (seen, rollup) => {
    if (!raced) {
      raced = true;
      await count(table, job, { done: 4 });
      await rollUpJobs(deps, [job]);
    }
    return store.save(seen, rollup);
  };
  expect(await rollUpJobs({ ...deps, store: { ...store, save } }, [job])).toEqual([]);
  expect(await statusOf(table, job)).toMatchObject({ state: 'done' });
  expect((await createJobStatistics(table).current(endMs)).states).toMatchObject({
    done: 1,
    running: 0,
  });
});

test('a fold that read before and wrote later does not undo a newer one', async () => {
  const { table, store, deps } = await stage();
  const job = await submit(table, 'job-1');
  await count(table, job, { running: 4 });
  await rollUpJobs(deps, [job]);
  await count(table, job, { running: 3, done: 1 });
  const old = (await store.load(job))!;
  await count(table, job, { running: 1, done: 3 });
  let raced = false;
  const save: RollupStore['save'] = async (seen, rollup) => {
    if (!raced) {
      raced = true;
      expect(await store.save(old.status, rollUp(old, endMs))).toBe('saved');
    }
    return store.save(seen, rollup);
  };
  await rollUpJobs({ ...deps, store: { ...store, save } }, [job]);
  expect(await statusOf(table, job)).toMatchObject({ counts: { running: 1, done: 3 } });
});
