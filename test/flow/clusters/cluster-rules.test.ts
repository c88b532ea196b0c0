import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sample } from '../../core/graph/graph-fixture.ts';
import { until } from '../start/stage.ts';
import type { Said } from './cluster-program.ts';
import { equalNodes } from './process-cluster.ts';
import { graphOf, type RulesStage, startRules, times } from './rules-stage.ts';

/**
 * Clusters as their owners register them, describe them and take work for them: each rule over
 * HTTP, and what was said before a kill -9 of everything is true after it.
 */
let stage: RulesStage;
let enrol: string;

type Owner = { readonly secret: string; readonly submitToken: string; readonly token: string };
const owners = new Map<string, Owner>();

beforeAll(async () => {
  stage = await startRules();
  enrol = await stage.token({ scopes: ['edges:enrol'] });
  await register('amber', { subsystems: { io: sample('cluster-io-subsystem') } });
  await register('basil', { nodes: { limits: { nodes: 4, coresPerNode: 8 } } });
}, 120_000);
afterAll(() => stage.product.remove());

const nodes = sample('cluster-nodes');
const counts = { cluster: 1, rack: 1, node: 3, socket: 3, core: 36 };

const enrolWith = (token: string, name: string, more: object): Promise<Said> =>
  stage.ask(token, 'POST', '/v1/edges', { name, pool: 'hpc', mode: 'pull', nodes, ...more });

async function register(name: string, more: object = {}): Promise<Said['json']> {
  const { status, json } = await enrolWith(enrol, name, more);
  expect(status, JSON.stringify(json)).toBe(201);
  owners.set(name, json);
  return json;
}

/** As the cluster itself, with its secret. */
const as = (name: string, method: string, path: string, body?: unknown): Promise<Said> =>
  stage.ask(owners.get(name)!.secret, method, `/v1/edges/${name}${path}`, body);
const saidBy = async (name: string, method: string, path: string, body?: unknown) => {
  const { status, json } = await as(name, method, path, body);
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBeLessThan(300);
  return json;
};
const edge = (name: string) => stage.expecting(200, 'GET', `/v1/edges/${name}`);

test('registered: what is counted, three credentials, a name that lives', async () => {
  const amber = await edge('amber');
  expect(amber.graph).toMatchObject({ vertices: 44, counts, subsystems: ['io'] });
  expect(amber.capacity).toEqual({ power: 36, nodes: 3, cores: 36 });
  expect((await edge('basil')).graph.counts).toEqual({ cluster: 1, node: 4, core: 32 });
  const own = owners.get('amber')!;
  const other = owners.get('basil')!;
  const all = [own.secret, own.submitToken, own.token, other.secret, other.submitToken];
  expect(new Set([...all, other.token]).size).toBe(6);
  const sends = async (token: string) =>
    (await stage.ask(token, 'PUT', '/v1/edges/amber/state', { up: true })).status;
  expect(await Promise.all(all.map(sends))).toEqual([200, 403, 401, 403, 403]);
  const submits = async (token: string) =>
    (await stage.ask(token, 'POST', '/v1/jobs', { chunks: 1 })).status;
  expect(await Promise.all(all.map(submits))).toEqual([403, 202, 401, 403, 202]);
  for (const [token, wanted] of [
    [enrol, [409, 'edge-exists']],
    ['ew_wrong_token_0123456789', [401, 'unauthenticated']],
  ] as const) {
    const { status, json } = await enrolWith(token, 'amber', {});
    expect([status, json.code]).toEqual(wanted);
    expect(JSON.stringify(json)).not.toMatch(/ew_|secret|submitToken/);
  }
  expect((await enrolWith('ew_wrong_token_0123456789', 'nobody', {})).status).toBe(401);
  await stage.expecting(404, 'GET', '/v1/edges/nobody');
});

test('a submit token goes to its cluster, whatever else there is or is not', async () => {
  const made = await saidBy('amber', 'POST', '/submit-tokens', { name: 'guests' });
  const asGuest = (body: object) => stage.ask(made.secret, 'POST', '/v1/jobs', body);
  const { status, json } = await asGuest({ chunks: 1 });
  expect([status, json.spec.pool, json.spec.requires.edges]).toEqual([202, 'hpc', ['amber']]);
  const refused = [];
  for (const edges of [['basil'], ['nobody'], ['amber', 'basil']]) {
    const answer = await asGuest({ chunks: 1, requires: { edges } });
    refused.push([answer.status, answer.json.code, answer.json.detail].join(' '));
  }
  expect([new Set(refused).size, refused[0]!.slice(0, 13)]).toEqual([1, '403 forbidden']);
  const read = (path: string) => stage.ask(made.secret, 'GET', path);
  const mine = (await read('/v1/jobs')).json.items.map(({ id }: { id: string }) => id);
  expect(mine).toEqual([json.id]);
  expect(
    (await read(`/v1/jobs/${(await stage.product.submit({ pool: 'hpc', chunks: 1 })).id}`)).status,
  ).toBe(404);
  expect((await read('/v1/edges/amber')).status).toBe(403);
  const { items } = await stage.expecting(200, 'GET', '/v1/tokens');
  const listed = items.find(({ name }: { name: string }) => name === 'guests');
  expect(listed).toMatchObject({ edges: ['amber'] });
  await stage.expecting(204, 'DELETE', `/v1/tokens/${listed.id}`);
  await until('it opens nothing', async () => (await asGuest({ chunks: 1 })).status === 401);
});

