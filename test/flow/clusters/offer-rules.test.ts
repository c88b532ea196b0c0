import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../start/stage.ts';
import { Cluster, type Said } from './cluster-program.ts';
import { type RulesStage, startRules } from './rules-stage.ts';

/**
 * What clusters in pull mode are offered, take and give back: each rule over HTTP, with a kill -9
 * of everything between taking and doing.
 */
let stage: RulesStage;
let amber: Cluster;
let basil: Cluster;

beforeAll(async () => {
  stage = await startRules();
  const admin = stage.product.place.endpoints()!.token!;
  amber = await Cluster.register(stage.ask, 'amber', admin);
  basil = await Cluster.register(stage.ask, 'basil', admin);
}, 120_000);
afterAll(() => stage.product.remove());

async function submit(more: object = {}): Promise<string> {
  const requires = { edges: ['amber', 'basil'] };
  const job = { pool: 'hpc', chunks: 1, chunkPower: 1, requires, ...more };
  return (await stage.product.submit(job)).id;
}
async function cancel(...jobs: string[]): Promise<void> {
  for (const job of jobs) await stage.expecting(202, 'DELETE', `/v1/jobs/${job}`);
}
const take = async (by: Cluster, jobs: readonly string[], more: object = {}) => {
  const { status, json } = await by.ask('POST', '/accept', { jobs, ...more });
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};
const reasonFor = async (by: Cluster, job: string): Promise<string> => {
  const { refused } = await take(by, [job]);
  return refused.map(({ reason }: Said['json']) => reason).join();
};
const stateOf = async (id: string) => (await stage.product.job(id)).status.state;
const kindsOf = async (id: string): Promise<string[]> => {
  const { items } = await stage.expecting(200, 'GET', `/v1/jobs/${id}/events`);
  return items.map(({ kind }: Said['json']) => kind);
};

test('by priority, then by arrival; looking reserves nothing; a look may be narrow', async () => {
  expect((await amber.ask('GET', '/offers')).json).toEqual({
    items: [],
    nextCursor: null,
    total: 0,
  });
  const late = amber.offered('?waitSeconds=25');
  const small = await submit({ name: 'small', labels: { team: 'a' }, deadlineSeconds: 60 });
  expect(await late).toEqual([small]);
  const wide = await submit({ priority: 60, resources: { nodes: 3, cores: 30 }, chunks: 4 });
  const large = await submit({ queue: 'night', resources: { cores: 40 } });
  const one = await submit({ requires: { edges: ['basil'] }, priority: 99 });
  const all = [wide, small, large];
  for (let look = 0; look < 2; look++) expect(await amber.offered()).toEqual(all);
  expect(await basil.offered()).toEqual([one, ...all]);
  expect(new Set(all).size).toBe(3);
  for (const [query, jobs] of [
    ['?max=2', [wide, small]],
    ['?max=0', all],
    ['?maxNodes=1', [small, large]],
    ['?maxCores=30', [wide, small]],
    ['?maxSeconds=60', [small]],
    ['?queue=night', [large]],
    ['?label=team=a', [small]],
    ['?label=team=b', []],
    ['?fits=some', [wide, small]],
    ['?fits=true', [small]],
  ] as const) {
    expect(await amber.offered(query), query).toEqual(jobs);
  }
  const { json } = await amber.ask('GET', '/offers');
  expect([json.total, json.items[0]]).toMatchObject([
    3,
    {
      kind: 'job',
      cluster: 'amber',
      nodes: 3,
      chunks: '0-3',
      tasks: 4,
      jobspec: null,
      fits: false,
    },
  ]);
  const first = (await amber.ask('GET', '/offers?limit=2')).json;
  expect(await amber.offered(`?limit=2&cursor=${first.nextCursor}`)).toEqual([large]);
  const figures = (await amber.ask('GET', '/offers?summary=true')).json;
  expect(figures).toMatchObject({
    total: 3,
    byQueue: { default: 2, night: 1 },
    byNodes: { 1: 2, '2-4': 1 },
  });
  expect(figures.items).toBeUndefined();
  await cancel(...all, one);
  await until('nothing is offered', async () => (await basil.offered()).length === 0);
}, 90_000);

test('what waits for another, for its queue or is over is not offered', async () => {
  await stage.expecting(201, 'PUT', '/v1/queues/narrow', { quota: 2 });
  const first = await submit({ queue: 'narrow', chunks: 3 });
  const child = await submit({ dependsOn: [first] });
  await until('it is offered', async () => (await amber.offered()).length === 1);
  const [offer] = (await amber.ask('GET', '/offers')).json.items;
  expect([offer.id, offer.chunks]).toEqual([first, '0-1']);
  expect(await reasonFor(amber, child)).toBe('held');
  const waiting = (await stage.product.job(first)).status.waiting;
  expect(waiting).toContainEqual(expect.objectContaining({ reason: 'awaits-accept' }));
  const taken = await take(amber, [first]);
  expect(taken.leases).toMatchObject([{ job: first, chunks: '0-1', slots: 2 }]);
  expect(await basil.offered()).toEqual([]);
  expect(await reasonFor(basil, first)).toBe('held');
  await cancel(first);
  await until('it is over', async () => (await stateOf(first)) === 'cancelled');
  expect(await reasonFor(basil, first)).toBe('ended');
  expect(await reasonFor(basil, 'nobody')).toBe('not-offered');
  await amber.finish();
}, 90_000);

