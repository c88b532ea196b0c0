import { expect, test } from 'vitest';
import { cancel, type JobCancel } from '../../core/jobs/cancel.ts';
import { cancelRanges, type JobRangesCancel } from '../../core/jobs/cancel-ranges.ts';
import { edit, type JobEdit } from '../../core/jobs/edit.ts';
import { type JobRetry, retry } from '../../core/jobs/retry.ts';
import type { JobCreation, Surroundings } from '../../core/jobs/submit.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../core/model/names.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import type { KeptAnswer } from '../../core/ports/jobs.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { placeNewJob } from '../../core/scheduler/short-pass.ts';
import { startMs } from '../core/cell-fixture.ts';
import { creation } from '../core/jobs/job-fixture.ts';
import {
  auditOf,
  cellStatus,
  commit,
  contentOf,
  executionOf,
  makeCreation,
  north,
  planOver,
  south,
  submit,
  traceOf,
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

/** As the rollup stores it, when it has seen all counts. */
async function end(stores: Stores, state: 'done' | 'failed'): Promise<void> {
  const { status } = (await found(stores)).it;
  const next = { ...status, state, version: status.version + 1 };
  const fold = { next, changed: true, release: [], cancel: [], events: [] };
  const rest = { settleDependants: true, progress: { chunks: 0, jobs: 1 } };
  await stores.rollups.save(status, { ...fold, ...rest });
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
    expect(await stores.changes.create(second, kept, auditOf(job))).toBe('id-taken');
    expect(await stores.jobs.findSpec(job)).toEqual(made.job);
    expect(await stores.idempotency.find(request)).toBeNull();
  });

  test('the answer to a new job is kept with it, and a second job for it is not made', async () => {
    const stores = await makeStores();
    const [one, two] = [job, child].map((id) =>
      stores.changes.create(makeCreation(id), kept, auditOf(id)),
    );
    expect((await Promise.all([one, two])).toSorted()).toEqual(['created', 'key-taken']);
    expect(await stores.jobs.findMany([job, child])).toHaveLength(1);
    const { digest } = request;
    const first = { digest, startedAtMs: startMs, answer: kept.answer };
    expect(await stores.idempotency.find(request)).toEqual(first);
  });

  test.each([3, 40])('of %i jobs of a batch all are stored, or none', async (count) => {
    const stores = await makeStores();
    const ids = Array.from({ length: count }, (_, at) => jobIdOf(`job-${at}`));
    const batch = (answer: KeptAnswer | null) =>
      stores.changes.createMany(
        ids.map((id) => makeCreation(id)),
        answer,
        ids.map((id) => auditOf(id)),
      );
    expect(await batch(kept)).toBe('created');
    expect(await stores.jobs.findMany(ids)).toHaveLength(count);
    const [last] = ids.slice(-1);
    expect(await stores.jobs.findSpec(last!)).toEqual(makeCreation(last!).job);
    expect(await batch(kept)).toBe('key-taken');
    expect(await stores.idempotency.find(request)).toMatchObject({ answer: kept.answer });
    expect(await stores.fleet.finishBatches(startMs + 1)).toBe(0);
  });

  test('a batch with a job whose id is taken, or that waits in vain, stores nothing', async () => {
    const stores = await makeStores();
    await submit(stores, child);
    const many = [makeCreation(job), makeCreation(child)];
    const audits = [auditOf(job), auditOf(child)];
    expect(await stores.changes.createMany(many, kept, audits)).toBe('id-taken');
    expect(await stores.jobs.findSpec(job)).toBeNull();
    expect(await stores.idempotency.find(request)).toBeNull();
    const parents = [(await stores.jobs.find(child))!];
    await stores.changes.purge({ kind: 'purge', id: child });
    const late = [makeCreation(job), makeCreation(jobIdOf('job-3'), { parents })];
    expect(await stores.changes.createMany(late, null, audits)).toBe('overtaken');
    expect(await stores.jobs.findSpec(job)).toBeNull();
  });

  test('a job is stored with the pass that places it, once, and only at the version seen', async () => {
    const stores = await makeStores();
    await stores.pools.ensureCell('default', 0, startMs);
    const cell = (await stores.cells.load(north))!;
    const made = creation({ chunks: 2 }, { metas: [cell.meta] });
    const placed = placeNewJob(cell, made, startMs)!;
    const whole = { ...made, status: placed.status };
    const { id } = made.job;
    const place = (plan = placed.plan, answer: KeptAnswer | null = null, it = whole) =>
      stores.changes.createPlaced(it, plan, answer, auditOf(id));
    const late = { ...placed.plan, seenVersion: cell.meta.version + 1 };
    expect(await place(late, kept)).toBe('conflict');
    expect(await stores.jobs.findSpec(id)).toBeNull();
    expect(await stores.idempotency.find(request)).toBeNull();
    expect(await place(placed.plan, kept)).toBe('created');
    expect(await stores.jobs.find(id)).toEqual({ job: made.job, status: placed.status });
    const after = (await stores.cells.load(north))!;
    const planned = { ...applyPlan(placed.cell, placed.plan), meta: after.meta };
    expect(contentOf(after)).toEqual(contentOf(planned));
    expect(after.meta.version).toBe(placed.plan.meta?.version);
    expect(await stores.jobs.events(id, null, 9)).toHaveLength(
      placed.plan.folds.get(id)!.events.length,
    );
    const { meta } = after;
    const next = { ...placed.plan, seenVersion: meta.version };
    const again = { ...next, meta: { ...meta, version: meta.version + 1 } };
    expect(await place(again)).toBe('id-taken');
    const other = { ...whole, job: { ...whole.job, id: child } };
    const bare = planOver(meta, {});
    expect(await place(bare, kept, other)).toBe('key-taken');
    expect((await stores.cells.load(north))?.meta.version).toBe(meta.version);
  });

  test('a job waits for others only while they are open', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const parents = [(await stores.jobs.find(job))!];
    await submit(stores, child, { parents });
    await end(stores, 'done');
    const late = makeCreation(jobIdOf('job-3'), { parents });
    expect(await stores.changes.create(late, null, auditOf(job))).toBe('overtaken');
    await stores.changes.purge({ kind: 'purge', id: job });
    expect(await stores.changes.create(late, null, auditOf(job))).toBe('overtaken');
    expect(await stores.jobs.findSpec(late.job.id)).toBeNull();
  });

  test('of two services that are to be the only one of a name, the second is not stored', async () => {
    const stores = await makeStores();
    const service = (id: string, named?: Surroundings['named'], name = 'web'): JobCreation => {
      const body = { kind: 'service', name, run: { simulate: {} } };
      const made = creation(body, named === undefined ? {} : { named });
      const job = { ...made.job, id: jobIdOf(id) };
      return { ...made, job, status: { ...made.status, job: job.id } };
    };
    const store = (it: JobCreation) => stores.changes.create(it, null, auditOf(it.job.id));
    expect(await stores.jobs.named('default', 'web')).toEqual({ jobs: [], last: null });
    const first = service('web-1', { jobs: [], last: null });
    expect(await store(first)).toBe('created');
    expect(await store(service('web-2', { jobs: [], last: null }))).toBe('overtaken');
    expect(await stores.jobs.findSpec(jobIdOf('web-2'))).toBeNull();
    expect(await store(service('web-3'))).toBe('created');
    expect(await store(service('web-4', { jobs: [], last: null }, 'web2'))).toBe('created');
    const found = await stores.jobs.named('default', 'web');
    expect([...found.jobs].sort()).toEqual(['web-1', 'web-3']);
    expect(found.last).toBe('web-1');
    expect(await stores.jobs.named('other', 'web')).toEqual({ jobs: [], last: null });
    expect(await store(service('web-5', { jobs: [], last: found.last }))).toBe('created');
    const named = { pool: 'default', name: 'web' };
    await stores.changes.purge({ kind: 'purge', id: jobIdOf('web-3'), named });
    const left = await stores.jobs.named('default', 'web');
    expect([...left.jobs].sort()).toEqual(['web-1', 'web-5']);
  });

  test('an edit changes the spec, what lists filter by, and the intents of its cells', async () => {
    const stores = await makeStores();
    const made = await submit(stores, job);
    const change = await anEdit(stores);
    expect(await stores.changes.commit(change, traceOf(job))).toBe('changed');
    const { it } = await found(stores);
    expect(it.job).toEqual({ ...made.job, spec: change.spec, version: 2 });
    const copied = {
      labels: { team: 'b' },
      maxFailedChunks: 3,
      version: 1,
      lastEventAtMs: startMs,
    };
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

  test('a change and its trace are stored together, or neither is', async () => {
    const stores = await makeStores();
    const trail = async () => {
      const listed = await stores.audit.list(null, startMs, startMs, 99);
      return listed.map(({ event }) => `${event.action} ${event.target}`).toSorted();
    };
    await submit(stores, job);
    expect(await trail()).toEqual(['job-submitted job-1']);
    expect(await stores.changes.create(makeCreation(job), null, auditOf('twice'))).toBe('id-taken');
    const change = await anEdit(stores);
    const trace = traceOf(job, startMs + 7);
    expect(await stores.changes.commit(change, trace)).toBe('changed');
    expect(await stores.changes.commit(change, traceOf(job, startMs + 8, 'late'))).toBe('conflict');
    expect(await trail()).toEqual(['job-edited job-1', 'job-submitted job-1']);
    expect(await stores.jobs.events(job, null, 9)).toMatchObject([trace.event]);
    expect((await found(stores)).it.status.lastEventAtMs).toBe(startMs + 7);
  });

  test('of two changes that saw the same job the other is a conflict', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const edits = [await anEdit(stores, 10), await anEdit(stores, 20)];
    const outcomes = await Promise.all(edits.map((it) => stores.changes.commit(it, traceOf(job))));
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
    expect(await stores.changes.commit(change, traceOf(job))).toBe('conflict');
    expect(await stores.jobs.findSpec(job)).toBeNull();
    expect(await stores.rollups.load(job)).toBeNull();
  });

  test('a job that is cancelled is so everywhere at once', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    expect(await stores.changes.commit(await aCancel(stores), traceOf(job))).toBe('changed');
    expect((await found(stores)).it).toMatchObject({
      job: { cancelledAtMs: startMs + 5, version: 2 },
      status: { cancelled: true },
    });
    for (const cell of [north, south]) {
      expect(await intentIn(stores, cell)).toMatchObject({ cancelled: true });
    }
  });

  test('chunks that are cancelled are so in every cell, and each says that it knows', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const { it: before, cells: open } = await found(stores);
    const fewer = cancelRanges(before, open, rangeOf(0, 2)) as JobRangesCancel;
    expect(await stores.changes.commit(fewer, traceOf(job))).toBe('changed');
    const { it, cells } = await found(stores);
    const { cancelledRanges } = fewer;
    expect(it).toMatchObject({ job: { cancelledRanges, version: 2 }, status: { cancelledRanges } });
    for (const cell of [north, south]) {
      expect(await intentIn(stores, cell)).toMatchObject({ cancelled: false, cancelledRanges });
      expect(cells.get(cell)).toMatchObject({ isOpen: true, cancelledRanges });
    }
    expect(cancelRanges(it, cells, rangeOf(1, 2))).toEqual({ kind: 'unchanged' });
  });

  test('a cell that ended the job in the meantime stops the change', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const change = await aCancel(stores);
    await commit(stores, south, { endedJobs: new Set([job]) });
    expect(await stores.changes.commit(change, traceOf(job))).toBe('conflict');
    expect(await intentIn(stores)).toMatchObject({ cancelled: false });
    const { cells } = await found(stores);
    expect([cells.get(north)?.isOpen, cells.get(south)?.isOpen]).toEqual([true, false]);
  });

  test('a job that has ended in the meantime is neither cancelled nor edited', async () => {
    const stores = await makeStores();
    await submit(stores, job);
    const changes = [await aCancel(stores), await anEdit(stores)];
    await end(stores, 'failed');
    for (const change of changes) {
      expect(await stores.changes.commit(change, traceOf(job))).toBe('conflict');
    }
    const { it, cells } = await found(stores);
    expect(it).toMatchObject({
      job: { cancelledAtMs: null, version: 1 },
      status: { state: 'failed', cancelled: false },
    });
    expect(cancel(it, cells, startMs + 9)).toEqual({ kind: 'unchanged' });
    const labels = edit(it, cells, { labels: { team: 'c' } }) as JobEdit;
    expect(await stores.changes.commit(labels, traceOf(job))).toBe('changed');
  });

  test('a retry reopens cells that ended the job and overtakes those that have it', async () => {
    const stores = await withDead(makeStores);
    const change = await aRetry(stores);
    expect([change.raised, [...change.reopened.keys()]]).toEqual([[south], [north]]);
    const versions = async () =>
      Promise.all([north, south].map(async (it) => (await stores.cells.load(it))!.meta.version));
    const before = await versions();
    expect(await stores.changes.commit(change, traceOf(job))).toBe('changed');
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
    await stores.changes.commit(change, traceOf(job));
    const again = { ...change, seenVersion: 2 };
    const before = await stores.cells.load(south);
    expect(await stores.changes.commit(again, traceOf(job))).toBe('conflict');
    expect(await stores.cells.load(south)).toEqual(before);
  });

  test('of a job that was purged nothing is left, and its id is free', async () => {
    const stores = await withDead(makeStores);
    await stores.jobs.keepOutput(job, 1, { key: 'outputs/1', bytes: 3 });
    await stores.changes.commit(await anEdit(stores), traceOf(job));
    await stores.changes.purge({ kind: 'purge', id: job });
    const { jobs } = stores;
    expect(await jobs.find(job)).toBeNull();
    expect(await jobs.cellStatuses(job)).toEqual([]);
    expect(await stores.changes.allExecutions(job)).toEqual([]);
    expect(await jobs.events(job, null, 9)).toEqual([]);
    expect(await jobs.chunk(job, 1)).toBeNull();
    expect(await jobs.listPool('default', null, 9)).toEqual([]);
    expect(await jobs.listOfEdge(edgeNameOf('edge-0'), null, 9)).toEqual([]);
    expect(await stores.changes.create(makeCreation(job), null, auditOf(job))).toBe('created');
  });
};
