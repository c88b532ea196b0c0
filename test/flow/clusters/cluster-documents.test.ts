import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sample } from '../../core/graph/graph-fixture.ts';
import { runClient } from '../cli/client.ts';
import { until } from '../start/stage.ts';
import type { Said } from './cluster-program.ts';
import { graphOf, type RulesStage, startRules, type Tree } from './rules-stage.ts';

/**
 * What clusters say of themselves, to the edges of what may be said: versions of documents, their
 * bounds, what is counted and what is not; asked again after a kill -9 of everything.
 */
let stage: RulesStage;
beforeAll(async () => {
  stage = await startRules();
}, 120_000);
afterAll(() => stage.product.remove());

const nodes = sample('cluster-nodes');
const secrets = new Map<string, string>();

async function register(name: string, more: object = {}): Promise<Said['json']> {
  const made = await stage.register(name, 'hpc', more);
  secrets.set(name, made.secret);
  return made;
}
const as = (name: string, method: string, path: string, body?: unknown): Promise<Said> =>
  stage.ask(secrets.get(name)!, method, `/v1/edges/${name}${path}`, body);
const edge = (name: string) => stage.expecting(200, 'GET', `/v1/edges/${name}`);

/** As it is, with headers. */
async function raw(
  name: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array<ArrayBuffer>,
) {
  const authorization = `Bearer ${secrets.get(name)}`;
  const { api } = stage.product.place.endpoints()!;
  const init = { method, headers: { authorization, ...headers }, body: body ?? null };
  const answer = await fetch(`${api}/v1/edges/${name}${path}`, init);
  return { status: answer.status, etag: answer.headers.get('etag'), text: await answer.text() };
}
const json = { 'content-type': 'application/json' };
/** A gateway carries bytes as they are only under a type that is no text. */
const gzip = { 'content-type': 'application/gzip' };

test('what an edge says of itself as a cluster, with a graph and without', async () => {
  const made = await register('amber', { nodes });
  expect(made.edge).toMatchObject({ mode: 'pull', graph: { vertices: 44, subsystems: [] } });
  expect(made.edge.graph.hash).toMatch(/\w{8}/);
  expect(Date.parse(made.edge.graph.registeredAt)).toBeGreaterThan(0);
  const plain = await register('plain', { capacity: { power: 4 } });
  expect([plain.submitToken?.slice(0, 3), plain.edge.mode, plain.edge.graph]).toEqual([
    'ew_',
    'pull',
    null,
  ]);
  const push = { name: 'push', pool: 'hpc', capacity: { power: 4 } };
  expect((await stage.expecting(201, 'POST', '/v1/edges', push)).submitToken).toBeUndefined();
  const missing = await stage.admin('POST', '/v1/edges', { name: 'none', pool: 'hpc' });
  expect([missing.status, missing.json.errors[0].pointer]).toEqual([400, '/capacity']);
});

test('capacity is what the graph counts under each name, and what is said instead', async () => {
  const leaves = Array.from({ length: 20 }, (_, at) => ({ type: `leaf${10 + at}` }));
  const below: Tree[] = [{ type: 'gpu', size: 2 }, { type: 'nvme', size: 3 }, ...leaves];
  const root = { type: 'cluster', below: [{ type: 'node', size: 4, below }] };
  const said = { nvme: 1, power: 7 };
  const { edge: made } = await register('many', { nodes: graphOf(root), capacity: said });
  expect(made.capacity).toMatchObject({ nodes: 4, gpus: 2, nvme: 1, power: 7, leaf10: 1 });
  expect(Object.keys(made.capacity).length).toBe(16);
  const single = graphOf({ type: 'cluster', below: [{ type: 'node' }] });
  expect((await register('single', { nodes: single })).edge.capacity).toEqual({
    power: 1,
    nodes: 1,
  });
  const limits = { nodes: 2, coresPerNode: 8, gpusPerNode: 1, types: { nvme: 2 } };
  const { edge: cloud } = await register('cloud', { nodes: { limits } });
  expect(cloud.graph.counts).toEqual({ cluster: 1, node: 2, core: 16, gpu: 2, nvme: 4 });
  expect(cloud.capacity).toEqual({ power: 16, nodes: 2, cores: 16, gpus: 2, nvme: 4 });
});

test('a vertex without words is one resource; edges of other kinds count for nothing', async () => {
  const contains = { source: 'a', target: 'b', relation: 'contains' };
  const mirror = { source: 'b', target: 'a', relation: 'in' };
  const others = [
    { source: 'b', target: 'a', relation: 'near' },
    { source: 'a', target: 'b', relation: 'in' },
  ];
  const graph = { nodes: { a: {}, b: {} }, edges: [contains, mirror, ...others] };
  const { edge: made } = await register('words', { nodes: { graph } });
  expect(made.graph).toMatchObject({ vertices: 2, counts: { resource: 2 } });
  expect((await as('words', 'GET', '/nodes')).json).toEqual({ graph });
});

