import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { heldText } from '../../../../core/files/held-files.ts';
import { filesFreshMs } from '../../../../core/files/limits.ts';
import { formatManifest } from '../../../../core/files/manifest.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const fileOf = (text: string) => ({ sha256: digestOf(text), bytes: Buffer.byteLength(text) });

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

async function store(text: string, pool?: string): Promise<string> {
  const file = fileOf(text);
  const { json } = await api.request('POST', '/v1/files', { body: { ...file, pool } });
  if (json.present) return file.sha256;
  const address = { url: json.uploadUrl, headers: json.headers };
  expect(api.services.files.put(address, Buffer.from(text))).toBe(200);
  return file.sha256;
}

async function tokenOf(pool: string, scopes = ['jobs:read', 'jobs:write']): Promise<string> {
  const body = { name: `of-${pool}`, scopes, pool };
  return (await api.request('POST', '/v1/tokens', { body })).json.secret;
}

async function edgeOf(name: string, pool: string, more: object = {}): Promise<string> {
  const body = { name, pool, capacity: { power: 100 }, facts: { cacheBytes: 1_000, ...more } };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 100, w: {} };
  await api.request('POST', `/v1/edges/${name}/report`, { token: secret, body: report });
  return secret;
}

const submit = (inputs: readonly object[], more: object = {}) =>
  api.request('POST', '/v1/jobs', { body: { chunks: 1, inputs, ...more } });

test('a file is sent once, and is there from then on', async () => {
  const file = fileOf('scene');
  const first = await api.request('POST', '/v1/files', { body: file });
  expect([first.status, first.json.present]).toEqual([201, false]);
  await store('scene');
  const again = await api.request('POST', '/v1/files', { body: file });
  expect([again.status, again.json]).toEqual([200, { sha256: file.sha256, present: true }]);
  const other = fileOf('other');
  const asked = { sha256: [file.sha256, other.sha256, other.sha256] };
  const { json } = await api.request('POST', '/v1/files/missing', { body: asked });
  expect(json).toEqual({ missing: [other.sha256] });
  const many = await api.request('POST', '/v1/files/uploads', { body: { files: [file, other] } });
  expect(many.json.items.map((it: { present: boolean }) => it.present)).toEqual([true, false]);
});

test('a file is read at the address that is answered', async () => {
  const sha256 = await store('scene');
  const { status, headers } = await api.request('GET', `/v1/files/${sha256}`);
  expect(status).toBe(302);
  expect(Buffer.from(api.services.files.get(headers.location!)!).toString()).toBe('scene');
  expect((await api.request('HEAD', `/v1/files/${sha256}`)).status).toBe(200);
  expect((await api.request('HEAD', `/v1/files/${digestOf('none')}`)).status).toBe(404);
  expect((await api.request('GET', '/v1/files/nothing')).status).toBe(404);
});

test('an old file has to be sent again, and stays then', async () => {
  const sha256 = await store('old');
  api.services.files.age('default', sha256, Date.now() - filesFreshMs);
  const asked = () => api.request('POST', '/v1/files/missing', { body: { sha256: [sha256] } });
  expect((await asked()).json.missing).toEqual([sha256]);
  expect((await submit([{ path: 'x', sha256 }])).json.code).toBe('input-missing');
  await store('old');
  expect((await asked()).json.missing).toEqual([]);
});

test('who knows the digest of another pool’s file knows no more than before', async () => {
  const sha256 = await store('secret', 'ours');
  const token = await tokenOf('theirs');
  const body = fileOf('secret');
  const answer = await api.request('POST', '/v1/files', { token, body });
  expect([answer.status, answer.json.present]).toEqual([201, false]);
  expect((await api.request('GET', `/v1/files/${sha256}`, { token })).status).toBe(404);
  const asked = { sha256: [sha256] };
  const { json } = await api.request('POST', '/v1/files/addresses', { token, body: asked });
  expect(json).toEqual({ items: [], missing: [sha256] });
  for (const [method, path, more] of [
    ['GET', `/v1/files/${sha256}?pool=ours`, {}],
    ['HEAD', `/v1/files/${sha256}?pool=ours`, {}],
    ['POST', '/v1/files', { body: { ...body, pool: 'ours' } }],
    ['POST', '/v1/files/missing', { body: { ...asked, pool: 'ours' } }],
    ['POST', '/v1/files/addresses', { body: { ...asked, pool: 'ours' } }],
    ['POST', '/v1/files/uploads', { body: { files: [body], pool: 'ours' } }],
  ] as const) {
    expect((await api.request(method, path, { token, ...more })).status).toBe(403);
  }
  const job = { pool: 'theirs', chunks: 1, inputs: [{ path: 'x', sha256 }] };
  expect((await api.request('POST', '/v1/jobs', { token, body: job })).status).toBe(422);
});

