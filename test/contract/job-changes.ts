import { expect, test } from 'vitest';
import { cancel, type JobCancel } from '../../core/jobs/cancel.ts';
import { edit, type JobEdit } from '../../core/jobs/edit.ts';
import { type JobRetry, retry } from '../../core/jobs/retry.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { startMs } from '../core/cell-fixture.ts';
import {
  cellStatus,
  commit,
  executionOf,
  makeCreation,
  north,
  south,
  submit,
} from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
import type { Contract } from './stores.ts';

const job = jobIdOf('job-1');
const child = jobIdOf('job-2');
const request = { owner: 'token:a', key: 'once', digest: 'digest' };
const kept = { request, answer: { status: 202, headers: {}, body: 'sealed' }, atMs: startMs };

async function found({ jobs, changes }: Stores, id: JobId = job) {
  const it = (await jobs.find(id))!;
  return { it, cells: await changes.cellsOf(it.job) };
}

const intentIn = async ({ cells }: Stores, cell = north) =>
  (await cells.load(cell))?.jobs.get(job)?.intent;

const priorityOf = (change: JobEdit) => change.spec.priority;

async function anEdit(stores: Stores, priority = 90): Promise<JobEdit> {
  const { it, cells } = await found(stores);
  const patch = { priority, labels: { team: 'b' }, retries: { maxFailedChunks: 3 } };
  return edit(it, cells, patch) as JobEdit;
}

async function aCancel(stores: Stores): Promise<JobCancel> {
  const { it, cells } = await found(stores);
  return cancel(it, cells, startMs + 5) as JobCancel;
}

/** Two dead chunks in each cell; the first cell has ended the job, the second still has it. */
async function withDead(makeStores: () => Promise<Stores>): Promise<Stores> {
  const stores = await makeStores();
  await submit(stores, job);
  await commit(stores, north, {
    jobStatuses: new Map([[job, cellStatus(job, { dead: rangeOf(0, 2), endedAtMs: startMs })]]),
    executions: [executionOf(job, edgeNameOf('edge-0'))],
    endedJobs: new Set([job]),
  });
  await commit(stores, south, {
    jobStatuses: new Map([[job, cellStatus(job, { dead: rangeOf(8, 10) })]]),
  });
  return stores;
}

async function aRetry(stores: Stores): Promise<JobRetry> {
  const { it, cells } = await found(stores);
  const counts = { ...it.status.counts, dead: 4, pending: 12 };
  const dead = { ...it, status: { ...it.status, counts } };
  return retry(dead, cells, await stores.changes.allExecutions(job)) as JobRetry;
}

