import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

const argv = (...words: string[]) => ({ run: { process: { argv: ['train', ...words] } } });

const none = '0'.repeat(64);

const submit = (body: object) => api.request('POST', '/v1/jobs', { body });

async function store(text: string): Promise<string> {
  const sha256 = createHash('sha256').update(text).digest('hex');
  const body = { sha256, bytes: Buffer.byteLength(text) };
  const { json } = await api.request('POST', '/v1/files', { body });
  if (!json.present) {
    api.services.files.put({ url: json.uploadUrl, headers: json.headers }, Buffer.from(text));
  }
  return sha256;
}

async function edgeOf(name: string, power: number, pool = 'default'): Promise<string> {
  const facts = { parameters: true };
  const body = { name, pool, capacity: { power }, facts };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  const report = { b: 'boot', e: 0, n: 1, f: power, w: {} };
  await api.request('POST', `/v1/edges/${name}/report`, { token: secret, body: report });
  return secret;
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
const paramsOf = (json: any) => json.items.map((it: { params: object }) => it.params);

test('a matrix makes the chunks, each with its combination', async () => {
  const params = { matrix: { lr: [0.1, 0.01], seed: [1, 2, 3] } };
  const { status, json } = await submit({ params, ...argv('{lr}', '{params.seed}') });
  expect([status, json.spec.chunks, json.spec.params]).toEqual([202, 6, params]);
  const chunks = await api.request('GET', `/v1/jobs/${json.id}/chunks`);
  expect(paramsOf(chunks.json)[4]).toEqual({ lr: 0.01, seed: 2 });
  const one = await api.request('GET', `/v1/jobs/${json.id}/chunks/5`);
  expect(one.json.params).toEqual({ lr: 0.01, seed: 3 });
  const plan = await api.request('POST', '/v1/plan', { body: { params } });
  expect(plan.json.chunks).toBe(6);
});

test('chunks are found by their parameters, page by page', async () => {
  const params = { matrix: { lr: [0.1, 0.01], seed: [1, 2, 3] } };
  const { json } = await submit({ params });
  const path = `/v1/jobs/${json.id}/chunks?param.lr=0.01&limit=2`;
  const first = await api.request('GET', path);
  expect(first.json.items.map((it: { chunk: number }) => it.chunk)).toEqual([3, 4]);
  const next = await api.request('GET', `${path}&cursor=${first.json.nextCursor}`);
  expect([next.json.items[0].chunk, next.json.nextCursor]).toEqual([5, null]);
  const both = await api.request('GET', `/v1/jobs/${json.id}/chunks?param.lr=0.1&param.seed=2`);
  expect(both.json.items.map((it: { chunk: number }) => it.chunk)).toEqual([1]);
  const none = await api.request('GET', `/v1/jobs/${json.id}/chunks?param.toString=x`);
  expect(none.json.items).toEqual([]);
});

test('names of the language are names like any other', async () => {
  const items = [
    { constructor: 'a', toString: 'b' },
    { constructor: 'c', toString: 'd' },
  ];
  const { status, json } = await submit({ params: { items }, ...argv('{constructor}') });
  expect([status, json.spec.params.items]).toEqual([202, items]);
  const chunks = await api.request('GET', `/v1/jobs/${json.id}/chunks?param.constructor=c`);
  expect(paramsOf(chunks.json)).toEqual([{ constructor: 'c', toString: 'd' }]);
});

test.each([
  ['a name that no chunk has', { ...argv('{lr}', '{sed}') }, '/run/process/argv/2'],
  ['a name of the language', { ...argv('{toString}') }, '/run/process/argv/1'],
  ['one in a path', { outputs: { paths: ['a', '{lr}/{chunk}/{sed}'] } }, '/outputs/paths/1'],
  ['one in the path of an input', { inputs: [{ path: '{sed}', sha256: none }] }, '/inputs/0/path'],
  ['one in its digest', { inputs: [{ path: 'a', sha256: '{sed}' }] }, '/inputs/0/sha256'],
  ['another number of chunks', { chunks: 3 }, '/chunks'],
  ['less power than chunks', { power: 1 }, '/power'],
])('refused with its place: %s', async (_name, more, pointer) => {
  const params = { items: Array.from({ length: 2_000 }, (_, lr) => ({ lr })) };
  const { status, json } = await submit({ params, ...more });
  expect([status, json.errors?.[0].pointer], json.detail).toEqual([400, pointer]);
});

test.each([
  ['nothing', {}],
  ['two at once', { items: [{ a: 1 }], matrix: { a: [1] } }],
  ['no chunk', { items: [] }],
  ['no values', { matrix: { a: [] } }],
  ['a nested value', { items: [{ a: { b: 1 } }] }],
  ['a name that every chunk has', { items: [{ chunk: 1 }] }],
  [
    'more combinations than chunks',
    {
      matrix: Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [`p${n}`, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]),
      ),
    },
  ],
  ['a format of no file', { items: [{ a: 1 }], format: 'csv' }],
  ['an unknown format', { file: 'a'.repeat(64), format: 'tsv' }],
])('no parameters: %s', async (_name, params) => {
  const { status, json } = await submit({ params });
  expect([status, json.code]).toEqual([400, 'invalid-request']);
});

