import { beforeEach, describe, expect, test } from 'vitest';
import { sample } from '../../../core/graph/graph-fixture.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Graphs, subsystems and figures of a cluster that is there. */

let api: ApiStage;
let nowMs = 1_000_000;
beforeEach(async () => {
  api = createApiStage(createMemoryStores(), { clock: { nowMs: () => nowMs } });
  await api.request('POST', '/v1/edges', { body: { name: 'keebler', nodes, subsystems: { io } } });
});

const nodes = sample('cluster-nodes');
const io = sample('cluster-io-subsystem');
const small = { graph: { nodes: { 0: { metadata: { type: 'cluster' } } }, edges: [] } };
const at = '/v1/edges/keebler';

const put = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  api.request('PUT', `${at}${path}`, { body, headers });
const subsystems = async () => (await api.request('GET', `${at}/subsystems`)).json.items;

test('another graph drops subsystems only when that is asked for', async () => {
  const refused = await put('/nodes', small);
  expect([refused.status, refused.json.code]).toEqual([409, 'subsystem-detached']);
  expect((await api.request('GET', `${at}/nodes`)).json).toEqual(nodes);
  expect((await put('/nodes?detach=true', small)).json.graph).toMatchObject({
    vertices: 1,
    subsystems: [],
  });
  expect(await subsystems()).toEqual([]);
});

test('what follows from the graph follows from the next one, what was said stays', async () => {
  const body = { name: 'oreo', nodes, capacity: { cores: 30, licences: 2 } };
  await api.request('POST', '/v1/edges', { body });
  const limits = { nodes: 4, coresPerNode: 20, gpusPerNode: 2 };
  const next = await api.request('PUT', '/v1/edges/oreo/nodes', { body: { limits } });
  const said = { cores: 30, licences: 2 };
  expect(next.json.capacity).toEqual({ ...said, nodes: 4, gpus: 8, power: 80 });
  const again = await api.request('PUT', '/v1/edges/oreo/nodes', { body: nodes });
  expect(again.json.capacity).toEqual({ ...said, nodes: 3, power: 36 });
});

test('an edge that becomes a cluster keeps what it said, and has what its graph counts', async () => {
  const body = { name: 'plain', capacity: { power: 7 } };
  await api.request('POST', '/v1/edges', { body });
  const { json } = await api.request('PUT', '/v1/edges/plain/nodes', { body: nodes });
  expect(json.capacity).toEqual({ power: 7, nodes: 3, cores: 36 });
});

describe('whose agent says what the one host has that it runs on', () => {
  const host = { power: 4, cores: 2, gpus: 0, memoryMb: 900 };
  const said = { capacity: host, labels: {}, facts: { agent: '1.0.0', cores: 2, gpus: 0 } };
  /** As an agent does at its start, and whenever a fact changes. */
  async function makeAgent(body: object) {
    const { secret: token } = (await api.request('POST', '/v1/edges', { body })).json;
    return async (facts: object) => {
      nowMs += 1_000;
      const report = { b: `boot-${nowMs}`, e: 0, n: 1, f: 4, w: {}, facts };
      const path = '/v1/edges/slurm/report';
      expect((await api.request('POST', path, { token, body: report })).status).toBe(202);
    };
  }
  const has = async () => (await api.request('GET', '/v1/edges/slurm')).json.capacity;

  test('it has what its graph counts, whatever its agent says later', async () => {
    const report = await makeAgent({ name: 'slurm', ...said });
    await api.request('PUT', '/v1/edges/slurm/nodes', { body: nodes });
    const counted = { power: 4, memoryMb: 900, nodes: 3, cores: 36 };
    expect(await has()).toEqual({ ...counted, gpus: 0 });
    await report(said);
    expect(await has()).toEqual({ ...counted, gpus: 0 });
    await report({ ...said, capacity: { ...host, memoryMb: 800, cores: 1 } });
    expect(await has()).toEqual({ ...counted, memoryMb: 800, gpus: 0 });
    await api.request('PATCH', '/v1/edges/slurm', { body: { capacity: { cores: 30 } } });
    expect((await has()).cores).toBe(30);
  });

  test('a plain edge again, it has what its agent says', async () => {
    const report = await makeAgent({ name: 'slurm', ...said });
    await api.request('PUT', '/v1/edges/slurm/nodes', { body: nodes });
    await report(said);
    await api.request('DELETE', '/v1/edges/slurm/nodes');
    expect(await has()).toEqual(host);
  });

  test('what it read at its start is not what the next graph counts', async () => {
    const limits = { nodes: 4, coresPerNode: 20, gpusPerNode: 2 };
    const report = await makeAgent({ name: 'slurm', nodes: { limits }, capacity: { power: 9 } });
    const first = await has();
    expect(first).toEqual({ power: 9, nodes: 4, cores: 80, gpus: 8 });
    await report({ ...said, capacity: first });
    await api.request('PUT', '/v1/edges/slurm/nodes', { body: nodes });
    const next = { power: 9, nodes: 3, cores: 36, gpus: 0 };
    expect(await has()).toEqual(next);
    await report({ ...said, capacity: first });
    expect(await has()).toEqual(next);
  });
});

test('a graph is changed in the version that was read', async () => {
  const { headers } = await api.request('GET', `${at}/nodes`);
  expect((await put('/nodes', nodes, { 'if-none-match': '*' })).status).toBe(412);
  expect((await put('/nodes', nodes, { 'if-match': headers.etag! })).status).toBe(200);
  expect((await put('/nodes', nodes, { 'if-match': headers.etag! })).status).toBe(412);
});

