import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Where a jobspec goes by what its pool says, and where it would go another day. */
let api: ApiStage;
let nowMs: number;
beforeEach(() => {
  nowMs = 1_700_000_000_000;
  api = createApiStage(createMemoryStores(), { clock: { nowMs: () => nowMs } });
});

const graph = {
  nodes: {
    0: { metadata: { type: 'cluster' } },
    1: { metadata: { type: 'node' } },
    2: { metadata: { type: 'core', size: 4 } },
  },
  edges: [
    { source: '0', target: '1', relation: 'contains' },
    { source: '1', target: '2', relation: 'contains' },
  ],
};

async function cluster(name: string, state: object): Promise<string> {
  const body = { name, mode: 'pull', nodes: { graph } };
  const { status, text, json } = await api.request('POST', '/v1/edges', { body });
  expect(status, text).toBe(201);
  const report = { b: 'boot', e: 0, n: 1, f: 4, i: 5, w: {} };
  await api.request('POST', `/v1/edges/${name}/report`, { token: json.secret, body: report });
  await say(name, json.secret, state);
  return json.secret;
}

const say = (name: string, token: string, body: object) =>
  api.request('PUT', `/v1/edges/${name}/state`, { token, body });

const jobspec = {
  version: 1,
  resources: { r: { type: 'node', count: 1, with: [{ type: 'core', count: 2 }] } },
  tasks: [{ name: 'one', command: ['true'], resources: 'r' }],
};
const cheapest = {
  algorithm: 'constraint',
  priorities: [{ priority: 1, steps: [{ sort_ascending: 'cost' }] }],
};
const submit = (more: object = {}) =>
  api.request('POST', '/v1/jobspecs', { body: { jobspec, ...more } });
const explain = async (id: string, query = '', more = {}) =>
  (await api.request('POST', `/v1/jobspecs/${id}/explain${query}`, more)).json;

test('the choice is repeated on the state of today, and moves nothing', async () => {
  const blue = await cluster('blue', { cost: 1 });
  await cluster('pink', { cost: 2 });
  const { json } = await submit({ select: cheapest });
  expect(json.cluster).toBe('blue');
  await say('blue', blue, { cost: 3 });
  expect(await explain(json.id)).toMatchObject({
    id: json.id,
    cluster: 'blue',
    totals: { clusters: 2, matches: 2 },
    selection: { algorithm: 'constraint', priority: 1, cluster: 'pink' },
  });
  const found = await api.request('GET', `/v1/jobspecs/${json.id}`);
  expect(found.json.cluster).toBe('blue');
  expect(found.json.selection.cluster).toBe('blue');
});

test('who asked for some clusters is explained with those; who may not see it gets 404', async () => {
  await cluster('blue', { cost: 1 });
  await cluster('pink', { cost: 2 });
  const { json } = await submit({ clusters: ['pink'] });
  expect(await explain(json.id)).toMatchObject({
    clusters: [{ name: 'pink', matches: true }],
    selection: { algorithm: 'freest', cluster: 'pink' },
  });
  const body = { name: 'other', scopes: ['jobs:read'], pool: 'elsewhere' };
  const token = (await api.request('POST', '/v1/tokens', { body })).json.secret;
  expect((await explain(json.id, '', { token })).code).toBe('not-found');
});

test('live leaves out who is cordoned or silent; without it they are what they have', async () => {
  const body = jobspec;
  const ask = async (query: string) =>
    (await api.request('POST', `/v1/jobspecs/satisfy${query}`, { body })).json.clusters;
  await cluster('blue', {});
  await cluster('pink', {});
  await api.request('PATCH', '/v1/edges/pink', { body: { cordoned: true, reason: 'new roof' } });
  expect(await ask('')).toMatchObject([{ matches: true }, { matches: true }]);
  expect(await ask('?live=true')).toMatchObject([
    { name: 'blue', matches: true },
    { name: 'pink', matches: false, reason: 'edge-cordoned', detail: 'new roof' },
  ]);
  const { id } = (await submit()).json;
  nowMs += 3_600_000;
  expect((await ask('?live=true'))[0]).toMatchObject({ name: 'blue', reason: 'disconnected' });
  expect(await ask('?live=yes')).toBeUndefined();
  expect(await explain(id, '?live=true')).toMatchObject({
    totals: { matches: 0 },
    selection: null,
  });
});