test('a file makes a chunk for each line, and is read through once', async () => {
  const file = await store('lr,note\n0.1,a\n0.01,"b, c"\n');
  const params = { file, format: 'csv' };
  const { status, json } = await submit({ params, ...argv('{lr}', '{note}') });
  expect([status, json.spec.chunks, json.spec.params]).toEqual([202, 2, params]);
  const chunks = await api.request('GET', `/v1/jobs/${json.id}/chunks`);
  expect(paramsOf(chunks.json)).toEqual([
    { lr: '0.1', note: 'a' },
    { lr: '0.01', note: 'b, c' },
  ]);
  const found = await api.request('GET', `/v1/jobs/${json.id}/chunks?param.note=${'b,%20c'}`);
  expect(found.json.items.map((it: { chunk: number }) => it.chunk)).toEqual([1]);
  const wrong = await submit({ params, ...argv('{lr}', '{nota}') });
  expect([wrong.status, wrong.json.errors[0].pointer]).toEqual([400, '/run/process/argv/2']);
  const path = await submit({ params, outputs: { paths: ['{lr}/{nota}'] } });
  expect([path.status, path.json.errors[0].pointer]).toEqual([400, '/outputs/paths/0']);
  const other = await submit({ params, chunks: 5 });
  expect(other.json.errors[0].pointer).toBe('/chunks');
  const bad = await submit({ params: { file: await store('a,b\n1\n'), format: 'csv' } });
  expect([bad.status, bad.json.errors[0].pointer]).toEqual([400, '/params/file']);
  const gone = await submit({ params: { file: 'f'.repeat(64) } });
  expect([gone.status, gone.json.code]).toEqual([422, 'input-missing']);
  const put = () => api.request('PUT', '/v1/jobs/mine', { body: { params } });
  expect([(await put()).status, (await put()).status]).toEqual([202, 200]);
  const jobs = [{ chunks: 1 }, { params: { file: 'f'.repeat(64) } }];
  const batch = await api.request('POST', '/v1/jobs/batch', { body: { jobs } });
  expect(batch.json.errors[0].pointer).toBe('/jobs/1/params/file');
});