/** What every store promises of what users decide: it is carried out whole, or not at all. */
export const jobChangesContract: Contract = (makeStores) => {
  test('a new job is asked of its cells, each chunk in one of them', async () => {
    const stores = await makeStores();
    const { intents } = await submit(stores, job);
    for (const [cell, { intent, ranges }] of intents) {
      const there = (await stores.cells.load(cell))?.jobs.get(job);
      expect(there).toMatchObject({ id: job, intent, slice: { ranges, done: [] } });
    }
    const open = { isOpen: true, status: null };
    expect((await found(stores)).cells).toEqual(new Map([north, south].map((it) => [it, open])));
  });

  test('of two jobs of one id one is created, and the other leaves nothing', async () => {
    const stores = await makeStores();
    const made = await submit(stores, job);
    const second = { ...made, job: { ...made.job, createdBy: 'other' } };
    expect(await stores.changes.create(second, kept)).toBe('id-taken');
    expect(await stores.jobs.findSpec(job)).toEqual(made.job);
    expect(await stores.idempotency.find(request)).toBeNull();
  });

  test('the answer to a new job is kept with it, and a second job for it is not made', async () => {
    const stores = await makeStores();
    const [one, two] = [job, child].map((id) => stores.changes.create(makeCreation(id), kept));
    expect((await Promise.all([one, two])).toSorted()).toEqual(['created', 'key-taken']);
    expect(await stores.jobs.findMany([job, child])).toHaveLength(1);
    const { digest } = request;
    const first = { digest, startedAtMs: startMs, answer: kept.answer };
    expect(await stores.idempotency.find(request)).toEqual(first);
  });

  test('a job waits for others only while they are open', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const parents = [(await stores.jobs.find(job))!];
    await submit(stores, child, { parents });
    const { status } = parents[0]!;
    const next = { ...status, state: 'done' as const, version: status.version + 1 };
    const fold = { next, changed: true, release: [], cancel: [], events: [] };
    const rest = { settleDependants: true, progress: { chunks: 0, jobs: 1 } };
    await stores.rollups.save(status, { ...fold, ...rest });
    const late = makeCreation(jobIdOf('job-3'), { parents });
    expect(await stores.changes.create(late, null)).toBe('parent-ended');
    await stores.changes.purge({ kind: 'purge', id: job });
    expect(await stores.changes.create(late, null)).toBe('parent-ended');
    expect(await stores.jobs.findSpec(late.job.id)).toBeNull();
  });

  test('an edit changes the spec, what lists filter by, and the intents of its cells', async () => {
    const stores = await makeStores();
    const made = await submit(stores, job);
    const change = await anEdit(stores);
    expect(await stores.changes.commit(change)).toBe('changed');
    const { it } = await found(stores);
    expect(it.job).toEqual({ ...made.job, spec: change.spec, version: 2 });
    const copied = { labels: { team: 'b' }, maxFailedChunks: 3, version: 1 };
    expect(it.status).toEqual({ ...made.status, ...copied });
    const [listed] = await stores.jobs.listPool('default', null, 9);
    expect(listed?.labels).toEqual({ team: 'b' });
    const { intent } = made.intents.get(south)!;
    const { priority, retries } = change.spec;
    expect(await intentIn(stores, south)).toEqual({
      ...intent,
      spec: { ...intent.spec, priority, retries },
    });
  });

  test('of two changes that saw the same job the other is a conflict', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const edits = [await anEdit(stores, 10), await anEdit(stores, 20)];
    const outcomes = await Promise.all(edits.map((it) => stores.changes.commit(it)));
    expect(outcomes.toSorted()).toEqual(['changed', 'conflict']);
    const winner = edits[outcomes.indexOf('changed')]!;
    expect((await found(stores)).it.job.spec.priority).toBe(priorityOf(winner));
    expect((await intentIn(stores))?.spec.priority).toBe(priorityOf(winner));
  });

  test('a change of a job that is gone is a conflict, and makes none', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const change = await aCancel(stores);
    await stores.changes.purge({ kind: 'purge', id: job });
    expect(await stores.changes.commit(change)).toBe('conflict');
    expect(await stores.jobs.findSpec(job)).toBeNull();
    expect(await stores.rollups.load(job)).toBeNull();
  });

  test('a job that is cancelled is so everywhere at once', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    expect(await stores.changes.commit(await aCancel(stores))).toBe('changed');
    const { it } = await found(stores);
    expect(it).toMatchObject({
      job: { cancelledAtMs: startMs + 5, version: 2 },
      status: { cancelled: true },
    });
    for (const cell of [north, south]) {
      expect(await intentIn(stores, cell)).toMatchObject({ cancelled: true });
    }
  });

  test('a cell that ended the job in the meantime stops the change', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const change = await aCancel(stores);
    await commit(stores, south, { endedJobs: new Set([job]) });
    expect(await stores.changes.commit(change)).toBe('conflict');
    expect(await intentIn(stores)).toMatchObject({ cancelled: false });
    const { cells } = await found(stores);
    expect([cells.get(north)?.isOpen, cells.get(south)?.isOpen]).toEqual([true, false]);
  });

  test('a retry reopens cells that ended the job and overtakes those that have it', async () => {
    const stores = await withDead(makeStores);
    const change = await aRetry(stores);
    expect([change.raised, [...change.reopened.keys()]]).toEqual([[south], [north]]);
    const versions = async () =>
      Promise.all([north, south].map(async (it) => (await stores.cells.load(it))!.meta.version));
    const before = await versions();
    expect(await stores.changes.commit(change)).toBe('changed');
    const { it } = await found(stores);
    expect(it).toMatchObject({
      job: { retryEpoch: 1, version: 2 },
      status: {
        state: 'pending',
        counts: { dead: 0, pending: 16 },
        endedAtMs: null,
        retrying: expect.arrayContaining([
          [north, 1],
          [south, 1],
        ]),
      },
    });
    expect(await versions()).toEqual([before[0], before[1]! + 1]);
    expect(await intentIn(stores, south)).toMatchObject({ retryEpoch: 1 });
    const reopened = (await stores.cells.load(north))?.jobs.get(job);
    expect(reopened).toEqual({ id: job, ...change.reopened.get(north) });
  });

  test('a retry of a job that a cell has begun again already is a conflict', async () => {
    const stores = await withDead(makeStores);
    const change = await aRetry(stores);
    await stores.changes.commit(change);
    const again = { ...change, seenVersion: 2 };
    const before = await stores.cells.load(south);
    expect(await stores.changes.commit(again)).toBe('conflict');
    expect(await stores.cells.load(south)).toEqual(before);
  });

  test('of a job that was purged nothing is left, and its id is free', async () => {
    const stores = await withDead(makeStores);
    await stores.jobs.keepOutput(job, 1, 'outputs/1', 3);
    await stores.changes.addEvent(job, { atMs: startMs, kind: 'edited', by: '', detail: '' });
    await stores.changes.purge({ kind: 'purge', id: job });
    const { jobs } = stores;
    expect(await jobs.find(job)).toBeNull();
    expect(await jobs.cellStatuses(job)).toEqual([]);
    expect(await stores.changes.allExecutions(job)).toEqual([]);
    expect(await jobs.events(job, null, 9)).toEqual([]);
    expect(await jobs.chunk(job, 1)).toBeNull();
    expect(await jobs.listPool('default', null, 9)).toEqual([]);
    expect(await jobs.listOfEdge(edgeNameOf('edge-0'), null, 9)).toEqual([]);
    expect(await stores.changes.create(makeCreation(job), null)).toBe('created');
  });
};