test('an edge reads what a job needs of which it has chunks, and nothing else', async () => {
  const [named, inTree, stranger] = [await store('a'), await store('b'), await store('c')];
  const files = [{ path: 'd/b', ...fileOf('b'), isExecutable: false }];
  const manifest = await store(formatManifest({ files, links: [] }));
  const secret = await edgeOf('edge-1', 'default');
  const idle = await edgeOf('edge-2', 'default');
  await edgeOf('edge-3', 'other');
  const inputs = [
    { path: 'a', sha256: named },
    { path: 't/', manifest },
  ];
  const { json: job } = await submit(inputs, { requires: { edges: ['edge-1'] } });
  await api.settle();
  const sha256 = [named, inTree, manifest, stranger];
  const asked = (token: string, body: object) =>
    api.request('POST', '/v1/files/addresses', { token, body: { sha256, ...body } });
  const { json } = await asked(secret, { job: job.id });
  expect(json.items.map((it: { sha256: string }) => it.sha256)).toEqual([named, inTree, manifest]);
  expect(json.missing).toEqual([stranger]);
  expect((await asked(secret, {})).status).toBe(400);
  expect((await asked(idle, { job: job.id })).status).toBe(404);
  const path = `/v1/files/${named}?job=${job.id}`;
  expect((await api.request('GET', path, { token: secret })).status).toBe(302);
  expect((await api.request('GET', path, { token: idle })).status).toBe(404);
  const other = `/v1/files/${stranger}?job=${job.id}`;
  expect((await api.request('HEAD', other, { token: secret })).status).toBe(404);
  expect((await api.request('POST', '/v1/files', { token: secret, body: {} })).status).toBe(403);
});

test('inputs are kept with the job and known to its edges', async () => {
  const sha256 = await store('a');
  const inputs = [
    { path: 'dir/a', sha256, writable: true },
    { path: 'dir/run', sha256, executable: true },
    { path: 'packed/', sha256, unpack: 'tar.gz' },
  ];
  const secret = await edgeOf('edge-1', 'default', { unpacks: true });
  const { status, json } = await submit(inputs);
  expect([status, json.spec.inputs]).toEqual([202, inputs]);
  await api.settle();
  const spec = await api.request('GET', `/v1/jobs/${json.id}/spec`, { token: secret });
  expect(spec.json.inputs).toEqual(inputs);
  const put = await api.request('PUT', '/v1/jobs/mine', { body: { chunks: 1, inputs } });
  expect(put.status).toBe(202);
});

test.each([
  [{ manifest: digestOf('a'), unpack: 'tar.gz' }, '/inputs/0/unpack'],
  [{ sha256: digestOf('a'), unpack: 'zip' }, '/inputs/0/unpack'],
  [{ sha256: digestOf('a'), unpack: 'tar.gz', executable: true }, '/inputs/0/executable'],
])('what is no archive is refused with its place: %j', async (input, pointer) => {
  const { status, json } = await submit([{ path: 'data', ...input }]);
  expect([status, json.errors[0].pointer]).toEqual([400, pointer]);
});

const unknown = digestOf('unknown');

test('files that are not there refuse the job, with the place that names them', async () => {
  const manifest = await store(
    formatManifest({ files: [{ path: 'x', ...fileOf('gone'), isExecutable: false }], links: [] }),
  );
  for (const [input, pointer] of [
    [{ path: 'x', sha256: unknown }, '/inputs/0/sha256'],
    [{ path: 'x/', manifest: unknown }, '/inputs/0/manifest'],
    [{ path: 'x/', manifest }, '/inputs/0/manifest'],
  ] as const) {
    const { status, json } = await submit([input]);
    expect([status, json.code, json.errors[0].pointer]).toEqual([422, 'input-missing', pointer]);
  }
  const jobs = [{ chunks: 1 }, { chunks: 1, inputs: [{ path: 'x', sha256: unknown }] }];
  const batch = await api.request('POST', '/v1/jobs/batch', { body: { jobs } });
  const pointer = '/jobs/1/inputs/0/sha256';
  expect([batch.status, batch.json.errors[0].pointer]).toEqual([422, pointer]);
  const noList = await submit([{ path: 'x/', manifest: await store('no list') }]);
  expect([noList.status, noList.json.code]).toEqual([400, 'invalid-request']);
});