const chain = (length: number): object => {
  let tree: Parameters<typeof graphOf>[0] = { type: 'box' };
  for (let at = 1; at < length; at++) tree = { type: 'box', below: [tree] };
  return graphOf(tree);
};
const joined = (ids: readonly string[], ...pairs: (readonly [string, string])[]) => ({
  graph: {
    nodes: Object.fromEntries(ids.map((id) => [id, {}])),
    edges: pairs.map(([source, target]) => ({ source, target, relation: 'contains' })),
  },
});
const sized = (size: unknown) => ({ graph: { nodes: { a: { metadata: { size } } }, edges: [] } });
const many = Object.fromEntries(Array.from({ length: 20_001 }, (_, at) => [at, {}]));

const noGraphs: readonly (readonly [what: string, graph: object, pointer: string])[] = [
  ['no vertex', joined([]), '/graph/nodes'],
  ['no edge', joined(['a', 'b']), '/graph/edges'],
  ['an end that is missing', joined(['a', 'b'], ['a', 'c']), '/graph/edges/0/target'],
  ['two parents', joined(['a', 'b', 'c'], ['a', 'b'], ['a', 'c'], ['b', 'c']), '/graph/edges/2'],
  ['a cycle', joined(['r', 'a', 'b'], ['a', 'b'], ['b', 'a']), '/graph/nodes/a'],
  ['a cycle of one', joined(['a', 'b'], ['a', 'a']), '/graph/edges/0'],
  ['two roots', joined(['a', 'b', 'c'], ['a', 'b']), '/graph/nodes/c'],
  ['names of every object', joined(['constructor', 'toString']), '/graph/edges'],
  ['none of something', sized(0), '/graph/nodes/a/metadata/size'],
  ['half', sized(1.5), '/graph/nodes/a/metadata/size'],
  ['beyond 2^53', sized(2 ** 53 + 2), '/graph/nodes/a/metadata/size'],
  ['deep', chain(17), '/graph/edges'],
  ['huge', { graph: { nodes: many, edges: [] } }, '/graph/nodes'],
  ['limits of nothing', { limits: { nodes: 0 } }, '/limits/nodes'],
];

test('what is no graph is refused with its place, and nothing is stored', async () => {
  const { graph: before } = await edge('amber');
  for (const [what, graph, pointer] of noGraphs) {
    const put = await as('amber', 'PUT', '/nodes', graph);
    expect(put.status, what).toBe(400);
    expect(put.json.errors[0].pointer.slice(0, pointer.length), what).toBe(pointer);
    const { status, json } = await enrolWith(enrol, 'nobody', { nodes: graph });
    expect([status, json.errors[0].pointer], what).toEqual([
      400,
      `/nodes${put.json.errors[0].pointer}`,
    ]);
  }
  expect((await edge('amber')).graph).toEqual(before);
  await stage.expecting(404, 'GET', '/v1/edges/nobody');
}, 60_000);

test('a graph is replaced, comes by the store when it is large, and goes', async () => {
  const { json: dill } = await enrolWith(enrol, 'dill', {});
  owners.set('dill', dill);
  expect(await saidBy('dill', 'GET', '/nodes')).toEqual(nodes);
  const io = await as('dill', 'PUT', '/subsystems/io', sample('cluster-io-subsystem'));
  expect(io.status).toBe(201);
  const small = equalNodes(2, { core: 4 });
  const refused = await as('dill', 'PUT', '/nodes', small);
  expect([refused.status, refused.json.code]).toEqual([409, 'subsystem-detached']);
  const next = await saidBy('dill', 'PUT', '/nodes?detach=true', small);
  expect([next.graph.counts, next.capacity]).toEqual([
    { cluster: 1, node: 2, core: 8 },
    { power: 8, nodes: 2, cores: 8 },
  ]);
  const large = graphOf({
    type: 'cluster',
    below: times(4_000, { type: 'node', paths: { containment: '/'.padEnd(64, 'x') } }),
  });
  const bytes = JSON.stringify(large);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const said = { sha256, bytes: bytes.length };
  const address = await saidBy('dill', 'POST', '/nodes:upload', said);
  const { headers, uploadUrl } = address;
  expect((await fetch(uploadUrl, { method: 'PUT', headers, body: bytes })).status).toBe(200);
  const upload = await saidBy('dill', 'PUT', '/nodes', { upload: address.token });
  expect(upload.graph.counts).toEqual({ cluster: 1, node: 4_000 });
  expect((await as('amber', 'DELETE', '/nodes?x=1')).status).toBe(400);
  expect((await stage.ask(owners.get('amber')!.secret, 'DELETE', '/v1/edges/dill')).status).toBe(
    403,
  );
  await stage.expecting(404, 'DELETE', '/v1/edges/nobody');
  expect((await as('dill', 'DELETE', '/nodes')).status).toBe(204);
  expect((await edge('dill')).graph).toBeNull();
  expect((await as('dill', 'DELETE', '')).status).toBe(202);
  const gone = async () => (await stage.admin('GET', '/v1/edges/dill')).status === 404;
  await until('it is gone', gone);
  const late = await stage.ask(dill.submitToken, 'POST', '/v1/jobs', { chunks: 1 });
  expect(late.status).toBe(401);
}, 90_000);