test('an edge gets the parameters of chunks that it was given, and no others', async () => {
  const lines = Array.from({ length: 40_000 }, (_, n) => `line ${n}`);
  const file = await store(lines.join('\n'));
  const [near, far] = [await edgeOf('edge-1', 10), await edgeOf('edge-2', 5)];
  const idle = await edgeOf('edge-3', 1, 'other');
  const { json: job } = await submit({ params: { file }, chunkPower: 1, ...argv('{line}') });
  await api.settle();
  const ask = (token: string, chunks: string) =>
    api.request('GET', `/v1/jobs/${job.id}/params?chunks=${chunks}`, { token });
  const readBy = async (token: string): Promise<number[]> =>
    (await ask(token, '0-39999')).json.items.map((it: { chunk: number }) => it.chunk);
  const [ofNear, ofFar] = [await readBy(near), await readBy(far)];
  expect(ofNear.length).toBeGreaterThan(0);
  expect(ofFar.length).toBeGreaterThan(0);
  expect(ofNear.filter((chunk) => ofFar.includes(chunk))).toEqual([]);
  const { json } = await ask(near, String(ofNear[0]));
  expect(json.items).toEqual([{ chunk: ofNear[0], params: { line: `line ${ofNear[0]}` } }]);
  expect((await ask(near, String(ofFar[0]))).json.items).toEqual([]);
  expect((await ask(idle, '0-9')).status).toBe(404);
  expect((await ask(near, '')).json.items).toEqual([]);
  expect((await ask(near, 'x')).status).toBe(400);
  const all = await ask(api.adminToken, '39990-50000');
  expect([all.json.items.length, all.json.next]).toEqual([10, null]);
  const spec = await api.request('GET', `/v1/jobs/${job.id}/spec`, { token: near });
  expect([spec.json.sweep, spec.json.params]).toEqual([true, undefined]);
  const many = await ask(api.adminToken, '100-39999');
  expect([many.json.items.length, many.json.next]).toEqual([500, 600]);
});

test('an edge whose agent knows no parameters is not given a sweep', async () => {
  const body = { name: 'old', capacity: { power: 10 }, facts: { agent: '0.1' } };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 10, w: {} };
  await api.request('POST', '/v1/edges/old/report', { token: secret, body: report });
  const { json: job } = await submit({ params: { items: [{ a: 1 }] }, ...argv('{a}') });
  await api.settle();
  const { json } = await api.request('GET', `/v1/jobs/${job.id}/explain`);
  expect(json.reasons[0].detail).toContain('does not know parameters');
});

test('an edge reads the files that parameters of its chunks name, and no others', async () => {
  const facts = { parameters: true, cacheBytes: 1, fillsInputs: true };
  const identity = { name: 'reader', capacity: { power: 1 }, facts };
  const { secret: token } = (await api.request('POST', '/v1/edges', { body: identity })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 1, w: {} };
  await api.request('POST', '/v1/edges/reader/report', { token, body: report });
  const tiles = [await store('north'), await store('south')];
  const inputs = [{ path: 'tile-{chunk}.tif', sha256: '{params.tile}' }];
  const params = { items: tiles.map((tile) => ({ tile })) };
  const { status, json } = await submit({ params, inputs, chunkPower: 1 });
  expect(status, JSON.stringify(json)).toBe(202);
  await api.settle();
  const asked = async (chunk: number | undefined) => {
    const body = { job: json.id, sha256: tiles, ...(chunk === undefined ? {} : { chunk }) };
    const answer = await api.request('POST', '/v1/files/addresses', { token, body });
    return answer.json.items.map((it: { sha256: string }) => it.sha256);
  };
  expect(await asked(undefined)).toEqual([]);
  expect(await asked(0)).toEqual([tiles[0]]);
  expect(await asked(1)).toEqual([]);
});

test('names in inputs are refused in words when their values make nothing', async () => {
  const known = await store('known');
  const input = { path: '{name}.tif', sha256: '{tile}' };
  const ask = async (item: object, inputs: object[] = [input]) => {
    const { status, json } = await submit({ params: { items: [item] }, inputs });
    return [status, json.code, json.errors?.[0].pointer];
  };
  expect(await ask({ name: 'a', tile: known })).toEqual([202, undefined, undefined]);
  expect(await ask({ name: 'a', tile: none })).toEqual([422, 'input-missing', '/inputs/0/sha256']);
  expect(await ask({ name: '../a', tile: known })).toEqual([400, 'invalid-request', '/inputs']);
  expect(await ask({ name: 'a', tile: 'x' })).toEqual([400, 'invalid-request', '/inputs']);
  const { status, json } = await submit({ inputs: [{ path: 'a', sha256: '{tile}' }] });
  expect([status, json.errors[0].message]).toEqual([
    400,
    'Only a job with "params" has names in digests.',
  ]);
});