test('taken once, by the cluster itself, and done after a kill of everything', async () => {
  const [one, other] = [
    await submit({ chunks: 4 }),
    await submit({ requires: { edges: ['basil'] } }),
  ];
  const answer = await take(amber, [one, other, 'nobody']);
  expect(answer).toMatchObject({
    status: 'partial',
    accepted: [one],
    refused: [
      { job: other, reason: 'not-offered' },
      { job: 'nobody', reason: 'not-offered' },
    ],
    leases: [{ job: one, chunks: '0-3', slots: 4 }],
  });
  expect([await reasonFor(amber, one), await reasonFor(basil, one)]).toEqual([
    'already-accepted',
    'taken',
  ]);
  expect(await stateOf(one)).toBe('scheduled');
  for (const wrong of [[], Array.from({ length: 501 }, (_, at) => `j${at}`)]) {
    expect((await amber.ask('POST', '/accept', { jobs: wrong })).status).toBe(400);
  }
  const strangers = [stage.product.place.endpoints()!.token!, amber.submitToken];
  for (const token of strangers) {
    const asked = await stage.ask(token, 'POST', '/v1/edges/basil/accept', { jobs: [other] });
    expect(asked.status).toBe(403);
  }
  await stage.killAndStart([]);
  expect(Object.keys((await amber.ask('GET', '/work')).json.w)).toEqual([one]);
  expect(await reasonFor(basil, one)).toBe('taken');
  expect(await amber.finish()).toEqual([one]);
  await stage.product.done(one);
  expect(await reasonFor(amber, one)).toBe('ended');
  expect((await take(basil, [other])).accepted).toEqual([other]);
  await basil.finish();
  await stage.product.done(other);
}, 150_000);

test('a part may be taken, and what is given back goes to the other at once', async () => {
  const id = await submit({ chunks: 10 });
  const part = await take(amber, [id], { ranges: { [id]: '2-4' } });
  expect(part.leases).toMatchObject([{ chunks: '2-4', slots: 3 }]);
  expect((await basil.ask('GET', '/offers')).json.items[0].chunks).toBe('0-1,5-9');
  const back = await amber.ask('POST', '/release', { jobs: [id], reason: 'no licence' });
  expect(back.json).toMatchObject({ status: 'success', released: [{ job: id, chunks: '2-4' }] });
  expect(await amber.offered()).toEqual([]);
  expect((await basil.ask('GET', '/offers')).json.items[0].chunks).toBe('0-9');
  const again = await amber.ask('POST', '/release', { jobs: [id] });
  expect(again.json.refused).toEqual([{ job: id, reason: 'not-held' }]);
  await take(basil, [id]);
  await basil.finish();
  await stage.product.done(id);
}, 60_000);

test('what no report shows is offered again, and the timeline says so', async () => {
  const id = await submit({ lostAfterSeconds: 5, requires: { edges: ['amber'] } });
  await take(amber, [id]);
  const isOffered = async () => (await amber.offered()).includes(id);
  await until('it is offered again', isOffered, 90_000);
  expect(await kindsOf(id)).toContain('accepted-and-lost');
  await take(amber, [id]);
  await until('it is done', async () => {
    await amber.finish();
    return (await stateOf(id)) === 'done';
  });
}, 150_000);

test('given to it by push, taken by pull; what it has stays when that changes', async () => {
  const set = (body: object) => stage.expecting(200, 'PATCH', '/v1/edges/basil', body);
  const open = await stage.product.submit({ pool: 'hpc', chunks: 1, chunkPower: 1 });
  expect(await basil.offered()).toEqual([]);
  expect(await set({ offers: 'pool' })).toMatchObject({ mode: 'pull', offers: 'pool' });
  expect(await basil.offered()).toEqual([open.id]);
  await take(basil, [open.id]);
  expect(await set({ mode: 'push' })).toMatchObject({ mode: 'push', offers: null });
  expect(Object.keys((await basil.ask('GET', '/work')).json.w)).toEqual([open.id]);
  await basil.finish();
  await stage.product.done(open.id);
  const given = await submit({ requires: { edges: ['basil'] } });
  await until('it is done without having been taken', async () => {
    await basil.finish();
    return (await stateOf(given)) === 'done';
  });
  expect(await basil.offered()).toEqual([]);
}, 90_000);
