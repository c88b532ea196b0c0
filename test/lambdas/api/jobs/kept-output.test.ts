import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { jobIdOf } from '../../../../core/model/names.ts';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, submitJob, type WorkingEdge } from '../working-edge.ts';

let api: ApiStage;
let edge: WorkingEdge;
let path: string;
let job: string;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
  edge = await enrolEdge(api, 'edge-1');
  job = await submitJob(api, { chunks: 1, keepOutput: 'all' });
  path = `/v1/jobs/${job}/chunks/0/output`;
});

function keep(printed: Uint8Array) {
  const headers = { 'content-type': 'application/octet-stream' };
  const raw = Buffer.from(printed);
  return api.request('PUT', path, { token: edge.secret, raw, headers });
}

test('kept output comes back byte for byte, whatever it holds', async () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string().map(Buffer.from));
  await fc.assert(
    fc.asyncProperty(bytes, async (printed) => {
      expect((await keep(printed)).status).toBe(204);
      const answer = await api.request('GET', path);
      expect(answer.status).toBe(200);
      expect(answer.bytes.toString('hex')).toBe(Buffer.from(printed).toString('hex'));
    }),
    { numRuns: 30 },
  );
});

test('nothing is said of what the bytes mean, and where they end is', async () => {
  await keep(Buffer.from('grüße ✓\n'));
  const { headers } = await api.request('GET', path);
  expect(headers['content-type']).toBe('application/octet-stream');
  expect(headers['edgewise-next-offset']).toBe('12');
});

test('an output whose object is gone is 404 and no failure', async () => {
  await keep(Buffer.from('short-lived'));
  await api.services.outputs.removeAll(jobIdOf(job));
  const answer = await api.request('GET', path);
  expect([answer.status, answer.json.code]).toEqual([404, 'not-found']);
});

test('of a long one beginning and end are known from each other, at once and to who reads on', async () => {
  const headers = { 'content-type': 'application/octet-stream' };
  const request = { token: edge.secret, raw: Buffer.from('beginend'), headers };
  const put = await api.request('PUT', `${path}?attempt=1&total=1000&head=5`, request);
  expect(put.status).toBe(204);
  const once = await api.request('GET', path);
  expect(once.bytes.toString()).toBe('beginend');
  expect(once.headers).toMatchObject({
    'edgewise-omitted': '5-997',
    'edgewise-next-offset': '1000',
  });
  await edge.report({ w: { [job]: { d: '0' } } });
  const parts = [];
  for (const offset of [0, 2, 5, 400, 998, 1_000]) {
    const part = await api.request('GET', `${path}?offset=${offset}&attempt=1`);
    const { 'edgewise-next-offset': next, 'edgewise-complete': complete } = part.headers;
    parts.push([offset, part.bytes.toString(), Number(next), complete]);
  }
  expect(parts).toEqual([
    [0, 'begin', 5, 'false'],
    [2, 'gin', 5, 'false'],
    [5, 'end', 1_000, 'true'],
    [400, 'end', 1_000, 'true'],
    [998, 'nd', 1_000, 'true'],
    [1_000, '', 1_000, 'true'],
  ]);
  const tooMuch = await api.request('PUT', `${path}?attempt=1&total=1000&head=9`, request);
  expect(tooMuch.status).toBe(400);
});

test('standard error apart is read by itself, and an unknown stream is refused', async () => {
  const apart = await submitJob(api, { chunks: 1, keepOutput: 'all', stderr: 'apart' });
  const own = `/v1/jobs/${apart}/chunks/0/output`;
  const headers = { 'content-type': 'application/octet-stream' };
  const put = (query: string, text: string) =>
    api.request('PUT', `${own}?${query}`, { token: edge.secret, raw: Buffer.from(text), headers });
  expect((await api.request('GET', `${own}?stream=stderr`)).bytes).toHaveLength(0);
  expect((await put('attempt=1&stream=stderr&total=1000&head=5', 'beginend')).status).toBe(204);
  expect((await put('attempt=1', 'out')).status).toBe(204);
  const chunk = await api.request('GET', `/v1/jobs/${apart}/chunks/0`);
  expect(chunk.json).toMatchObject({ output: own, stderr: `${own}?stream=stderr` });
  const printed = await Promise.all(
    [own, `${own}?stream=stdout`, chunk.json.stderr].map((at) => api.request('GET', at)),
  );
  expect(printed.map(({ bytes }) => bytes.toString())).toEqual(['out', 'out', 'beginend']);
  expect(printed[2]!.headers['edgewise-omitted']).toBe('5-997');
  const early = await api.request('GET', `${own}?stream=stderr&offset=0`);
  expect([early.bytes.length, early.headers['edgewise-complete']]).toEqual([0, 'false']);
  await edge.report({ w: { [apart]: { d: '0' } } });
  const [head, tail] = [
    await api.request('GET', `${own}?stream=stderr&offset=0`),
    await api.request('GET', `${own}?stream=stderr&offset=5`),
  ];
  expect([head, tail].map(({ bytes }) => bytes.toString())).toEqual(['begin', 'end']);
  expect(tail.headers['edgewise-complete']).toBe('true');
  for (const query of ['stream=both', 'stream=stderr&offset=0']) {
    expect((await put(query, 'x')).status, query).toBe(400);
  }
});

test('one that is kept whole is read piece by piece, and its ends at once', async () => {
  const whole = Buffer.alloc(3_000_000, 'x');
  whole.write('begin');
  whole.write('end', whole.length - 3);
  const sha256 = createHash('sha256').update(whole).digest('hex');
  const big = await submitJob(api, { chunks: 1, keepOutput: 'all', outputMb: 8 });
  const own = `/v1/jobs/${big}/chunks/0/output`;
  const token = edge.secret;
  const headers = { 'content-type': 'application/octet-stream' };
  const put = () => {
    const query = `attempt=1&total=${whole.length}&head=5&whole=${sha256}`;
    return api.request('PUT', `${own}?${query}`, { token, raw: Buffer.from('beginend'), headers });
  };
  expect((await put()).status).toBe(400);
  const files = [{ sha256, bytes: whole.length }];
  const at = await api.request('POST', `/v1/jobs/${big}/files/uploads`, { token, body: { files } });
  expect(at.status).toBe(200);
  const { uploadUrl: url, headers: sums } = at.json.items[0];
  expect(api.services.results.put({ url, headers: sums }, whole)).toBe(200);
  expect((await put()).status).toBe(204);
  await edge.report({ w: { [big]: { d: '0' } } });
  expect((await api.request('GET', own)).bytes.toString()).toBe('beginend');
  const pieces: Uint8Array[] = [];
  for (let offset = 0, isOver = false; !isOver; ) {
    const part = await api.request('GET', `${own}?offset=${offset}&attempt=1`);
    pieces.push(part.bytes);
    offset = Number(part.headers['edgewise-next-offset']);
    isOver = part.headers['edgewise-complete'] === 'true';
  }
  expect(pieces.length).toBe(3);
  expect(Buffer.concat(pieces).equals(whole)).toBe(true);
});
