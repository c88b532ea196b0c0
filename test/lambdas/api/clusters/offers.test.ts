import { beforeEach, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Edges that take work by themselves, over HTTP. */

let api: ApiStage;
let secrets: Map<string, string>;
let nowMs = 1_000_000_000;

beforeEach(async () => {
  const clock = { nowMs: () => nowMs };
  api = createApiStage(simulatedStores(), { clock });
  secrets = new Map();
  for (const name of ['keebler', 'oreo']) {
    const body = { name, mode: 'pull', capacity: { power: 100, cores: 8 } };
    secrets.set(name, (await api.request('POST', '/v1/edges', { body })).json.secret);
  }
});

const as = (edge: string, method: string, path: string, body?: unknown, headers = {}) =>
  api.request(method, `/v1/edges/${edge}${path}`, { token: secrets.get(edge)!, body, headers });
const offers = async (edge: string, query = '') => (await as(edge, 'GET', `/offers${query}`)).json;
const hello = (edge: string, n: number, more = {}) =>
  as(edge, 'POST', '/report', { b: 'boot', e: 0, n, f: 100, w: {}, i: 5, ...more });
const accept = async (edge: string, jobs: readonly string[], more = {}) =>
  as(edge, 'POST', '/accept', { jobs, ...more });

async function submit(body: object = {}): Promise<string> {
  const edges = ['keebler', 'oreo'];
  const job = { chunks: 1, chunkPower: 10, requires: { edges }, ...body };
  const { status, json, text } = await api.request('POST', '/v1/jobs', { body: job });
  expect(status, text).toBe(202);
  return json.id;
}

test('an edge in pull mode has a submit token, and says what it is', async () => {
  const body = { name: 'ritz', mode: 'pull', offers: 'pool', capacity: { power: 1 } };
  const { json } = await api.request('POST', '/v1/edges', { body });
  expect(json.submitToken).toMatch(/^ew_/);
  expect([json.edge.mode, json.edge.offers]).toEqual(['pull', 'pool']);
  const push = await api.request('PATCH', '/v1/edges/ritz', { body: { mode: 'push' } });
  expect([push.json.mode, push.json.offers]).toEqual(['push', null]);
});

test('nothing is given that was not taken; it is offered to those that it names', async () => {
  for (const edge of ['keebler', 'oreo']) await hello(edge, 1);
  const id = await submit({ name: 'hostname', resources: { cores: 2 }, priority: 60 });
  await api.settle();
  const waiting = (await api.request('GET', `/v1/jobs/${id}`)).json.status.waiting;
  expect(waiting[0]).toMatchObject({ reason: 'awaits-accept', examples: ['keebler', 'oreo'] });
  const listed = await offers('keebler');
  expect(listed).toMatchObject({ total: 1, nextCursor: null });
  expect(listed.items[0]).toMatchObject({
    id,
    kind: 'job',
    cluster: 'keebler',
    name: 'hostname',
    chunks: '0',
    tasks: 1,
    resources: { cores: 2 },
    jobspec: null,
    fits: true,
  });
  expect(await offers('keebler')).toEqual(listed);
});

test('offers are filtered, paged and counted', async () => {
  await hello('keebler', 1);
  const ids = [];
  for (let i = 0; i < 5; i++) {
    nowMs++;
    ids.push(await submit({ priority: 50 + i, labels: { n: String(i) }, resources: { cores: i } }));
  }
  const order = [...ids].reverse();
  const idsOf = async (query: string) =>
    (await offers('keebler', query)).items.map((it: { id: string }) => it.id);
  expect(await idsOf('')).toEqual(order);
  expect(await idsOf('?max=2')).toEqual(order.slice(0, 2));
  expect(await idsOf('?max=0')).toEqual(order);
  expect(await idsOf('?maxCores=1')).toEqual(order.slice(3));
  expect(await idsOf('?label=n=2')).toEqual([ids[2]]);
  expect(await idsOf('?queue=other')).toEqual([]);
  const first = await offers('keebler', '?limit=3');
  expect(first.items.length).toBe(3);
  const rest = await offers('keebler', `?limit=3&cursor=${first.nextCursor}`);
  expect([rest.items.length, rest.nextCursor]).toEqual([2, null]);
  expect(await offers('keebler', '?summary=true')).toMatchObject({
    total: 5,
    byQueue: { default: 5 },
    byNodes: { 1: 5 },
  });
  expect((await as('keebler', 'GET', '/offers?waitSeconds=26')).status).toBe(400);
});

test('what is taken is leased, named in the work document, and goes on like any other', async () => {
  await hello('keebler', 1);
  const id = await submit({ chunks: 3 });
  const taken = await accept('keebler', [id]);
  expect(taken.status).toBe(200);
  expect(taken.json).toMatchObject({
    status: 'success',
    accepted: [id],
    refused: [],
    leases: [{ job: id, chunks: '0-2', slots: 3 }],
  });
  const work = (await as('keebler', 'GET', '/work')).json;
  expect(work.w[id]).toMatchObject({ r: '0-2', s: 3 });
  expect((await api.request('GET', `/v1/jobs/${id}`)).json.status.state).toBe('scheduled');
  await hello('keebler', 2, { e: work.e, w: { [id]: { d: '0-2' } } });
  await api.settle();
  expect((await api.request('GET', `/v1/jobs/${id}`)).json.status.state).toBe('done');
  const late = await accept('keebler', [id, 'nobody']);
  expect(late.json).toMatchObject({
    status: 'partial',
    accepted: [],
    refused: [
      { job: id, reason: 'ended' },
      { job: 'nobody', reason: 'not-offered' },
    ],
  });
});

test('the first thing that an edge says may be that it takes something', async () => {
  const id = await submit();
  expect((await accept('keebler', [id])).json.refused).toEqual([]);
  await api.settle();
  expect((await as('keebler', 'GET', '/work')).json.w[id]).toMatchObject({ r: '0' });
});

test('with a key the same answer comes again', async () => {
  await hello('keebler', 1);
  const id = await submit();
  const key = { 'idempotency-key': 'once' };
  const first = await as('keebler', 'POST', '/accept', { jobs: [id] }, key);
  const again = await as('keebler', 'POST', '/accept', { jobs: [id] }, key);
  expect(again.json).toEqual(first.json);
  expect((await accept('keebler', [id])).json.refused).toEqual([
    { job: id, reason: 'already-accepted' },
  ]);
});

test.each([
  ['nothing', { jobs: [] }, '/jobs'],
  ['too much', { jobs: Array.from({ length: 501 }, (_, i) => `j-${i}`) }, '/jobs'],
  ['no ranges', { jobs: ['a'], ranges: { a: '9-1' } }, '/ranges/a'],
])('%s cannot be taken', async (_what, body, pointer) => {
  const { status, json } = await as('keebler', 'POST', '/accept', body);
  expect([status, json.errors[0].pointer]).toEqual([400, pointer]);
});

test('what is given back is offered to the other at once, and not to who gave it back', async () => {
  for (const edge of ['keebler', 'oreo']) await hello(edge, 1);
  const id = await submit();
  await accept('keebler', [id]);
  expect((await offers('oreo')).total).toBe(0);
  const back = await as('keebler', 'POST', '/release', { jobs: [id], reason: 'no room' });
  expect(back.json).toEqual({
    status: 'success',
    released: [{ job: id, chunks: '0' }],
    refused: [],
  });
  expect((await offers('oreo')).total).toBe(1);
  expect((await offers('keebler')).total).toBe(0);
});

test('only the edge itself takes; others may look', async () => {
  const id = await submit();
  const body = { jobs: [id] };
  const path = '/v1/edges/keebler/accept';
  expect((await api.request('POST', path, { body })).status).toBe(403);
  const other = { token: secrets.get('oreo')!, body };
  expect((await api.request('POST', path, other)).status).toBe(403);
  expect((await api.request('GET', '/v1/edges/keebler/offers')).status).toBe(200);
});

test('what another job waits for by now is taken and given back like any other', async () => {
  await hello('keebler', 1);
  const first = await submit({ requires: { edges: ['keebler'] } });
  // A pass has said what it waits for, and has nothing to say of it any more.
  await api.settle();
  await submit({ dependsOn: [first] });
  await api.settle();
  const taken = await accept('keebler', [first]);
  expect([taken.status, taken.json.accepted], taken.text).toEqual([200, [first]]);
  const other = await submit({ requires: { edges: ['keebler'] } });
  await accept('keebler', [other]);
  await submit({ dependsOn: [other] });
  const back = await as('keebler', 'POST', '/release', { jobs: [other] });
  expect([back.status, back.json.released], back.text).toEqual([
    200,
    [{ job: other, chunks: '0' }],
  ]);
});

test('two that race for the same work never both get it', async () => {
  for (const edge of ['keebler', 'oreo']) await hello(edge, 1);
  const ids: string[] = [];
  for (let i = 0; i < 40; i++) ids.push(await submit());
  const rounds = await Promise.all(
    ['keebler', 'oreo'].flatMap((edge) =>
      [0, 1].map(async (part) => (await accept(edge, ids.slice(part * 20, part * 20 + 20))).json),
    ),
  );
  const taken: string[] = rounds.flatMap((it) => it.accepted ?? []);
  expect(new Set(taken).size).toBe(taken.length);
  for (const edge of ['keebler', 'oreo']) {
    const left = ids.filter((id) => !taken.includes(id));
    if (left.length === 0) break;
    taken.push(...(await accept(edge, left)).json.accepted);
  }
  expect([...taken].sort()).toEqual([...ids].sort());
});

test('what fits may be asked for, and taken as far as it does', async () => {
  await hello('keebler', 1);
  const wide = await submit({ chunks: 30 });
  const small = await submit({ chunks: 1, chunkPower: 5 });
  const idsOf = async (query: string) =>
    (await offers('keebler', query)).items.map((it: { id: string }) => it.id);
  expect(await idsOf('?fits=true')).toEqual([small]);
  // Jobs of one millisecond are in no order.
  expect((await idsOf('?fits=some')).sort()).toEqual([wide, small].sort());
  const { json } = await accept('keebler', [wide, small], { fits: true });
  expect(json).toMatchObject({
    accepted: [wide],
    leases: [{ job: wide, chunks: '0-9', slots: 10 }],
    refused: [{ job: small, reason: 'held' }],
  });
  expect(await idsOf('?fits=some')).toEqual([]);
  expect((await as('keebler', 'GET', '/offers?fits=none')).status).toBe(400);
});
