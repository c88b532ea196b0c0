import { beforeEach, expect, test } from 'vitest';
import type { FleetEvent } from '../../../../core/events/fleet-event.ts';
import {
  eventStreamBeatMs,
  eventStreamMsMax,
  eventsKeptSeconds,
  eventsLookMs,
} from '../../../../core/events/limits.ts';
import { jobIdOf } from '../../../../core/model/names.ts';
import type { EventSink } from '../../../../lambdas/api/events/event-sink.ts';
import { streamFleetEvents } from '../../../../lambdas/api/events/stream-fleet-events.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, makeToken } from '../working-edge.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

type Message = { readonly id: string; readonly job: string | null };
type Streamed = {
  readonly status: number;
  readonly text: string;
  readonly messages: readonly Message[];
  readonly jobs: readonly (string | null)[];
  /** As a browser keeps it: also from what was no message. */
  readonly lastId: string;
};

type Asked = {
  readonly query?: string;
  readonly token?: string | null;
  readonly lastId?: string;
  readonly path?: string;
  readonly method?: string;
  /** At each look that found nothing, with how many there were before. */
  readonly onQuiet?: (looks: number) => void | Promise<void>;
  /** Its reader goes after so many writes. */
  readonly writesMax?: number;
};

/** A stream to its end, on a clock that moves while it waits. */
async function streamText(asked: Asked): Promise<Pick<Streamed, 'status' | 'text'>> {
  const { query = '', token = api.adminToken, writesMax = Number.POSITIVE_INFINITY } = asked;
  const { path = '/v1/events/stream', method = 'GET' } = asked;
  let [nowMs, looks, status, text, writes] = [Date.now(), 0, 0, '', 0];
  const sink: EventSink = {
    begin: (given) => {
      status = given;
    },
    write: async (part) => {
      writes += 1;
      text += part;
      return writes < writesMax;
    },
    end: () => undefined,
  };
  const adminToken = { read: async () => api.adminToken };
  const headers: Record<string, string> = {};
  if (token !== null) headers.authorization = `Bearer ${token}`;
  if (asked.lastId !== undefined) headers['Last-Event-ID'] = asked.lastId;
  const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '::1', userAgent: '' };
  const event = { rawPath: path, rawQueryString: query, headers };
  const requestContext = { requestId: 'stream-1', http };
  await streamFleetEvents({ ...event, requestContext } as never, sink, {
    fleetLog: api.stores.fleetLog,
    clock: { nowMs: () => nowMs },
    callers: { tokens: api.stores.tokens, adminToken, people: null },
    pause: async (ms) => {
      nowMs += ms;
      await asked.onQuiet?.(looks);
      looks += 1;
    },
    log: createQuietLog(),
  });
  return { status, text };
}

async function stream(asked: Asked = {}): Promise<Streamed> {
  const answer = await streamText(asked);
  return { ...answer, ...read(answer.text) };
}

/** By the rules of the standard: fields of a message up to an empty line; no data, no message. */
function read(text: string): Pick<Streamed, 'messages' | 'jobs' | 'lastId'> {
  const messages: Message[] = [];
  let lastId = '';
  for (const block of text.split('\n\n').slice(0, -1)) {
    const lines = block.split('\n');
    const fieldOf = (name: string) =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    lastId = fieldOf('id') ?? lastId;
    const data = fieldOf('data');
    if (data !== undefined) messages.push({ id: lastId, job: JSON.parse(data).job });
  }
  return { messages, jobs: messages.map(({ job }) => job), lastId };
}

function eventOf(job: string, more: Partial<FleetEvent> = {}): FleetEvent {
  const where = { pool: 'default', queue: 'default', jobspec: null, detail: 'Runs.', edge: null };
  const what = { id: `${job}.job.started.5`, atMs: 5, kind: 'job.started', name: null };
  return { ...what, ...where, job: jobIdOf(job), ...more };
}

const append = (...events: FleetEvent[]) => api.stores.fleetLog.append(events, Date.now());

test('what happens while it is open comes in order, each once, under the cursor behind', async () => {
  await append(eventOf('before'));
  const seen = await stream({
    query: 'after=now',
    onQuiet: async (looks) => {
      if (looks < 5) await append(eventOf(`a${looks}`), eventOf(`b${looks}`));
    },
  });
  expect(seen.status).toBe(200);
  expect(seen.jobs).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4', 'b4']);
  const { json } = await api.request('GET', `/v1/events?after=${seen.messages[3]?.id}`);
  expect(json.items[0].job).toBe('a2');
});

test('cut off at any place and resumed, nothing is lost and nothing comes twice', async () => {
  const all = Array.from({ length: 12 }, (_, at) => `job-${at}`);
  await append(...all.map((job) => eventOf(job)));
  for (let cut = 1; cut <= all.length + 1; cut++) {
    const first = await stream({ writesMax: cut });
    expect(first.jobs).toHaveLength(cut - 1);
    const lastId = first.lastId === '' ? {} : { lastId: first.lastId };
    const rest = await stream(lastId);
    expect([...first.jobs, ...rest.jobs], `cut after ${cut}`).toEqual(all);
  }
});

