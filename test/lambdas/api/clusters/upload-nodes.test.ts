import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Graphs that are too large for a request. */
let api: ApiStage;
let secret: string;
beforeEach(async () => {
  api = createApiStage(createMemoryStores());
  const body = { name: 'keebler', capacity: { power: 1 } };
  secret = (await api.request('POST', '/v1/edges', { body })).json.secret;
});

/** Nodes with names that differ, so that the document is large and its digest is small. */
function graphOf(nodes: number, random: string) {
  const vertices: Record<string, object> = { c: { metadata: { type: 'cluster' } } };
  const edges: object[] = [];
  for (let at = 0; at < nodes; at++) {
    const id = createHash('sha256').update(`${random}${at}`).digest('hex');
    vertices[id] = { metadata: { type: 'node', paths: { containment: `/${id}` } } };
    edges.push({ source: 'c', target: id, relation: 'contains' });
  }
  return { graph: { nodes: vertices, edges } };
}

const ask = (method: string, path: string, body?: unknown, token = secret) =>
  api.request(method, `/v1/edges/keebler${path}`, { token, body });

async function upload(bytes: Uint8Array) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { status, json } = await ask('POST', '/nodes:upload', { sha256, bytes: bytes.length });
  expect(status).toBe(201);
  return json;
}
type Address = { readonly uploadUrl: string; readonly headers: Record<string, string> };
const put = ({ uploadUrl: url, headers }: Address, bytes: Uint8Array) =>
  api.services.files.put({ url, headers }, bytes);

test.each([
  ['as it is', (text: string) => Buffer.from(text)],
  ['packed', gzipSync],
])('a large graph goes into the store, %s, and its token makes it the graph', async (_, pack) => {
  const document = graphOf(4_000, 'a');
  const bytes = pack(JSON.stringify(document));
  expect(bytes.length).toBeGreaterThan(256 * 1_024);
  const address = await upload(bytes);
  expect((await ask('PUT', '/nodes', { upload: address.token })).json.errors).toMatchObject([
    { pointer: '/upload' },
  ]);
  expect(put(address, Buffer.from('other'))).toBe(400);
  expect(put(address, bytes)).toBe(200);
  expect((await ask('GET', '/nodes')).status).toBe(404);
  const { status, json, text } = await ask('PUT', '/nodes', { upload: address.token });
  expect(status, text).toBe(200);
  expect(json.graph.counts).toEqual({ cluster: 1, node: 4_000 });
  expect((await ask('GET', '/nodes')).json).toEqual(document);
});

test('what was put there is read as hostile as a body, and nothing of it is stored', async () => {
  const cases: [string | Buffer, string][] = [
    ['no JSON', 'invalid-json'],
    [Buffer.from([0x1f, 0x8b, 1, 2, 3]), 'invalid-json'],
    [gzipSync(' '.repeat(5 * 1_024 * 1_024)), 'body-too-large'],
    [JSON.stringify({ graph: { nodes: {}, edges: [] } }), 'invalid-request'],
  ];
  for (const [content, code] of cases) {
    const bytes = Buffer.from(content);
    const address = await upload(bytes);
    put(address, bytes);
    expect((await ask('PUT', '/nodes', { upload: address.token })).json.code).toBe(code);
  }
  expect((await ask('GET', '/nodes')).status).toBe(404);
  const large = { sha256: '0'.repeat(64), bytes: 5 * 1_024 * 1_024 };
  expect((await ask('POST', '/nodes:upload', large)).status).toBe(400);
  expect((await ask('PUT', '/nodes', { upload: '../x' })).status).toBe(400);
});

test('an address is for the cluster itself and for who may change edges', async () => {
  const other = await api.request('POST', '/v1/edges', {
    body: { name: 'o', capacity: { power: 1 } },
  });
  const body = { sha256: '0'.repeat(64), bytes: 1 };
  expect((await ask('POST', '/nodes:upload', body, other.json.secret)).status).toBe(403);
  expect((await ask('POST', '/nodes:upload', body, api.adminToken)).status).toBe(201);
  const mine = Buffer.from(JSON.stringify(graphOf(1, 'b')));
  const address = await upload(mine);
  put(address, mine);
  const foreign = await api.request('PUT', '/v1/edges/o/nodes', {
    token: other.json.secret,
    body: { upload: address.token },
  });
  expect(foreign.json.errors[0].pointer).toBe('/upload');
});
