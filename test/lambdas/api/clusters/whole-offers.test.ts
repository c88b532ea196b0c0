import { beforeEach, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** A jobspec that went to a cluster in pull mode, over HTTP. */
let api: ApiStage;
let secret: string;
let sequence: number;

beforeEach(async () => {
  api = createApiStage(simulatedStores());
  const nodes = { limits: { nodes: 2, coresPerNode: 8 } };
  const body = { name: 'keebler', mode: 'pull', nodes };
  secret = (await api.request('POST', '/v1/edges', { body })).json.secret;
  sequence = 0;
  await report();
});

const ask = (method: string, path: string, body?: unknown) =>
  api.request(method, `/v1/edges/keebler${path}`, { token: secret, body });
const offers = async (query = '') => (await ask('GET', `/offers${query}`)).json;

async function report(done: readonly string[] = []): Promise<void> {
  const work = (await ask('GET', '/work')).json;
  const entries = Object.entries<{ r: string }>(work.w);
  const w = Object.fromEntries(
    entries.map(([id, { r }]) => [id, done.includes(id) ? { d: r } : { a: r }]),
  );
  await ask('POST', '/report', { b: 'boot', e: work.e, n: ++sequence, f: 100, w, i: 5 });
  // The end of a job, those that waited for it, and the pass that gives them.
  for (let step = 1; step <= 3; step++) await api.settle();
}

const jobspec = {
  version: 1,
  name: 'weather',
  resources: {
    small: { type: 'node', count: 1, with: [{ type: 'core', count: 2 }] },
    large: { type: 'node', count: 2, with: [{ type: 'core', count: 8 }] },
  },
  tasks: [
    { name: 'build', resources: 'small', command: ['make'] },
    { name: 'run', resources: 'large', command: ['run'], depends_on: ['build'] },
    { name: 'plot', resources: 'small', command: ['plot'], replicas: 3, depends_on: ['run'] },
  ],
};

async function submit(more: object = {}): Promise<{ id: string; jobs: string[] }> {
  const { status, json, text } = await api.request('POST', '/v1/jobspecs', {
    body: { jobspec, ...more },
  });
  expect(status, text).toBe(202);
  await api.settle();
  const jobs = json.jobs.map(({ job }: { job: { id: string } }) => job.id);
  return { id: json.id, jobs };
}

test('it is one offer with its document, and its tasks are none', async () => {
  const { id, jobs } = await submit({ labels: { team: 'storms' } });
  const found = await offers();
  expect(found.total).toBe(1);
  expect(found.items[0]).toMatchObject({
    id,
    kind: 'jobspec',
    cluster: 'keebler',
    name: 'weather',
    tasks: 3,
    chunks: null,
    command: null,
    nodes: 2,
    resources: { nodes: 2, cores: 16 },
    jobspec,
  });
  expect(await offers()).toEqual(found);
  expect((await offers('?summary=true')).byNodes).toEqual({ '2-4': 1 });
  expect((await offers('?maxNodes=1')).total).toBe(0);
  expect((await offers('?maxCores=15')).total).toBe(0);
  expect((await offers('?label=team=storms')).total).toBe(1);
  expect((await offers('?label=team=tides')).total).toBe(0);
  const alone = await ask('POST', '/accept', { jobs });
  expect(alone.json.accepted).toEqual([]);
  expect(new Set(alone.json.refused.map((it: { reason: string }) => it.reason))).toEqual(
    new Set(['not-offered']),
  );
});

test('it is accepted once, whole, and runs to its end without being asked for again', async () => {
  const { id, jobs } = await submit();
  const { json } = await ask('POST', '/accept', { jobs: [id] });
  expect(json).toMatchObject({
    status: 'success',
    accepted: [id],
    leases: [{ job: jobs[0], chunks: '0' }],
  });
  const again = await ask('POST', '/accept', { jobs: [id] });
  expect(again.json).toMatchObject({
    status: 'partial',
    refused: [{ job: id, reason: 'already-accepted' }],
  });
  for (const job of jobs) {
    expect((await offers()).total).toBe(0);
    expect(Object.keys((await ask('GET', '/work')).json.w)).toEqual([job]);
    await report([job]);
  }
  const { status } = (await api.request('GET', `/v1/jobspecs/${id}`)).json;
  expect(status).toMatchObject({ state: 'done', percent: 100, tasks: { total: 3, done: 3 } });
  const late = await ask('POST', '/accept', { jobs: [id, 'a'.repeat(26)] });
  expect(late.json.refused).toEqual([
    { job: id, reason: 'ended' },
    { job: 'a'.repeat(26), reason: 'not-offered' },
  ]);
});

test('of two programs that accept it at the same moment one does', async () => {
  const { id } = await submit();
  const both = await Promise.all([1, 2].map(() => ask('POST', '/accept', { jobs: [id] })));
  expect(both.flatMap(({ json }) => json.accepted)).toEqual([id]);
  expect(both.flatMap(({ json }) => json.refused)).toEqual([
    { job: id, reason: 'already-accepted' },
  ]);
});

test('cancelled, it is offered no more', async () => {
  const { id } = await submit();
  await api.request('DELETE', `/v1/jobspecs/${id}`);
  await api.settle();
  expect((await offers()).total).toBe(0);
  const late = await ask('POST', '/accept', { jobs: [id] });
  expect(late.json).toMatchObject({ accepted: [], refused: [{ job: id, reason: 'ended' }] });
  const oreo = await api.request('POST', '/v1/edges', {
    body: { name: 'oreo', mode: 'pull', nodes: { limits: { nodes: 1 } } },
  });
  const others = await api.request('POST', '/v1/edges/oreo/accept', {
    token: oreo.json.secret,
    body: { jobs: [id] },
  });
  expect(others.json.refused).toEqual([{ job: id, reason: 'not-offered' }]);
});
