import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { filePartBytes, filePutBytesMax } from '../../../../core/files/limits.ts';
import { cut } from '../../../memory/parted-files.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const fileOf = (bytes: Uint8Array) => ({
  ...{ sha256: digestOf(bytes), bytes: bytes.length },
  parts: cut(bytes).map(digestOf),
});

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

const ask = (body: object, token?: string) =>
  api.request('POST', '/v1/files', { body, ...(token === undefined ? {} : { token }) });

type Asked = { readonly number: number; readonly uploadUrl: string; readonly headers: object };

/** Puts what is asked for, the first `most` of it. */
function put(parts: readonly Asked[], bytes: Uint8Array, most = parts.length): void {
  for (const { number, uploadUrl: url, headers } of parts.slice(0, most)) {
    const address = { url, headers: headers as Record<string, string> };
    expect(api.services.files.put(address, cut(bytes)[number - 1]!)).toBe(200);
  }
}

test('a second question goes on with what is there, and the last one ends it', async () => {
  const bytes = randomBytes(filePartBytes + 5);
  const file = fileOf(bytes);
  const first = await ask(file);
  expect([first.status, first.json.partBytes]).toEqual([201, filePartBytes]);
  expect(first.json.parts.map(({ number }: Asked) => number)).toEqual([1, 2]);
  put(first.json.parts, bytes, 1);
  const second = await ask(file);
  expect(second.json.uploadId).toBe(first.json.uploadId);
  expect(second.json.parts.map(({ number }: Asked) => number)).toEqual([2]);
  put(second.json.parts, bytes);
  const { sha256 } = file;
  const asked = { body: { sha256: [sha256] } };
  const before = await api.request('POST', '/v1/files/missing', asked);
  expect(before.json.missing).toEqual([sha256]);
  const last = await ask(file);
  expect([last.status, last.json]).toEqual([200, { sha256, present: true }]);
  expect((await ask(file)).status).toBe(200);
  expect((await api.request('POST', '/v1/files/missing', asked)).json.missing).toEqual([]);
});

test('who stored other parts under a digest does not keep others from storing the file', async () => {
  const [bytes, other] = [randomBytes(100), randomBytes(100)];
  const { sha256 } = fileOf(bytes);
  const false_ = { ...fileOf(other), sha256 };
  put((await ask(false_)).json.parts, other);
  expect((await ask(false_)).json.present).toBe(true);
  const answer = await ask(fileOf(bytes));
  expect([answer.status, answer.json.parts.length]).toEqual([201, 1]);
  put(answer.json.parts, bytes);
  expect((await ask(fileOf(bytes))).json.present).toBe(true);
  const kept = await api.services.files.read('default', sha256, 100);
  expect(Buffer.from(kept!).equals(bytes)).toBe(true);
});

test.each([
  ['too few', { bytes: filePartBytes + 1, parts: ['a'.repeat(64)] }],
  ['too many', { bytes: filePartBytes, parts: ['a'.repeat(64), 'b'.repeat(64)] }],
  ['none of a file that one PUT does not take', { bytes: filePutBytesMax + 1 }],
])('parts that do not come to the file are refused: %s', async (_name, file) => {
  const { status, json } = await ask({ sha256: 'c'.repeat(64), ...file });
  expect([status, json.errors[0].pointer]).toEqual([400, '/parts']);
});

test('the largest file fits a request, and its addresses come a hundred at a time', async () => {
  const parts = Array.from({ length: 800 }, (_, at) => digestOf(Buffer.from(String(at))));
  const file = { sha256: 'd'.repeat(64), bytes: 800 * filePartBytes, parts };
  const { status, json } = await ask(file);
  expect([status, json.parts.length]).toEqual([201, 100]);
  const more = { ...file, bytes: file.bytes + 1, parts: [...parts, 'e'.repeat(64)] };
  expect((await ask(more)).status).toBe(400);
});

test('who has nothing to do with a pool sends no parts to it', async () => {
  const body = { name: 'of-theirs', scopes: ['jobs:write'], pool: 'theirs' };
  const token = (await api.request('POST', '/v1/tokens', { body })).json.secret;
  const file = fileOf(randomBytes(10));
  expect((await ask({ ...file, pool: 'ours' }, token)).status).toBe(403);
  put((await ask({ ...file, pool: 'ours' })).json.parts, randomBytes(0), 0);
  expect((await ask(file, token)).json.parts.length).toBe(1);
});

test('an edge asks for one file in parts at a time', async () => {
  const edge = { name: 'edge-1', capacity: { power: 100 }, facts: { sendsFiles: true } };
  const { secret: token } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 100, w: {} };
  await api.request('POST', '/v1/edges/edge-1/report', { token, body: report });
  const job = { chunks: 1, outputs: { paths: ['*'] } };
  const { id } = (await api.request('POST', '/v1/jobs', { body: job })).json;
  await api.settle();
  const bytes = randomBytes(60);
  const { sha256, ...file } = fileOf(bytes);
  const asked = (...files: object[]) =>
    api.request('POST', `/v1/jobs/${id}/files/uploads`, { token, body: { files } });
  const { status, json } = await asked({ sha256, ...file });
  expect([status, json.items.length]).toEqual([200, 1]);
  for (const { uploadUrl: url, headers } of json.items[0].parts) {
    expect(api.services.results.put({ url, headers }, bytes)).toBe(200);
  }
  expect((await asked({ sha256, ...file })).json.items).toEqual([{ sha256, present: true }]);
  const two = await asked({ sha256, ...file }, { sha256: 'f'.repeat(64), bytes: 1 });
  expect([two.status, two.json.errors[0].pointer]).toEqual([400, '/files']);
});
