import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient, type ExecutionResult } from 'graphql-sse';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  eventStreamMsMax,
  graphLookMs,
  graphStreamsPerTokenMax,
} from '../../../../core/events/limits.ts';
import { sinkOn } from '../../../../lambdas/api/events/event-sink.ts';
import { streamGraph } from '../../../../lambdas/api/graphql/stream-graph.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { makeToken } from '../working-edge.ts';

/** The function that streams, over HTTP, as the client of the protocol's authors sees it. */
let api: ApiStage;
let url: string;
let server: Server;
/** What each stream was given to wait. */
let pauses: number[];
/** Streams that wait for their next look: each goes on when it is called. */
let looks: (() => void)[];
let ended: number;

beforeEach(async () => {
  [pauses, looks, ended] = [[], [], 0];
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    let nowMs = Date.now();
    const pause = (ms: number) =>
      new Promise<void>((resolve) => {
        pauses.push(ms);
        nowMs += ms;
        looks.push(resolve);
      });
    const withHead = (_stream: unknown, head: object) => {
      const { statusCode, headers } = head as { statusCode: number; headers: object };
      response.writeHead(statusCode, { ...headers }).flushHeaders();
      return response;
    };
    const path = request.url ?? '/';
    const http = { method: request.method, path, protocol: '', sourceIp: '', userAgent: '' };
    const requestContext = { requestId: 'stream', http };
    const body = Buffer.concat(parts).toString('utf8');
    const event = { rawPath: path, rawQueryString: '', headers: request.headers, body };
    await streamGraph({ ...event, requestContext } as never, sinkOn(response, withHead, pause), {
      ...api.stores,
      cellStore: api.stores.cells,
      cells: { cellsOf: async () => [] } as never,
      callers: {
        tokens: api.stores.tokens,
        adminToken: { read: async () => api.adminToken },
        people: null,
      },
      random: { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
      clock: { nowMs: () => nowMs },
      ...{ pause, log: api.log },
    });
    if (response.statusCode === 200) ended += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
  api = createApiStage(createMemoryStores(), { eventStream: url });
});

afterEach(async () => {
  server.closeAllConnections();
  while (looks.length > 0) looks.shift()?.();
  await new Promise((resolve) => server.close(resolve));
});

const clientOf = (token: string, between: () => Promise<unknown>) =>
  createClient({
    url,
    headers: { authorization: `Bearer ${token}` },
    retryAttempts: 1,
    retry: async () => void (await between()),
  });

type Seen = ExecutionResult<Record<string, unknown>, { version: string }>;
type Subscription = { next(): Promise<Seen>; end(): Promise<unknown> };

/** `between`: what happens before a second connection. */
function subscribe(
  query: string,
  token = api.adminToken,
  between = async (): Promise<unknown> => undefined,
): Subscription {
  const found = clientOf(token, between).iterate({ query });
  return {
    next: async () => (await found.next()).value as Seen,
    end: async () => found.return?.(),
  };
}

const untilPaused = () => expect.poll(() => looks.length, { interval: 1 }).toBeGreaterThan(0);

async function untilEnded(): Promise<void> {
  while (ended === 0) {
    looks.shift()?.();
    await new Promise(setImmediate);
  }
}

async function lookAgain(): Promise<void> {
  await untilPaused();
  looks.shift()!();
}

const submit = async (body: object = { chunks: 2 }): Promise<string> =>
  (await api.request('POST', '/v1/jobs', { body })).json.id;

test('what is there comes at first, then what it became, each under a version', async () => {
  const id = await submit();
  const seen = subscribe(`subscription { job(id: "${id}") { status { state } } }`);
  const first = await seen.next();
  expect(first.data).toEqual({ job: { status: { state: 'pending' } } });
  await lookAgain();
  await api.request('DELETE', `/v1/jobs/${id}`);
  await api.settle();
  await lookAgain();
  const second = await seen.next();
  expect(second.data).toEqual({ job: { status: { state: 'cancelled' } } });
  expect(second.extensions?.version).not.toBe(first.extensions?.version);
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(graphLookMs);
  await seen.end();
});

test('what changed several times between two looks comes once, and what did not, never', async () => {
  const seen = subscribe('subscription { stats { jobs { total } } jobs { nodes { id } } }');
  await expect(seen.next()).rejects.toThrow('400');
  const one = subscribe('subscription { jobs { nodes { id } } }');
  expect((await one.next()).data).toEqual({ jobs: { nodes: [] } });
  for (let at = 0; at < 3; at++) await lookAgain();
  const ids = [await submit(), await submit(), await submit()];
  await lookAgain();
  const nodes = ids
    .sort()
    .toReversed()
    .map((id) => ({ id }));
  expect((await one.next()).data).toEqual({ jobs: { nodes } });
  await one.end();
});

test('a stream that came to its end is gone on with, and lost nothing', async () => {
  const query = 'subscription { jobs { nodes { name } } }';
  const submitted = () => submit({ chunks: 1, name: 'between' });
  const seen = subscribe(query, api.adminToken, submitted);
  await seen.next();
  await untilEnded();
  expect(pauses.reduce((sum, it) => sum + it, 0)).toBeGreaterThanOrEqual(eventStreamMsMax);
  expect((await seen.next()).data).toEqual({ jobs: { nodes: [{ name: 'between' }] } });
  await seen.end();
});

test.each([
  ['jobs { nodes { id } }', ['edges:read']],
  ['job(id: "job-1") { id }', ['edges:read']],
  ['edges { nodes { name } }', ['jobs:read']],
  ['stats { jobs { total } }', ['edges:enrol']],
  ['offers(edge: "edge-1") { id }', ['jobs:read']],
])('%s is refused to who has %j, as over REST, and is over', async (field, scopes) => {
  const body = { name: 'test', scopes, ...(scopes[0] === 'edges:enrol' ? { ttlSeconds: 60 } : {}) };
  const { secret } = (await api.request('POST', '/v1/tokens', { body })).json;
  const seen = subscribe(`subscription { ${field} }`, secret);
  const { errors } = await seen.next();
  expect(errors?.[0]?.extensions).toEqual({ code: 'forbidden', status: 403 });
  expect(await seen.next()).toBeUndefined();
});

test('the jobs of another pool are not seen, whatever happens to them', async () => {
  const token = await makeToken(api, { pool: 'south' });
  const seen = subscribe('subscription { jobs { nodes { name } } }', token);
  expect((await seen.next()).data).toEqual({ jobs: { nodes: [] } });
  await submit({ chunks: 1, pool: 'north', name: 'theirs' });
  await lookAgain();
  await submit({ chunks: 1, pool: 'south', name: 'ours' });
  await lookAgain();
  expect((await seen.next()).data).toEqual({ jobs: { nodes: [{ name: 'ours' }] } });
  await seen.end();
});

test('what an edge in pull mode is offered comes as it comes', async () => {
  const body = { name: 'edge-1', mode: 'pull', capacity: { power: 100 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body })).json;
  const report = { b: 'boot', e: 0, n: 1, f: 100, w: {}, i: 5 };
  await api.request('POST', '/v1/edges/edge-1/report', { token: secret, body: report });
  await api.settle();
  const seen = subscribe('subscription { offers(edge: "edge-1") { id kind tasks } }');
  expect((await seen.next()).data).toEqual({ offers: [] });
  const id = await submit({ chunks: 2, requires: { edges: ['edge-1'] } });
  await api.settle();
  await lookAgain();
  expect((await seen.next()).data).toEqual({ offers: [{ id, kind: 'job', tasks: 2 }] });
  await seen.end();
});