test('what is not for its reader moves the place from which it goes on, and is not seen', async () => {
  await append(eventOf('a', { pool: 'north' }));
  const token = await makeToken(api, { pool: 'south' });
  const seen = await stream({ token });
  expect(seen.text).not.toContain('north');
  expect(seen.messages).toEqual([]);
  const { json } = await api.request('GET', '/v1/events?after=now');
  expect(seen.lastId).toBe(json.cursor);
});

test('the header of who goes on is heeded before the query of the address', async () => {
  await append(eventOf('a'), eventOf('b'));
  const [first] = (await stream()).messages;
  expect((await stream({ query: 'after=now', lastId: first!.id })).jobs).toEqual(['b']);
});

test.each([
  ['no token', null, 401, 'unauthenticated'],
  ['an unknown token', 'x'.repeat(40), 401, 'unauthenticated'],
  ['a token that may not read jobs', ['edges:read'], 403, 'forbidden'],
] as const)('%s sees nothing', async (_who, given, expected, code) => {
  await append(eventOf('secret'));
  const scopes = { name: 'test', scopes: given };
  const made = Array.isArray(given)
    ? (await api.request('POST', '/v1/tokens', { body: scopes })).json.secret
    : given;
  const { status, text } = await stream({ token: made });
  expect([status, JSON.parse(text).code]).toEqual([expected, code]);
  expect(text).not.toContain('secret');
});

test('a token that is bound to a cluster is refused, as by the other way', async () => {
  await enrolEdge(api, 'edge-1');
  const token = await makeToken(api, { scopes: ['jobs:read', 'jobs:write'], edges: ['edge-1'] });
  expect((await stream({ token })).status).toBe(403);
  expect((await api.request('GET', '/v1/events', { token })).status).toBe(403);
});

test('a token that is revoked meanwhile is seen no more after the next sign of life', async () => {
  const body = { name: 'gone', scopes: ['jobs:read'] };
  const { json } = await api.request('POST', '/v1/tokens', { body });
  const looksOfBeat = Math.ceil(eventStreamBeatMs / eventsLookMs);
  const seen = await stream({
    token: json.secret,
    onQuiet: async (looks) => {
      if (looks === 0) await api.request('DELETE', `/v1/tokens/${json.id}`);
      if (looks === looksOfBeat) await append(eventOf('late'));
    },
  });
  expect(seen.status).toBe(200);
  expect(seen.jobs).toEqual([]);
});

test('it ends by itself, with signs of life before, and says where to go on', async () => {
  let looksSeen = 0;
  const seen = await stream({
    onQuiet: (looks) => {
      looksSeen = looks;
    },
  });
  expect(looksSeen).toBeLessThanOrEqual(eventStreamMsMax / eventsLookMs);
  expect(seen.text).toMatch(/^retry: 1000\n\n/);
  expect(seen.text.match(/: going on\n/g)?.length).toBeGreaterThanOrEqual(
    Math.floor(eventStreamMsMax / (eventStreamBeatMs + eventsLookMs)),
  );
  await append(eventOf('next'));
  expect((await stream({ lastId: seen.lastId })).jobs).toEqual(['next']);
});

test('that of one job ends with the job', async () => {
  const done = eventOf('a', { kind: 'job.done', id: 'a.job.done.6' });
  await append(eventOf('a'), done, eventOf('a', { id: 'again' }));
  const seen = await stream({ query: 'job=a' });
  expect(seen.jobs).toEqual(['a', 'a']);
  expect((await stream({ query: 'job=a', lastId: seen.lastId })).jobs).toEqual(['a']);
});

test('a reader behind what is kept is seen so before anything begins', async () => {
  const begin = await api.request('GET', '/v1/events?after=now');
  await api.stores.fleetLog.append([eventOf('old')], Date.now() - eventsKeptSeconds * 1_001);
  await append(eventOf('new'));
  const { status, text } = await stream({ lastId: begin.json.cursor });
  expect([status, JSON.parse(text).code]).toEqual([410, 'cursor-too-old']);
});

test.each([
  [{ query: 'kinds=job.eaten' }, 400],
  [{ query: 'waitSeconds=5' }, 400],
  [{ lastId: 'x' }, 400],
  [{ path: '/v1/jobs' }, 404],
  [{ method: 'POST' }, 405],
])('%j is refused with %s', async (asked, expected) => {
  expect((await stream(asked)).status).toBe(expected);
});

test('two hundred readers see the last of a thousand changes', async () => {
  const readers = Array.from({ length: 200 }, () =>
    streamText({
      query: 'after=now',
      writesMax: 1_001,
      onQuiet: async (looks) => {
        if (looks === 0 && ++begun === 200) await tell();
      },
    }),
  );
  let begun = 0;
  const tell = async () => {
    for (let at = 0; at < 1_000; at++) await append(eventOf(`job-${at}`));
  };
  for (const { text } of await Promise.all(readers)) {
    const messages = text.split('\ndata: ').slice(1);
    expect(messages).toHaveLength(1_000);
    expect(messages.at(-1)).toContain('job-999');
  }
});

test('the address is named to who may read, with what was asked for', async () => {
  const { status, headers } = await api.request('GET', '/v1/events/stream?job=a&after=now');
  expect(status).toBe(307);
  expect(headers.location).toBe('http://127.0.0.1:9/v1/events/stream?job=a&after=now');
  expect((await api.request('GET', '/v1/events/stream', { token: null })).status).toBe(401);
});