test('a graph that is refused leaves the one that is there', async () => {
  const two = { graph: { nodes: { a: {}, b: {} }, edges: [] } };
  const refused = await put('/nodes', two);
  expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, '/graph/edges']);
  expect((await api.request('GET', at)).json.graph.vertices).toBe(44);
});

test('without its graph a cluster is a plain edge again', async () => {
  expect((await api.request('DELETE', `${at}/nodes`)).status).toBe(204);
  expect((await api.request('GET', at)).json.graph).toBeNull();
  expect(await subsystems()).toEqual([]);
  expect((await api.request('DELETE', `${at}/nodes`)).status).toBe(404);
  expect((await put('/subsystems/io', io)).status).toBe(409);
});

test('subsystems come, are replaced, and go', async () => {
  expect(await subsystems()).toMatchObject([
    { name: 'io', vertices: 6, attachedTo: 4, types: { io: 1, shm: 1, nvme: 1 } },
  ]);
  const spack = sample('spack-subsystem');
  const made = await put('/subsystems/spack', spack);
  expect([made.status, made.json.vertices]).toEqual([201, 6]);
  expect((await put('/subsystems/spack', spack, { 'if-none-match': '*' })).status).toBe(412);
  expect((await put('/subsystems/spack', spack)).status).toBe(200);
  expect((await api.request('GET', `${at}/subsystems/spack`)).json).toEqual(spack);
  expect((await api.request('GET', at)).json.graph.subsystems).toEqual(['io', 'spack']);
  expect((await api.request('DELETE', `${at}/subsystems/io`)).status).toBe(204);
  const gone = await api.request('DELETE', `${at}/subsystems/io`);
  expect([gone.status, gone.json.code]).toEqual([404, 'subsystem-not-found']);
  expect((await subsystems()).map((it: { name: string }) => it.name)).toEqual(['spack']);
});

test('a subsystem that is attached to nothing is refused, and nothing changes', async () => {
  const graph = { nodes: { s: { metadata: { type: 'disks' } } }, edges: [] as object[] };
  graph.edges.push({ source: '99', target: 's', relation: 'contains' });
  const refused = await put('/subsystems/disks', { graph });
  expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, '/graph/edges/0/source']);
  expect((await subsystems()).length).toBe(1);
});

test('figures are merged key by key', async () => {
  nowMs = 1_000_000;
  await put('/state', { nodes_free: 20, 'cost per hour': 3 });
  nowMs += 60_000;
  const { json } = await put('/state', { nodes_free: 4, 'cost per hour': null, up: true });
  expect(json.state).toEqual({ nodes_free: 4, up: true });
  expect(json.keys.nodes_free).toBe(new Date(nowMs).toISOString());
  const edge = (await api.request('GET', at)).json;
  expect([edge.clusterState, edge.stateAt]).toEqual([json.state, json.updatedAt]);
});

test('a cluster that sends figures is there, one that sends none is not', async () => {
  nowMs = 2_000_000;
  const secrets = new Map<string, string>();
  const as = (name: string, method: string, path: string, body: unknown) =>
    api.request(method, `/v1/edges/${name}${path}`, { token: secrets.get(name)!, body });
  for (const name of ['oreo', 'ritz']) {
    const made = await api.request('POST', '/v1/edges', { body: { name, nodes } });
    secrets.set(name, made.json.secret);
    await as(name, 'POST', '/report', { b: 'boot', e: 0, n: 1, f: 36, i: 5, w: {} });
  }
  for (let seconds = 0; seconds < 60; seconds += 10) {
    nowMs += 10_000;
    await as('oreo', 'PUT', '/state', { nodes_free: seconds });
  }
  const states = ['oreo', 'ritz'].map(async (name) => {
    return (await api.request('GET', `/v1/edges/${name}`)).json.state;
  });
  expect(await Promise.all(states)).toEqual(['connected', 'disconnected']);
});

test('nothing of a state is merged when a part of it is wrong', async () => {
  await put('/state', { a: 1 });
  const bad = await put('/state', { a: 2, 'b/c': { d: 1 } });
  expect([bad.status, bad.json.errors[0].pointer]).toEqual([400, '/b~1c']);
  expect((await put('/state', { a: 'x'.repeat(257) })).status).toBe(400);
  expect((await put('/state', { 'a\nb': 1 })).status).toBe(400);
  const many = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`k${i}`, i]));
  expect((await put('/state', many)).status).toBe(400);
  expect((await api.request('GET', `${at}/state`)).json.state).toEqual({ a: 1 });
});

test('figures fall away when their time is over', async () => {
  await put('/state', { kept: 1 });
  await put('/state?ttlSeconds=60', { brief: 2 });
  nowMs += 59_000;
  expect((await api.request('GET', `${at}/state`)).json.state).toEqual({ kept: 1, brief: 2 });
  nowMs += 1_000;
  expect((await api.request('GET', `${at}/state`)).json.state).toEqual({ kept: 1 });
  expect((await put('/state?ttlSeconds=0', {})).status).toBe(400);
});

test('names of members of every object are names like any other', async () => {
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  await put('/state', Object.fromEntries(names.map((name) => [name, 1])));
  const { state } = (await api.request('GET', `${at}/state`)).json;
  expect(Object.keys(state).sort()).toEqual([...names].sort());
  const raw = '{"__proto__": 1}';
  expect((await api.request('PUT', `${at}/state`, { raw })).status).toBe(400);
});