test('a token has so many at once, and has a place again when one ended', async () => {
  const query = 'subscription { stats { jobs { total } } }';
  const all = Array.from({ length: graphStreamsPerTokenMax }, () => subscribe(query));
  await Promise.all(all.map((it) => it.next()));
  await expect(subscribe(query).next()).rejects.toThrow('429');
  const other = subscribe(query, await makeToken(api, {}));
  await other.next();
  await all[0]!.end();
  await untilEnded();
  const again = subscribe(query);
  expect((await again.next()).data).toBeDefined();
  await Promise.all([...all, other, again].map((it) => it.end()));
});

const asJson = { 'content-type': 'application/json', accept: 'text/event-stream' };

async function ask(query: string, headers: Record<string, string> = {}, method = 'POST') {
  const token = { authorization: `Bearer ${api.adminToken}` };
  const body = method === 'POST' ? { body: JSON.stringify({ query }) } : {};
  return fetch(url, { method, headers: { ...asJson, ...token, ...headers }, ...body });
}

test.each([
  ['no token', 'subscription { stats { jobs { total } } }', { authorization: '' }, 401],
  ['a query', '{ stats { jobs { total } } }', {}, 400],
  ['a mutation', 'mutation { cancel(id: "a") { id } }', {}, 400],
  ['a wrong field', 'subscription { nobody }', {}, 400],
  [
    'too many items',
    'subscription{jobs(first:500){nodes{executions{nodes{edge{name}}}}}}',
    {},
    400,
  ],
])('%s begins no stream', async (_what, query, headers, status) => {
  const answer = await ask(query, headers);
  expect(answer.status, await answer.text()).toBe(status);
});

test('another method is refused', async () => {
  expect((await ask('', {}, 'PUT')).status).toBe(405);
});

test('who has this version already gets what comes after it', async () => {
  const query = 'subscription { jobs { nodes { name } } }';
  const first = subscribe(query);
  const { extensions } = await first.next();
  await first.end();
  const answer = await ask(query, { 'last-event-id': extensions!.version });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  // Somebody who hears nothing at all would take it for a stream that is held back.
  expect((await reader.read()).value).toBe(': here\n\n');
  await submit({ chunks: 1, name: 'next' });
  while (looks.length > 0) looks.shift()!();
  await expect.poll(() => looks.length).toBeGreaterThan(0);
  expect((await reader.read()).value).toContain('"name":"next"');
  await reader.cancel();
});

test('a token that is revoked meanwhile sees nothing after the next sign of life', async () => {
  const body = { name: 'gone', scopes: ['jobs:read'] };
  const { json } = await api.request('POST', '/v1/tokens', { body });
  const seen = subscribe('subscription { jobs { nodes { name } } }', json.secret);
  await seen.next();
  await api.request('DELETE', `/v1/tokens/${json.id}`);
  await untilEnded();
  await submit({ chunks: 1, name: 'late' });
  await expect(seen.next()).rejects.toThrow('401');
});

test('the API says where it is streamed, to who takes a stream', async () => {
  const post = (query: string, accept?: string) =>
    api.request('POST', '/graphql', {
      body: { query },
      ...(accept === undefined ? {} : { headers: { accept } }),
    });
  const watching = 'subscription { stats { jobs { total } } }';
  const sent = await post(watching, 'text/event-stream');
  expect([sent.status, sent.headers.location]).toEqual([307, url]);
  expect((await post(watching)).json.errors[0].message).toContain('text/event-stream');
  const either = 'application/json, text/event-stream';
  expect((await post(watching, either)).status).toBe(307);
  expect((await post('{ stats { jobs { total } } }', either)).status).toBe(200);
});