test('a pool says how its clusters are chosen, for whoever says nothing', async () => {
  await cluster('blue', { cost: 2 });
  await cluster('pink', { cost: 1 });
  const body = { select: cheapest, match: { unsatisfied: 'wait' } };
  const put = await api.request('PUT', '/v1/pools/default', { body });
  expect(put.json).toMatchObject(body);
  const { json } = await submit();
  expect([json.cluster, json.selection.algorithm]).toEqual(['pink', 'constraint']);
  expect((await submit({ select: { algorithm: 'first' } })).json.cluster).toBe('blue');
  const large = { ...jobspec, resources: { r: { type: 'node', count: 9 } } };
  const waits = await submit({ jobspec: large });
  expect([waits.status, waits.json.cluster]).toEqual([202, null]);
  const path = `/v1/jobspecs/${waits.json.id}`;
  const { status } = (await api.request('GET', path)).json;
  expect(status).toMatchObject({ state: 'waiting', reason: 'no-cluster-matches' });
  expect((await submit({ jobspec: large, unsatisfied: 'refuse' })).status).toBe(422);
  await api.request('PUT', '/v1/pools/default', { body: {} });
  expect((await explain(json.id)).selection.algorithm).toBe('constraint');
  expect((await submit()).json.selection.algorithm).toBe('freest');
});

test('of a|b the first that is there, or by wish the first that is free; and which it was', async () => {
  const nodes = (count: number) => ({ type: 'node', count });
  const body = { ...jobspec, resources: { all: nodes(2), one: nodes(1), more: nodes(3) } };
  const either = (resources: string) => ({ ...body, tasks: [{ ...jobspec.tasks[0], resources }] });
  const chosen = async (more: object) => {
    const { json, text } = await submit(more);
    return json.selection?.choices ?? text;
  };
  const at = '/tasks/0/resources';
  const token = await cluster('blue', {});
  const larger = { token, body: { limits: { nodes: 2, coresPerNode: 4 } } };
  expect((await api.request('PUT', '/v1/edges/blue/nodes', larger)).status).toBe(200);
  expect(await chosen({ jobspec: either('more|all') })).toEqual([{ at, chosen: 'all' }]);
  const { id } = (await submit({ jobspec: either('one') })).json;
  const accept = { token, body: { jobs: [id] } };
  const taken = await api.request('POST', '/v1/edges/blue/accept', accept);
  expect(taken.json.accepted).toEqual([id]);
  await api.settle();
  const busy = { jobspec: either('all|one'), fallback: 'busy' };
  expect(await chosen({ jobspec: either('all|one') })).toEqual([{ at, chosen: 'all' }]);
  expect(await chosen(busy)).toEqual([{ at, chosen: 'one' }]);
  expect(await chosen({ jobspec: either('all|more'), fallback: 'busy' })).toEqual([
    { at, chosen: 'all' },
  ]);
  const again = await submit(busy);
  expect((await explain(again.json.id)).selection.choices).toEqual([{ at, chosen: 'one' }]);
  await api.request('PUT', '/v1/pools/default', { body: { match: { fallback: 'busy' } } });
  expect(await chosen({ jobspec: either('all|one') })).toEqual([{ at, chosen: 'one' }]);
});

test.each([
  ['an unknown algorithm', { algorithm: 'luck' }, '/select/algorithm'],
  ['constraint alone', { algorithm: 'constraint' }, '/select/priorities'],
  ['priorities of another', { ...cheapest, algorithm: 'first' }, '/select/priorities'],
  [
    'an expression that is none',
    { algorithm: 'constraint', priorities: [{ priority: 1, steps: [{ filter: 'a >' }] }] },
    '/select/priorities/0/steps/0/filter',
  ],
  [
    'a step that says nothing',
    { algorithm: 'constraint', priorities: [{ priority: 1, steps: [{}] }] },
    '/select/priorities/0/steps/0',
  ],
])('a pool refuses %s', async (_, select, pointer) => {
  const { status, json } = await api.request('PUT', '/v1/pools/default', { body: { select } });
  expect([status, json.errors[0].pointer]).toEqual([400, pointer]);
  expect((await api.request('GET', '/v1/pools/default')).json.select ?? null).toBeNull();
});

test('more priorities than are kept with a jobspec are refused', async () => {
  const steps = Array.from({ length: 32 }, () => ({ filter: `${'a'.repeat(200)} > 0` }));
  const priorities = Array.from({ length: 8 }, (_, priority) => ({ priority, steps }));
  const { status, json } = await submit({ select: { algorithm: 'constraint', priorities } });
  expect([status, json.errors[0].pointer]).toEqual([400, '/select/priorities']);
});

test('the timeline of a job says where it was assigned, and by what', async () => {
  await cluster('blue', { cost: 2 });
  await cluster('pink', { cost: 'much' });
  const filter = [{ priority: 1, steps: [{ filter: 'cost < 5' }] }];
  const { json } = await submit({ select: { algorithm: 'constraint', priorities: filter } });
  const events = `/v1/jobs/${json.jobs[0].job.id}/events`;
  const { items } = (await api.request('GET', events)).json;
  expect(items).toMatchObject([
    { kind: 'submitted' },
    {
      kind: 'assigned',
      by: 'scheduler',
      detail: 'To blue: constraint, priority 1; 2 matched, 1 left out at a step.',
    },
  ]);
});
