import { createHash } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { resultsFreshMs } from '../../../../core/files/limits.ts';
import { formatManifest } from '../../../../core/files/manifest.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiAnswer, type ApiStage, createApiStage } from '../api-stage.ts';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const fileOf = (text: string) => ({ sha256: digestOf(text), bytes: Buffer.byteLength(text) });

let api: ApiStage;
let edge: string;
beforeEach(async () => {
  api = createApiStage(createMemoryStores());
  edge = await edgeOf('edge-1');
});

async function edgeOf(name: string, pool = 'default'): Promise<string> {
  const body = { name, pool, capacity: { power: 1_000 }, facts: { sendsFiles: true } };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 1_000, w: {} };
  await api.request('POST', `/v1/edges/${name}/report`, { token: secret, body: report });
  return secret;
}

async function submit(chunks: number, more: object = {}): Promise<string> {
  const requires = { edges: ['edge-1'] };
  const body = { chunks, outputs: { paths: ['**'] }, requires, ...more };
  const { json } = await api.request('POST', '/v1/jobs', { body });
  await api.settle();
  return json.id;
}

const uploadsOf = (job: string, texts: readonly string[], token = edge) =>
  api.request('POST', `/v1/jobs/${job}/files/uploads`, {
    token,
    body: { files: texts.map(fileOf) },
  });

async function store(job: string, texts: readonly string[]): Promise<void> {
  const { json } = await uploadsOf(job, texts);
  for (const { sha256, present, uploadUrl: url, headers } of json.items) {
    if (present) continue;
    const text = texts.find((one) => digestOf(one) === sha256)!;
    expect(api.services.results.put({ url, headers }, Buffer.from(text))).toBe(200);
  }
}

/** Stores files by path, and says that a chunk left them. */
async function leave(
  job: string,
  chunk: number,
  files: Readonly<Record<string, string>>,
  done = true,
): Promise<ApiAnswer> {
  const list = formatManifest({
    files: Object.entries(files).map(([path, text]) => {
      return { path, ...fileOf(text), isExecutable: false };
    }),
    links: [],
  });
  await store(job, [...Object.values(files), list]);
  const body = { manifest: digestOf(list), files: 1, bytes: 1, attempt: 1, done };
  return api.request('PUT', `/v1/jobs/${job}/chunks/${chunk}/files`, { token: edge, body });
}

const listed = async (job: string, query = ''): Promise<string[]> => {
  const { json } = await api.request('GET', `/v1/jobs/${job}/files${query}`);
  return json.items.map(({ chunk, path }: { chunk: number; path: string }) => `${chunk}/${path}`);
};

test('what chunks left is listed by chunk and path, and read where it says', async () => {
  const job = await submit(12);
  for (const chunk of [11, 2, 0]) {
    expect((await leave(job, chunk, { b: `b${chunk}`, 'a/x': 'same' })).status).toBe(204);
  }
  const all = ['0/a/x', '0/b', '2/a/x', '2/b', '11/a/x', '11/b'];
  expect(await listed(job)).toEqual(all);
  expect(await listed(job, '?chunk=2')).toEqual(['2/a/x', '2/b']);
  expect(await listed(job, '?prefix=a/')).toEqual(['0/a/x', '2/a/x', '11/a/x']);
  const { json } = await api.request('GET', `/v1/jobs/${job}/files?chunk=11`);
  expect(json.items[1]).toMatchObject({ bytes: 3, sha256: digestOf('b11') });
  expect(Buffer.from(api.services.results.get(json.items[1].url)!).toString()).toBe('b11');
  const one = await api.request('GET', `/v1/jobs/${job}/files/a/x?chunk=2`);
  expect(one.status).toBe(302);
  expect(Buffer.from(api.services.results.get(one.headers.location!)!).toString()).toBe('same');
  const chunk = (await api.request('GET', `/v1/jobs/${job}/chunks/2`)).json;
  expect(chunk.files).toEqual({ count: 2, bytes: 6 });
});

test.each([1, 2, 3, 5])('in pages of %i nothing is left out and nothing comes twice', async (n) => {
  const job = await submit(40);
  const expected: string[] = [];
  for (const chunk of [0, 1, 7, 33]) {
    await leave(job, chunk, { a: 'a', b: 'b', c: 'c' });
    expected.push(...['a', 'b', 'c'].map((path) => `${chunk}/${path}`));
  }
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { json } = await api.request('GET', `/v1/jobs/${job}/files?limit=${n}${next}`);
    expect(json.items.length).toBeLessThanOrEqual(n);
    for (const { chunk, path } of json.items) found.push(`${chunk}/${path}`);
    cursor = json.nextCursor;
  }
  expect(found).toEqual(expected);
});