test('a graph is replaced in the version that was read, packed or not, and byte for byte', async () => {
  const first = await raw('amber', 'GET', '/nodes', {});
  expect(first.etag).toMatch(/^"/);
  const text = `${JSON.stringify(nodes)}\n\n`;
  const packed = { ...gzip, 'if-match': first.etag! };
  expect((await raw('amber', 'PUT', '/nodes', packed, gzipSync(text))).status).toBe(200);
  expect((await raw('amber', 'PUT', '/nodes', packed, gzipSync(text))).status).toBe(412);
  await stage.killAndStart([]);
  const second = await raw('amber', 'GET', '/nodes', {});
  expect([second.text, second.etag === first.etag]).toEqual([text, false]);
  const late = { ...json, 'if-match': first.etag! };
  expect((await raw('amber', 'PUT', '/nodes', late, text)).status).toBe(412);
  const none = { ...json, 'if-none-match': '*' };
  expect((await raw('amber', 'PUT', '/nodes', none, text)).status).toBe(412);
  const reader = await stage.token({ scopes: ['edges:read'] });
  const read = (method: string, body?: object) =>
    stage.ask(reader, method, '/v1/edges/amber/nodes', body);
  expect([(await read('GET')).status, (await read('PUT', {})).status]).toEqual([200, 403]);
}, 120_000);

test('the command line registers and changes a cluster whose graph is too large for a request', async () => {
  const { directory } = stage.product.place;
  const file = join(directory, 'large.json');
  const write = (count: number) => {
    const below = Array.from({ length: count }, (_, at) => ({
      type: 'node',
      paths: { containment: createHash('sha256').update(String(at)).digest('hex') },
    }));
    writeFileSync(file, JSON.stringify(graphOf({ type: 'cluster', below })));
  };
  const run = (...words: string[]) => runClient(directory, 'cluster', ...words);
  write(1_000);
  const made = await run('register', 'large', '--pool', 'hpc', '--nodes', file, '-o', 'name');
  expect([made.code, made.out.trim()], made.err).toEqual([0, 'large']);
  write(8_000);
  const again = await run('nodes', 'large', '--file', file);
  expect(again.code, again.err).toBe(0);
  expect((await edge('large')).graph.counts).toEqual({ cluster: 1, node: 8_000 });
  const printed = await run('nodes', 'large');
  expect(JSON.parse(printed.out)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
});

test('too much of anything is refused, and what was there stays', async () => {
  const before = (await edge('amber')).graph;
  const edges = Array.from({ length: 60_001 }, () => ['a', 'b']);
  const crowded = { nodes: { a: {}, b: {} }, edges };
  const put = async (content: Uint8Array<ArrayBuffer>) => {
    const { status, text } = await raw('amber', 'PUT', '/nodes', gzip, content);
    return [status, JSON.parse(text).errors?.[0]];
  };
  const many = await put(gzipSync(JSON.stringify({ graph: crowded })));
  expect(many).toEqual([400, { pointer: '/graph/edges', message: expect.stringMatching(/60000/) }]);
  expect((await put(gzipSync(' '.repeat(5 * 1024 * 1024))))[0]).toBe(413);
  expect((await put(Buffer.from('not packed')))[0]).toBe(400);
  const long = JSON.stringify({ graph: { nodes: { a: { x: 'y'.repeat(300_000) } }, edges: [] } });
  expect((await raw('amber', 'PUT', '/nodes', json, long)).status).toBe(413);
  expect((await edge('amber')).graph).toEqual(before);
});

const link = (source: string, target: string) => ({ source, target, relation: 'contains' });
const joined = (vertices: object, ...edges: object[]) => ({ graph: { nodes: vertices, edges } });

test('subsystems: new or not at all, each vertex attached, so many and so large', async () => {
  const disk = joined({ d: { metadata: { type: 'disk' } } }, link('2', 'd'));
  const put = (name: string, body: object, headers = {}) =>
    raw('amber', 'PUT', `/subsystems/${name}`, { ...json, ...headers }, JSON.stringify(body));
  const made = await put('disks', disk, { 'if-none-match': '*' });
  expect([made.status, made.etag?.[0]]).toEqual([201, '"']);
  expect((await put('disks', disk, { 'if-none-match': '*' })).status).toBe(412);
  const again = await put('disks', disk, { 'if-match': made.etag! });
  expect([again.status, again.etag?.[0]]).toEqual([200, '"']);
  const loose = joined({ r: {}, s: {}, x: {} }, link('r', 's'));
  const { errors } = JSON.parse((await put('loose', loose)).text);
  expect(errors.map(({ message }: { message: string }) => message).join()).toMatch(
    /vertex "x" is not attached/i,
  );
  const own = joined({ 0: { metadata: { type: 'cpu' } } });
  expect((await put('system', own)).status).toBe(201);
  const many = Object.fromEntries(Array.from({ length: 5_001 }, (_, at) => [`v${at}`, {}]));
  const large = JSON.parse((await put('large', joined(many))).text);
  expect(large.errors[0]).toMatchObject({ message: expect.stringMatching(/5000/) });
  let here = (await as('amber', 'GET', '/subsystems')).json.items.length;
  for (; here < 32; here++) expect((await put(`s${here}`, disk)).status).toBe(201);
  expect((await put('one-more', disk)).status).toBe(400);
  for (let at = 2; at < 32; at++) {
    expect((await as('amber', 'DELETE', `/subsystems/s${at}`)).status).toBe(204);
  }
}, 60_000);

test('what a subsystem says counts until it is gone, from the next question on', async () => {
  const requires = [{ name: 'disks', field: 'type', match: 'disk' }];
  const spec = {
    version: 1,
    resources: { r: { type: 'node', requires } },
    tasks: [{ command: 'true', resources: 'r' }],
  };
  const path = '/v1/jobspecs/satisfy?pool=hpc&clusters=amber';
  const has = async () => (await stage.expecting(200, 'POST', path, spec)).clusters[0];
  expect(await has()).toMatchObject({ name: 'amber', matches: true });
  expect((await as('amber', 'DELETE', '/subsystems/disks')).status).toBe(204);
  expect(await has()).toMatchObject({ matches: false, reason: 'subsystem-missing' });
});

test('figures are as many and as long as may be, from the cluster or who changes edges', async () => {
  const figures = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`key ${at} ü`, at]));
  const put = (body: object) => stage.admin('PUT', '/v1/edges/amber/state', body);
  expect((await put(figures(64))).status).toBe(200);
  for (const [what, body] of [
    ['one more', { other: 1 }],
    ['a long name', { ['k'.repeat(65)]: 1 }],
    ['a control character', { 'a\u0007': 1 }],
    ['a long text', { 'key 0 ü': 'x'.repeat(257) }],
    ['a list', { 'key 0 ü': [1] }],
  ] as const) {
    expect((await put(body)).status, what).toBe(400);
  }
  expect((await as('amber', 'GET', '/state')).json.state).toEqual(figures(64));
  const gone = Object.fromEntries(Object.keys(figures(64)).map((key) => [key, null]));
  expect((await put(gone)).json.state).toEqual({});
  const reader = await stage.token({ scopes: ['edges:read'] });
  expect((await stage.ask(reader, 'PUT', '/v1/edges/amber/state', { a: 1 })).status).toBe(403);
});

