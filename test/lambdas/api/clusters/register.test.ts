import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { sample } from '../../../core/graph/graph-fixture.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Clusters as their owners register them, and as others submit to them. */

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

const nodes = sample('cluster-nodes');
const io = sample('cluster-io-subsystem');

const register = (name: string, more: object = {}, token?: string) =>
  api.request('POST', '/v1/edges', {
    body: { name, pool: 'hpc', nodes, subsystems: { io }, ...more },
    ...(token === undefined ? {} : { token }),
  });

const submit = (token: string, body: object = {}) =>
  api.request('POST', '/v1/jobs', { token, body });

test('a cluster is registered with its graph, and has what the graph counts', async () => {
  const { status, json } = await register('keebler');
  expect(status).toBe(201);
  expect(json.edge.graph).toMatchObject({
    vertices: 44,
    counts: { cluster: 1, rack: 1, node: 3, socket: 3, core: 36 },
    subsystems: ['io'],
  });
  expect(json.edge.capacity).toEqual({ power: 36, nodes: 3, cores: 36 });
  const read = await api.request('GET', '/v1/edges/keebler/nodes');
  expect(read.json).toEqual(nodes);
});

test('three credentials, three purposes, none usable as another', async () => {
  const first = (await register('keebler')).json;
  const second = (await register('oreo')).json;
  const opened = [first.secret, first.submitToken, first.token];
  expect(new Set([...opened, second.submitToken, second.secret]).size).toBe(5);
  const state = { body: { nodes_free: 3 } };
  const asToken = (token: string) =>
    api.request('PUT', '/v1/edges/keebler/state', { ...state, token });
  expect((await asToken(first.secret)).status).toBe(200);
  expect((await asToken(first.submitToken)).status).toBe(403);
  expect((await asToken(first.token)).status).toBe(401);
  expect((await asToken(second.secret)).status).toBe(403);
  expect((await submit(first.secret)).status).toBe(403);
  expect((await submit(first.token)).status).toBe(401);
  expect((await submit(first.submitToken)).status).toBe(202);
});

test('a name that lives is taken, and the answer has no credential', async () => {
  await register('keebler');
  const again = await register('keebler');
  expect([again.status, again.json.code]).toEqual([409, 'edge-exists']);
  expect(again.text).not.toContain('ew_');
  const wrong = await register('keebler', {}, 'ew_wrong_token_0123456789');
  expect(wrong.status).toBe(401);
  expect((await register('oreo', {}, 'ew_wrong_token_0123456789')).status).toBe(401);
  expect((await api.request('GET', '/v1/edges/oreo')).status).toBe(404);
});

test.each([
  ['a graph without vertices', { nodes: { graph: { nodes: {} } } }, '/nodes/graph/nodes'],
  ['limits of no node', { nodes: { limits: { nodes: 0 } } }, '/nodes/limits/nodes'],
  [
    'a subsystem that is not attached',
    { subsystems: { io: { graph: { nodes: { a: {}, b: {} } } } } },
    '/subsystems/io/graph/nodes/b',
  ],
  ['a subsystem of a reserved name', { subsystems: { nodes: io } }, '/subsystems/nodes'],
  ['subsystems without a graph', { nodes: undefined, capacity: { power: 1 } }, '/subsystems'],
])('%s is refused with its place, and nothing is stored', async (_what, more, pointer) => {
  const refused = await register('keebler', more);
  expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, pointer]);
  expect((await api.request('GET', '/v1/edges/keebler')).status).toBe(404);
  expect((await api.request('GET', '/v1/tokens')).json.items).toEqual([]);
});

test('a cluster without fixed nodes has as many as its limits say', async () => {
  const limits = { nodes: 64, coresPerNode: 96, gpusPerNode: 8 };
  const { json } = await register('cloud', { nodes: { limits }, subsystems: {} });
  expect(json.edge.capacity).toEqual({ power: 6_144, nodes: 64, cores: 6_144, gpus: 512 });
  expect(json.edge.graph.counts).toEqual({ cluster: 1, node: 64, core: 6_144, gpu: 512 });
});

