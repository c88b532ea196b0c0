import { beforeEach, expect, test } from 'vitest';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { submissionSettleMs } from '../../../core/contract/jobspec/limits.ts';
import { continueSubmissions } from '../../../lambdas/submissions/continue-submissions.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { createMemoryStores } from '../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api/api-stage.ts';
import { createQuietLog } from '../quiet-log.ts';
import { addHost } from './add-host.ts';

/** Whoever makes the jobs of a jobspec may die after any of them. */
let stores: Stores;
let nowMs = 1_800_000_000_000;
let makesLeft: number;
let changesLeft: number;
let api: ApiStage;

beforeEach(async () => {
  stores = createMemoryStores();
  makesLeft = Number.POSITIVE_INFINITY;
  changesLeft = Number.POSITIVE_INFINITY;
  const { changes } = stores;
  const dying: Stores = {
    ...stores,
    changes: {
      ...changes,
      async create(...args) {
        if (makesLeft-- <= 0) throw new Error('died');
        return changes.create(...args);
      },
      async commit(...args) {
        if (changesLeft-- <= 0) throw new Error('died');
        return changes.commit(...args);
      },
    },
  };
  api = createApiStage(dying, { clock: { nowMs: () => nowMs } });
  await addHost(api, 'host', { power: 250 });
});

const sweep = (atMs = nowMs) => {
  const cells = createPoolCells(stores.pools, { withEdges: 0, withoutEdges: 0 });
  return continueSubmissions(atMs, { ...stores, cells, log: createQuietLog() });
};
const names = ['a', 'b', 'c', 'd', 'e'];
const jobspec = {
  version: 1,
  resources: { r: { type: 'node' } },
  tasks: names.map((name, at) => {
    const before = at === 0 ? {} : { depends_on: [names[at - 1]] };
    return { name, command: 'true', resources: 'r', ...before };
  }),
};
const submit = () => api.request('POST', '/v1/jobspecs', { body: jobspec });
const jobs = async () => (await api.request('GET', '/v1/jobs')).json.items;

test.each([0, 1, 2, 3, 4, 5])(
  'after %i jobs its maker dies: all of them are made',
  async (made) => {
    makesLeft = made;
    await submit();
    makesLeft = 0;
    const [id] = await stores.submissions.listOpen(10);
    expect((await jobs()).length).toBe(made);
    // Its maker may still be at it.
    expect(await sweep()).toBe(0);
    nowMs += submissionSettleMs;
    expect(await sweep()).toBe(made === names.length ? 0 : 1);
    expect((await jobs()).length).toBe(names.length);
    expect(await stores.submissions.listOpen(10)).toEqual([]);
    expect(await sweep()).toBe(0);
    const found = id === undefined ? null : await stores.submissions.find(id);
    const { json } = await api.request('GET', `/v1/jobspecs/${found?.id ?? 'none'}`);
    if (found !== null) expect(json.jobs.map((it: { task: string }) => it.task)).toEqual(names);
  },
);

test('the request that is sent again is answered, though its maker died', async () => {
  makesLeft = 2;
  const headers = { 'idempotency-key': 'once' };
  const request = { body: jobspec, headers };
  expect((await api.request('POST', '/v1/jobspecs', request)).status).toBe(500);
  const again = await api.request('POST', '/v1/jobspecs', request);
  expect([again.status, again.json.jobs.length]).toEqual([202, names.length]);
  makesLeft = Number.POSITIVE_INFINITY;
  nowMs += submissionSettleMs;
  await sweep();
  const ids = (await jobs()).map(({ id }: { id: string }) => id);
  expect(new Set(ids)).toEqual(
    new Set(again.json.jobs.map((it: { job: { id: string } }) => it.job.id)),
  );
});

test('one that was cancelled while its maker was dead is not made, and what there is ends', async () => {
  makesLeft = 2;
  await submit();
  const [id] = await stores.submissions.listOpen(10);
  makesLeft = Number.POSITIVE_INFINITY;
  changesLeft = 1;
  expect((await api.request('DELETE', `/v1/jobspecs/${id}`)).status).toBe(500);
  changesLeft = Number.POSITIVE_INFINITY;
  nowMs += submissionSettleMs;
  expect(await sweep()).toBe(1);
  await api.settle();
  expect((await jobs()).length).toBe(2);
  const { json } = await api.request('GET', `/v1/jobspecs/${id}`);
  expect(json.status).toMatchObject({ state: 'cancelled', tasks: { total: 5, cancelled: 5 } });
});

test('what waits for a job that ended badly meanwhile is not made, and can be tried again', async () => {
  makesLeft = 1;
  await submit();
  const [id] = await stores.submissions.listOpen(10);
  const [only] = await jobs();
  await api.request('DELETE', `/v1/jobs/${only.id}`);
  await api.settle();
  makesLeft = Number.POSITIVE_INFINITY;
  nowMs += submissionSettleMs;
  await sweep();
  const { json } = await api.request('GET', `/v1/jobspecs/${id}`);
  expect(json.status).toMatchObject({ state: 'failed', tasks: { failed: 4, cancelled: 1 } });
  expect((await jobs()).length).toBe(1);
});

test('one that cannot be finished holds nobody up', async () => {
  makesLeft = 0;
  await submit();
  await submit();
  nowMs += submissionSettleMs;
  const [first] = await stores.submissions.listOpen(10);
  const found = (await stores.submissions.find(first!))!;
  await stores.submissions.save({ ...found, text: '[', version: 2 }, 1);
  expect(await sweep()).toBe(1);
  expect(await stores.submissions.listOpen(10)).toEqual([first]);
});