test('tokens to submit have their time, and are bound to clusters that there are', async () => {
  const brief = await stage.expecting(201, 'POST', '/v1/edges/amber/submit-tokens', {
    name: 'brief',
    ttlSeconds: 1,
  });
  const submit = (token: string) => stage.ask(token, 'POST', '/v1/jobs', { chunks: 1 });
  await until('it opens nothing', async () => (await submit(brief.secret)).status === 401);
  const bound = { name: 'ci', scopes: ['jobs:write', 'jobs:read'], edges: ['amber'] };
  const made = await stage.expecting(201, 'POST', '/v1/tokens', bound);
  const { status, json: job } = await submit(made.secret);
  expect([status, job.spec.requires.edges]).toEqual([202, ['amber']]);
  for (const wrong of [
    { ...bound, edges: ['nobody'] },
    { ...bound, scopes: ['edges:read'] },
    { ...bound, pool: 'default' },
  ]) {
    await stage.expecting(400, 'POST', '/v1/tokens', wrong);
  }
});

test('a cluster that goes drains what it accepted, and its offers are none', async () => {
  const ids = [];
  for (let at = 0; at < 2; at++) {
    const body = { pool: 'hpc', chunks: 1, requires: { edges: ['many', 'amber'] } };
    ids.push((await stage.product.submit(body)).id);
  }
  const accepted = await as('many', 'POST', '/accept', { jobs: [ids[0]] });
  expect(accepted.json.accepted, JSON.stringify(accepted.json)).toEqual([ids[0]]);
  const report = async (done: boolean, n: number) => {
    const { json: work } = await as('many', 'GET', '/work');
    const held = Object.entries<{ r: string }>(work.w);
    const w = Object.fromEntries(held.map(([id, { r }]) => [id, done ? { d: r } : { a: r }]));
    await as('many', 'POST', '/report', { b: 'boot', e: work.e, n, f: 7, i: 5, w });
  };
  await report(false, 1);
  expect((await as('many', 'DELETE', '')).status).toBe(202);
  expect((await as('many', 'POST', '/accept', { jobs: [ids[1]] })).json.accepted ?? []).toEqual([]);
  await stage.killAndStart([]);
  await report(true, 2);
  const gone = async () => (await stage.admin('GET', '/v1/edges/many')).status === 404;
  await until('it is gone', gone, 120_000);
  expect((await stage.product.job(ids[0]!)).status.state).toBe('done');
  expect(
    (await as('amber', 'GET', '/offers')).json.items.map(({ id }: Said['json']) => id),
  ).toContain(ids[1]);
}, 240_000);
