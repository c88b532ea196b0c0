import { readFileSync } from 'node:fs';
import {
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePrivateKey, makeSigningRequest } from '../../../edge-agent/link/signing-request.ts';
import { makeProduct, type Product } from '../product.ts';
import { until } from '../start/stage.ts';

/**
 * The API through the gateway, with the roles and the services of the template: what one process
 * cannot show.
 */
let product: Product;
let address: string;
let adminToken: string | null;

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  const endpoints = product.place.endpoints();
  address = endpoints!.api;
  adminToken = endpoints!.token;
});
afterAll(() => product.remove());

type Sent = { token?: string | null; body?: unknown; raw?: string; type?: string };

async function send(method: string, path: string, sent: Sent = {}) {
  const token = sent.token === undefined ? adminToken : sent.token;
  const raw = sent.raw ?? (sent.body === undefined ? null : JSON.stringify(sent.body));
  const answer = await fetch(`${address}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(raw === null ? {} : { 'content-type': sent.type ?? 'application/json' }),
    },
    body: raw,
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const json: any = isJson && text !== '' ? JSON.parse(text) : null;
  return { status: answer.status, headers: answer.headers, text, json };
}

/** As the end of their month does it: jobs still say that there is an output. */
async function emptyOutputs(): Promise<void> {
  const { aws, region, credentials } = JSON.parse(
    readFileSync(product.place.endpoints()!.path, 'utf8'),
  );
  const s3 = new S3Client({ endpoint: aws, region, credentials, forcePathStyle: true });
  const { Buckets } = await s3.send(new ListBucketsCommand({}));
  const Bucket = Buckets?.find(({ Name }) => Name?.includes('outputs'))?.Name;
  const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const Objects = Contents!.map(({ Key }) => ({ Key }));
  await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  s3.destroy();
}

test('refusals have one form, whoever makes them', async () => {
  const refused = [
    [await send('GET', '/v1/jobs', { token: null }), 401, 'unauthenticated'],
    [await send('GET', '/v1/jobs', { token: 'bad-token-bad-token' }), 401, 'unauthenticated'],
    [await send('GET', '/v1/nothing'), 404, 'not-found'],
    [await send('DELETE', '/v1/stats'), 405, 'method-not-allowed'],
    [await send('POST', '/v1/jobs', { raw: `"${'x'.repeat(300_000)}"` }), 413, 'body-too-large'],
    [
      await send('POST', '/v1/jobs', { raw: 'a', type: 'text/plain' }),
      415,
      'unsupported-media-type',
    ],
  ] as const;
  for (const [answer, status, code] of refused) {
    expect([answer.status, answer.json?.code], answer.text).toEqual([status, code]);
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.json.requestId).toBe(answer.headers.get('x-request-id'));
  }
});

test('a revoked token soon opens nothing', async () => {
  const body = { name: 'short', scopes: ['jobs:read'] };
  const { json } = await send('POST', '/v1/tokens', { body });
  const { secret: token, id } = json;
  for (let times = 0; times < 3; times++) {
    expect((await send('GET', '/v1/jobs', { token })).status).toBe(200);
  }
  expect((await send('DELETE', `/v1/tokens/${id}`)).status).toBe(204);
  const isRefused = async () => (await send('GET', '/v1/jobs', { token })).status === 401;
  await until('the token is refused', isRefused);
});

test('the document and its explorer are there for anybody, and no other origin may call', async () => {
  const document = await send('GET', '/openapi.json', { token: null });
  expect(document.json.openapi).toBe('3.1.0');
  const page = await send('GET', '/docs', { token: null });
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.headers.get('access-control-allow-origin')).toBeNull();
});

test('an edge that only speaks HTTPS does a job and keeps its output', async () => {
  const capacity = { power: 250 };
  const enrolled = await send('POST', '/v1/edges', { body: { name: 'https-1', capacity } });
  expect(enrolled.status, enrolled.text).toBe(201);
  const token: string = enrolled.json.secret;
  const report = (n: number, e: number, w: object) =>
    send('POST', '/v1/edges/https-1/report', { token, body: { b: 'b', e, n, f: 250, w } });
  expect((await report(1, 0, {})).status).toBe(202);
  const body = { chunkPower: 100, chunks: 1, requires: { edges: ['https-1'] } };
  const { id } = (await send('POST', '/v1/jobs', { body })).json;
  const work = await until('the edge is given work', async () => {
    const { json } = await send('GET', '/v1/edges/https-1/work', { token });
    return json.w[id] === undefined ? null : json;
  });
  const spec = await send('GET', `/v1/jobs/${id}/spec?g=${work.w[id].g}`, { token });
  expect(spec.json).toMatchObject({ id, chunks: 1, chunkPower: 100 });
  const output = `/v1/jobs/${id}/chunks/0/output`;
  const kept = await send('PUT', output, { token, raw: 'printed\n', type: 'text/plain' });
  expect(kept.status, kept.text).toBe(204);
  await report(2, work.e, { [id]: { d: '0', a: '' } });
  await product.done(id);
  expect((await send('GET', output)).text).toBe('printed\n');
  await emptyOutputs();
  expect((await send('GET', output)).status).toBe(404);
  expect((await send('DELETE', `/v1/jobs/${id}?purge=true`)).status).toBe(204);
  expect((await send('GET', output)).status).toBe(404);
});

test('a removed edge leaves nothing behind that keeps its name', async () => {
  const enrol = () => {
    const csr = makeSigningRequest(makePrivateKey(), 'leaver');
    const body = { name: 'leaver', capacity: { power: 5 }, csr };
    return send('POST', '/v1/edges', { body });
  };
  expect((await enrol()).status).toBe(201);
  expect((await enrol()).json.code).toBe('edge-exists');
  expect((await send('DELETE', '/v1/edges/leaver')).status).toBe(202);
  await until('the edge is gone', async () =>
    (await send('GET', '/v1/edges/leaver')).status === 404 ? true : null,
  );
  expect((await enrol()).status).toBe(201);
});