test('figures are merged key by key, or not at all, and fall away', async () => {
  const before = (await saidBy('amber', 'GET', '/state')).state;
  const first = await saidBy('amber', 'PUT', '/state', { free: 20, 'cost per hour': 3, up: null });
  const { up: _up, ...kept } = before;
  expect(first.state).toEqual({ ...kept, free: 20, 'cost per hour': 3 });
  expect(Object.keys(first.keys).sort()).toEqual(Object.keys(first.state).sort());
  const nested = await as('amber', 'PUT', '/state', { free: 4, 'b/c': { d: 1 } });
  expect([nested.status, nested.json.errors[0].pointer]).toEqual([400, '/b~1c']);
  await saidBy('amber', 'PUT', '/state?ttlSeconds=2', { brief: 1, constructor: 2 });
  expect((await saidBy('amber', 'GET', '/state')).state).toMatchObject({ free: 20 });
  const state = async () => (await saidBy('amber', 'GET', '/state')).state;
  await until('the brief one is gone', async () => !Object.hasOwn(await state(), 'brief'));
  const { clusterState, stateAt } = await edge('amber');
  expect([clusterState, typeof stateAt]).toEqual([first.state, 'string']);
});

test('subsystems have to be attached, are replaced, and go', async () => {
  const disks = (source: string) => ({
    graph: {
      nodes: { d: { metadata: { type: 'disk' } } },
      edges: [{ source, target: 'd', relation: 'contains' }],
    },
  });
  const unknown = await as('amber', 'PUT', '/subsystems/disks', disks('99'));
  expect([unknown.status, unknown.json.errors[0].pointer]).toEqual([400, '/graph/edges/0/source']);
  const loose = { graph: { nodes: { r: {}, x: {} }, edges: [] } };
  expect((await as('amber', 'PUT', '/subsystems/disks', loose)).status).toBe(400);
  for (const name of ['nodes', 'cluster', 'facts']) {
    expect((await as('amber', 'PUT', `/subsystems/${name}`, disks('2'))).status, name).toBe(400);
  }
  expect((await as('amber', 'PUT', '/subsystems/disks', disks('2'))).status).toBe(201);
  expect((await as('amber', 'PUT', '/subsystems/disks', disks('2'))).status).toBe(200);
  const { items } = await saidBy('amber', 'GET', '/subsystems');
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['disks', 'io']);
  expect(items[0]).toMatchObject({ name: 'disks', vertices: 1, attachedTo: 1, types: { disk: 1 } });
  expect(await saidBy('amber', 'GET', '/subsystems/disks')).toEqual(disks('2'));
  expect((await as('amber', 'DELETE', '/subsystems/disks')).status).toBe(204);
  const again = await as('amber', 'DELETE', '/subsystems/disks');
  expect([again.status, again.json.code]).toEqual([404, 'subsystem-not-found']);
});

test('what was said is so after everything was killed', async () => {
  const paths = ['', '/nodes', '/state', '/subsystems', '/subsystems/io', '/offers'];
  const all = async () => {
    const said: Said['json'][] = [];
    for (const path of paths) said.push(await saidBy('amber', 'GET', path));
    return said;
  };
  const before = await all();
  await stage.killAndStart([]);
  expect(await all()).toEqual(before);
  const { submitToken } = owners.get('amber')!;
  const { status, json } = await stage.ask(submitToken, 'POST', '/v1/jobs', { chunks: 1 });
  expect([status, json.spec?.requires.edges]).toEqual([202, ['amber']]);
  expect((await enrolWith(enrol, 'amber', {})).status).toBe(409);
  const state = await saidBy('amber', 'PUT', '/state', { free: null });
  expect(state.state).toEqual({ 'cost per hour': 3 });
}, 120_000);