test('results of a chunk that is done stay, those of a failed attempt make way', async () => {
  const job = await submit(2);
  await leave(job, 0, { a: 'failed' }, false);
  await leave(job, 0, { b: 'done' });
  expect(await listed(job)).toEqual(['0/b']);
  await leave(job, 0, { c: 'later' });
  await leave(job, 0, { c: 'later' }, false);
  expect(await listed(job)).toEqual(['0/b']);
});

test('each content of a job is sent once, and again when it is old', async () => {
  const job = await submit(1);
  await store(job, ['x']);
  expect((await uploadsOf(job, ['x'])).json.items[0].present).toBe(true);
  api.services.results.age(`30-${job}`, digestOf('x'), Date.now() - resultsFreshMs);
  expect((await uploadsOf(job, ['x'])).json.items[0].present).toBe(false);
  expect((await uploadsOf(await submit(1), ['x'])).json.items[0].present).toBe(false);
});

test('an edge stores for chunks that it was given, and for nobody else', async () => {
  const job = await submit(2);
  const other = await edgeOf('edge-2');
  const stranger = await edgeOf('edge-3', 'other');
  await store(job, ['[]\n']);
  const body = { manifest: digestOf('[]\n'), files: 0, bytes: 0, attempt: 1, done: true };
  const put = (token: string) =>
    api.request('PUT', `/v1/jobs/${job}/chunks/0/files`, { token, body });
  expect((await put(other)).status).toBe(403);
  expect((await put(stranger)).status).toBe(404);
  expect((await uploadsOf(job, ['x'], other)).status).toBe(404);
  expect((await uploadsOf(job, ['x'], stranger)).status).toBe(404);
  expect((await put(api.adminToken)).status).toBe(403);
  expect((await put(edge)).status).toBe(204);
  const plain = await submit(1, { outputs: null });
  expect((await uploadsOf(plain, ['x'])).status).toBe(404);
});

test('a list that is not there, or is none, is refused', async () => {
  const job = await submit(1);
  const bad = JSON.stringify([{ path: '../x', ...fileOf('x') }]);
  await store(job, [bad]);
  const put = (manifest: string) => {
    const body = { manifest, files: 1, bytes: 1, attempt: 1, done: true };
    return api.request('PUT', `/v1/jobs/${job}/chunks/0/files`, { token: edge, body });
  };
  expect((await put(digestOf('nothing'))).json.code).toBe('input-missing');
  const answer = await put(digestOf(bad));
  expect([answer.status, answer.json.detail]).toEqual([
    400,
    'This is no list of files: entry 0 has a path that has a part "..".',
  ]);
  expect(await listed(job)).toEqual([]);
});

test('with the job its results go, and nothing of another', async () => {
  const [job, stays] = [await submit(1), await submit(1)];
  for (const id of [job, stays]) await leave(id, 0, { a: 'same' });
  await api.request('DELETE', `/v1/jobs/${job}`);
  await api.settle();
  expect((await api.request('DELETE', `/v1/jobs/${job}?purge=true`)).status).toBe(204);
  expect(await api.services.results.find(`30-${job}`, digestOf('same'))).toBeNull();
  expect(await listed(stays)).toEqual(['0/a']);
});

test('who may not see the job sees no file of it', async () => {
  const job = await submit(1);
  await leave(job, 0, { a: 'a' });
  const body = { name: 'theirs', scopes: ['jobs:read'], pool: 'theirs' };
  const token = (await api.request('POST', '/v1/tokens', { body })).json.secret;
  for (const path of ['files', 'files/a']) {
    expect((await api.request('GET', `/v1/jobs/${job}/${path}`, { token })).status).toBe(404);
  }
});

test.each([
  [1, '1'],
  [2, '3'],
  [30, '30'],
  [31, '90'],
  [365, '365'],
])('kept for %i days, they lie where %s days are kept', async (keepDays, place) => {
  const job = await submit(1, { keepDays });
  await store(job, ['x']);
  expect(await api.services.results.find(`${place}-${job}`, digestOf('x'))).not.toBeNull();
});

test.each([
  [{ paths: [] }, '/outputs/paths'],
  [{ paths: ['../x'] }, '/outputs/paths/0'],
  [{ paths: ['/x'] }, '/outputs/paths/0'],
  [{ paths: ['x'], on: 'never' }, '/outputs/on'],
  [{ paths: ['x'], maxMb: 0 }, '/outputs/maxMb'],
])('%j is refused where it is wrong', async (outputs, pointer) => {
  const { status, json } = await api.request('POST', '/v1/jobs', { body: { outputs } });
  expect([status, json.errors[0].pointer]).toEqual([400, pointer]);
});

test('a job with outputs waits for an edge whose agent sends files', async () => {
  const body = { name: 'old', capacity: { power: 100 } };
  await api.request('POST', '/v1/edges', { body });
  const job = await submit(1, { requires: { edges: ['old'] } });
  const { json } = await api.request('GET', `/v1/jobs/${job}/explain`);
  expect(JSON.stringify(json)).toContain('its agent does not send files');
});