test.each([
  ['/etc/passwd'],
  ['../up'],
  ['a/../../up'],
  ['a//b'],
  ['./a'],
  [''],
  ['a\nb'],
  ['input'],
  ['output'],
  ['n'.repeat(256)],
  [`${'d/'.repeat(512)}x`],
])('a path that leads elsewhere is refused: %j', async (path) => {
  const { status, json } = await submit([{ path, sha256: unknown }]);
  expect([status, json.errors[0].pointer]).toEqual([400, '/inputs/0/path']);
});

test.each([
  ['the same twice', ['a', 'a']],
  ['one in the other', ['a', 'a/b']],
  ['in a tree', ['tree', 'tree/x/y']],
])('two inputs cannot be at one place: %s', async (_name, paths) => {
  const { status, json } = await submit(paths.map((path) => ({ path, sha256: unknown })));
  expect([status, json.errors[0].pointer]).toEqual([400, '/inputs']);
});

test('an input is a file or a tree', async () => {
  expect((await submit([{ path: 'x' }])).status).toBe(400);
  const both = { path: 'x', sha256: unknown, manifest: unknown };
  expect((await submit([both])).status).toBe(400);
});

test('a token that is bound to a cluster stores what its jobs need, and learns of nothing else', async () => {
  const body = { name: 'keebler', mode: 'pull', capacity: { power: 10 } };
  const token = (await api.request('POST', '/v1/edges', { body })).json.submitToken;
  const others = await store('of somebody else');
  const as = (method: string, path: string, asked?: object) =>
    api.request(method, `/v1/files${path}`, { token, body: asked });
  expect((await as('POST', '/missing', { sha256: [others] })).json).toEqual({ missing: [others] });
  expect((await as('GET', `/${others}`)).status).toBe(404);
  const file = fileOf('mine');
  const { status, json } = await as('POST', '', file);
  expect([status, json.present]).toEqual([201, false]);
  const address = { url: json.uploadUrl, headers: json.headers };
  expect(api.services.files.put(address, Buffer.from('mine'))).toBe(200);
  const job = { chunks: 1, inputs: [{ path: 'in', sha256: file.sha256 }] };
  const submitted = await api.request('POST', '/v1/jobs', { token, body: job });
  expect(submitted.status, submitted.text).toBe(202);
  expect((await as('GET', `/${file.sha256}?job=${submitted.json.id}`)).status).toBe(302);
  expect((await as('GET', `/${others}?job=${submitted.json.id}`)).status).toBe(404);
});

test('a job goes to the edge that has its inputs, and explain says who has them', async () => {
  const sha256 = await store('scene');
  await edgeOf('edge-1', 'default');
  await edgeOf('edge-2', 'default', { cached: heldText([sha256]) });
  const { id } = (await submit([{ path: 'scene', sha256 }])).json;
  await api.settle();
  const { items } = (await api.request('GET', `/v1/jobs/${id}/executions`)).json;
  expect(items.map((one: { edge: string }) => one.edge)).toEqual(['edge-2']);
  const { json } = await api.request('GET', `/v1/jobs/${id}/explain`);
  expect(json.inputsHeld).toEqual({ edges: 1, examples: ['edge-2'] });
  const plain = (await submit([])).json.id;
  const other = (await api.request('GET', `/v1/jobs/${plain}/explain`)).json;
  expect(Object.keys(other)).toEqual(['job', 'pending', 'reasons']);
});

test('a file from elsewhere need not be stored, has a digest, and is no way to what is', async () => {
  const sha256 = digestOf('model');
  const url = 'https://example.com/model.bin';
  const { status, json } = await submit([{ path: 'model.bin', sha256, url }]);
  expect(status).toBe(202);
  expect(json.spec.inputs).toEqual([{ path: 'model.bin', sha256, url }]);
  await store('model');
  const secret = await edgeOf('edge-1', 'default');
  await api.settle();
  const asked = { token: secret, body: { job: json.id, sha256: [sha256] } };
  const addresses = await api.request('POST', '/v1/files/addresses', asked);
  expect(addresses.json.items ?? []).toEqual([]);
  for (const wrong of ['ftp://example.com/x', 'https://me:secret@example.com/x', 'model.bin']) {
    const refused = await submit([{ path: 'x', sha256, url: wrong }]);
    expect([refused.status, refused.json.errors[0].pointer]).toEqual([400, '/inputs/0/url']);
  }
  const without = await submit([{ path: 'x', manifest: sha256, url }]);
  expect(without.json.errors[0].pointer).toBe('/inputs/0/url');
});