test('who submits with its token goes to the cluster and nowhere else', async () => {
  const { submitToken } = (await register('keebler')).json;
  await register('oreo');
  const { status, json } = await submit(submitToken);
  expect([status, json.spec.pool]).toEqual([202, 'hpc']);
  expect(json.spec.requires.edges).toEqual(['keebler']);
  const others = [['oreo'], ['nobody'], ['keebler', 'oreo']];
  const refused = await Promise.all(
    others.map((edges) => submit(submitToken, { requires: { edges } })),
  );
  const words = refused.map(({ status: code, json: it }) => [code, it.code, it.detail]);
  expect(new Set(words.map((it) => it.join())).size).toBe(1);
  expect(words[0]![0]).toBe(403);
  const planned = await api.request('POST', '/v1/plan', {
    token: submitToken,
    body: { requires: { edges: ['oreo'] } },
  });
  expect(planned.status).toBe(403);
});

test('a submit token reads what it submitted and nothing else', async () => {
  const { submitToken } = (await register('keebler')).json;
  const own = (await submit(submitToken)).json.id;
  const other = (await submit(api.adminToken, { pool: 'hpc' })).json.id;
  const get = (path: string) => api.request('GET', path, { token: submitToken });
  expect((await get('/v1/jobs')).json.items.map((it: { id: string }) => it.id)).toEqual([own]);
  expect((await get(`/v1/jobs/${own}`)).status).toBe(200);
  expect((await get(`/v1/jobs/${other}`)).status).toBe(404);
  expect((await get('/v1/stats')).status).toBe(403);
  expect((await get('/v1/queues')).status).toBe(403);
  const cancel = await api.request('DELETE', `/v1/jobs/${other}`, { token: submitToken });
  expect(cancel.status).toBe(404);
  const put = { token: submitToken, body: { priority: 90 } };
  expect((await api.request('PUT', `/v1/jobs/${other}`, put)).status).toBe(403);
  const waits = await submit(submitToken, { dependsOn: [other] });
  expect(waits.status).toBe(400);
});

test('tokens for jobs may be bound to clusters of one pool', async () => {
  await register('keebler');
  const make = (body: object) =>
    api.request('POST', '/v1/tokens', { body: { name: 'ci', scopes: ['jobs:write'], ...body } });
  const { status, json } = await make({ edges: ['keebler'] });
  expect([status, json.edges, json.pool]).toEqual([201, ['keebler'], 'hpc']);
  expect((await submit(json.secret)).status).toBe(202);
  expect((await make({ edges: ['nobody'] })).status).toBe(400);
  expect((await make({ edges: ['keebler'], pool: 'default' })).status).toBe(400);
  expect((await make({ edges: ['keebler'], scopes: ['edges:read'] })).status).toBe(400);
});

test('what an edge is as a cluster goes with it, also by its own secret', async () => {
  const { secret, submitToken } = (await register('keebler')).json;
  const other = (await register('oreo')).json;
  const remove = (token: string, name = 'keebler') =>
    api.request('DELETE', `/v1/edges/${name}`, { token });
  expect((await remove(other.secret)).status).toBe(403);
  expect((await remove(api.adminToken, 'nobody')).status).toBe(404);
  expect((await remove(secret)).status).toBe(202);
  expect((await submit(submitToken)).status).toBe(401);
  expect((await api.request('GET', '/v1/edges/keebler/nodes')).status).toBe(404);
  const late = await api.request('PUT', '/v1/edges/keebler/nodes', { body: nodes });
  expect(late.status).toBe(409);
});

test('a packed graph is unpacked within its bound', async () => {
  await api.request('POST', '/v1/edges', { body: { name: 'plain', capacity: { power: 4 } } });
  const put = (raw: Buffer, encoding = 'gzip') =>
    api.request('PUT', '/v1/edges/plain/nodes', { raw, headers: { 'content-encoding': encoding } });
  const text = `${JSON.stringify(nodes)}\n`;
  expect((await put(gzipSync(text))).json.graph.vertices).toBe(44);
  expect((await api.request('GET', '/v1/edges/plain/nodes')).text).toBe(text);
  expect((await put(gzipSync(' '.repeat(5 * 1024 * 1024)))).status).toBe(413);
  expect((await put(Buffer.from('not packed'))).json.code).toBe('invalid-json');
  expect((await put(Buffer.from('x'), 'br')).status).toBe(415);
  const headers = { 'content-type': 'application/gzip' };
  const path = '/v1/edges/plain/nodes';
  const typed = (raw: Buffer) => api.request('PUT', path, { raw, headers });
  expect((await typed(gzipSync(text))).json.graph.vertices).toBe(44);
  expect((await api.request('GET', path)).text).toBe(text);
  expect((await typed(Buffer.from(text))).json.detail).toMatch(/application\/gzip/);
});
