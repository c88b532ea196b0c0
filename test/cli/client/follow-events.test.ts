import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openApi } from '../../../cli/client/api.ts';
import { followEvents } from '../../../cli/client/follow-events.ts';
import { liveRest } from '../../../cli/client/live-rest.ts';
import { exitCode } from '../../../cli/exit-code.ts';
import { awaitJob, waitFor } from '../../../cli/job/job-ending.ts';
import { liveLookMs } from '../../../cli/limits.ts';
import type { FleetEvent } from '../../../core/events/fleet-event.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { sinkOn } from '../../../lambdas/api/events/event-sink.ts';
import { streamFleetEvents } from '../../../lambdas/api/events/stream-fleet-events.ts';
import { type ApiStage, createApiStage } from '../../lambdas/api/api-stage.ts';
import { createQuietLog } from '../../lambdas/quiet-log.ts';
import { createMemoryStores } from '../../memory/stores.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function serveOn(listener: Listener): Promise<string> {
  const server = createServer((request, response) => void listener(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Served = {
  readonly api: ApiStage;
  readonly url: string;
  /** Paths of what the API was asked, and of what was streamed. */
  readonly asked: string[];
};

type Refusals = {
  /** Called when a stream has been opened so often; what it leaves open is streamed. */
  readonly onStream?: (opened: number, response: ServerResponse) => void;
  /** Answered like this, as a proxy would that lets it not through. */
  readonly refuse?: (path: string) => number | null;
  /** How it says where the stream is; deployments of before did so by 302. */
  readonly elsewhere?: number;
};

/** The API that is shipped and the function that streams, over HTTP. */
async function startServed({ onStream, refuse, elsewhere = 307 }: Refusals = {}): Promise<Served> {
  const stores = createMemoryStores();
  const asked: string[] = [];
  let opened = 0;
  let stage: ApiStage;
  const eventStream = await serveOn(async (request, response) => {
    asked.push('stream');
    onStream?.(++opened, response);
    const { pathname, search } = new URL(request.url ?? '/', 'http://stream');
    const http = { method: 'GET', path: pathname, protocol: '', sourceIp: '', userAgent: '' };
    const event = { rawPath: pathname, rawQueryString: search.slice(1), headers: request.headers };
    const withHead = (_stream: unknown, head: object) => {
      const { statusCode, headers } = head as { statusCode: number; headers: object };
      response.writeHead(statusCode, { ...headers }).flushHeaders();
      return response;
    };
    const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 100));
    const adminToken = { read: async () => stage.adminToken };
    const requestContext = { requestId: 'stream', http };
    await streamFleetEvents(
      { ...event, requestContext } as never,
      sinkOn(response, withHead, pause),
      {
        fleetLog: stores.fleetLog,
        clock: { nowMs: Date.now },
        callers: { tokens: stores.tokens, adminToken, people: null },
        ...{ pause, log: createQuietLog() },
      },
    );
  });
  stage = createApiStage(stores, { eventStream: `${eventStream}/` });
  const url = await serveOn(async (request, response) => {
    const path = request.url ?? '/';
    asked.push(path);
    const refused = refuse?.(path) ?? null;
    if (refused !== null) {
      response.writeHead(refused, { 'content-type': 'text/html' }).end('<h1>Blocked</h1>');
      return;
    }
    const { authorization = '' } = request.headers;
    const answer = await stage.request('GET', path, { token: null, headers: { authorization } });
    const status = answer.status === 307 ? elsewhere : answer.status;
    response.writeHead(status, answer.headers).end(answer.bytes);
  });
  return { api: stage, url, asked };
}

function eventOf(job: string, kind = 'job.started'): FleetEvent {
  const where = { pool: 'default', queue: 'default', jobspec: null, detail: 'Runs.', edge: null };
  return { id: `${job}.${kind}`, atMs: 5, kind, name: null, ...where, job: jobIdOf(job) };
}

/** The jobs of so many events; while they are read, `meanwhile` happens after each. */
async function follow(
  { api, url }: Served,
  count: number,
  meanwhile: (seen: number) => Promise<void> = async () => undefined,
): Promise<(string | null)[]> {
  const terminal = scriptedTerminal({ directory: '/' });
  const client = openApi({ url, token: api.adminToken }, terminal);
  const end = new AbortController();
  const { cursor: after } = await client.get<{ cursor: string }>('/v1/events', { after: 'now' });
  const jobs: (string | null)[] = [];
  await meanwhile(0);
  const ask = <T>(look: () => Promise<T>) => look();
  const events = followEvents(client, terminal, {}, { after, signal: end.signal, ask });
  for await (const { job } of events) {
    jobs.push(job);
    if (jobs.length === count) break;
    await meanwhile(jobs.length);
  }
  end.abort();
  return jobs;
}

const names = Array.from({ length: 30 }, (_, at) => `job-${at}`);

/** Each comes when the one before was seen. */
const oneByOne = (api: ApiStage) => async (seen: number) => {
  await api.stores.fleetLog.append([eventOf(names[seen]!)], Date.now());
};

test.each([307, 302])(
  'events come over the stream that %i names, in order, and no request waits for them',
  async (elsewhere) => {
    const served = await startServed({ elsewhere });
    expect(await follow(served, 30, oneByOne(served.api))).toEqual(names);
    expect(served.asked.filter((path) => path.includes('waitSeconds'))).toEqual([]);
  },
);

test('a stream that is cut again and again goes on where it was, nothing lost or doubled', async () => {
  const served = await startServed({
    onStream: (_opened, response) => {
      const write = response.write.bind(response);
      let messages = 0;
      response.write = (part: string) => {
        messages += 1;
        // In the middle of a message, which then counts as not sent.
        if (messages < 5) return write(part);
        write(part.slice(0, part.length / 2), () => response.destroy());
        return true;
      };
    },
  });
  const all = async (seen: number) => {
    if (seen === 0)
      await served.api.stores.fleetLog.append(
        names.map((it) => eventOf(it)),
        Date.now(),
      );
  };
  expect(await follow(served, 30, all)).toEqual(names);
  expect(served.asked.filter((path) => path === 'stream').length).toBeGreaterThan(5);
});

test.each([404, 403, 200])(
  'with the stream answered %d, events come by long poll',
  async (status) => {
    const served = await startServed({
      refuse: (path) => (path.startsWith('/v1/events/stream') ? status : null),
    });
    expect(await follow(served, 5, oneByOne(served.api))).toEqual(names.slice(0, 5));
    expect(served.asked).not.toContain('stream');
    expect(served.asked.some((path) => path.includes('waitSeconds'))).toBe(true);
  },
);

test('a stream that says nothing at all is left for the long poll', async () => {
  const served = await startServed({ onStream: (_opened, response) => response.destroy() });
  expect(await follow(served, 3, oneByOne(served.api))).toEqual(names.slice(0, 3));
});

test('a token goes unencrypted to no other host', async () => {
  const elsewhere = await startServed();
  const { port } = new URL(elsewhere.url);
  const url = await serveOn(async (_request, response) => {
    const location = `http://localhost:${port}/v1/events/stream`;
    response.writeHead(307, { location }).end();
  });
  const client = openApi(
    { url, token: 'secret-of-somebody' },
    scriptedTerminal({ directory: '/' }),
  );
  const { signal } = new AbortController();
  expect(await client.stream('/v1/events/stream', {}, '1.1', signal)).toBeNull();
  expect(elsewhere.asked).toEqual([]);
});

const jobIn = (state: string) => {
  const chunks = { total: 1, pending: 0, scheduled: 0, running: 1, done: 0, dead: 0, cancelled: 0 };
  return { id: 'j', status: { state, percent: 0, chunks, reason: null, waiting: [] } };
};

/** A job that is done as soon as what was asked says so. */
async function waitOn(refused: readonly string[], isDone: (asked: readonly string[]) => boolean) {
  const served = await startServed({
    refuse: (path) => (refused.some((it) => path.startsWith(it)) ? 403 : null),
  });
  const terminal = scriptedTerminal({
    directory: '/',
    // Time passes for the one who waits while others do something.
    pass: () => new Promise((resolve) => setImmediate(resolve)),
  });
  const client = openApi({ url: served.url, token: served.api.adminToken }, terminal);
  const get = async (path: string, query?: object, signal?: AbortSignal) => {
    if (!path.startsWith('/v1/jobs/')) return client.get(path, { ...query }, signal);
    served.asked.push('look');
    return jobIn(isDone(served.asked) ? 'done' : 'running');
  };
  const wait = waitFor('done', '100000h');
  const { code } = await awaitJob({ ...client, get } as never, terminal, 'j', wait);
  expect(code).toBe(exitCode.ok);
  return served.asked;
}

const isPoll = (path: string): boolean => path.includes('waitSeconds');

test('a job is waited for by the stream', async () => {
  const asked = await waitOn([], (it) => it.includes('stream'));
  expect(asked.filter(isPoll)).toEqual([]);
});

test('with the stream refused a job is waited for by long poll', async () => {
  const asked = await waitOn(['/v1/events/stream'], (it) => it.some(isPoll));
  expect(asked).not.toContain('stream');
});

test('with all of that refused a job is looked at again and again', async () => {
  const looks = (it: readonly string[]) => it.filter((path) => path === 'look').length;
  const isRefused = (it: readonly string[]) => it.includes('/v1/events?job=j&after=now');
  const asked = await waitOn(['/v1/events'], (it) => isRefused(it) && looks(it) > 50);
  expect(asked.filter(isPoll)).toEqual([]);
});

test('a wait that is over within seconds asks for nothing but the job', async () => {
  const asked = await waitOn([], (it) => it.length > 3);
  expect(new Set(asked)).toEqual(new Set(['look']));
});

test('a long pause ends when something has happened to the job', async () => {
  const served = await startServed();
  const calm = scriptedTerminal({ directory: '/' });
  const client = openApi({ url: served.url, token: served.api.adminToken }, calm);
  let begin = () => {};
  const isLong = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const sleep = async (ms: number, cut?: AbortSignal) => {
    if (ms < liveLookMs) {
      await calm.sleep(ms);
      return new Promise<void>((resolve) => setImmediate(resolve));
    }
    begin();
    await new Promise<void>((resolve) => cut!.addEventListener('abort', () => resolve()));
  };
  const live = liveRest(client, { ...calm, nowMs: calm.nowMs, sleep }, { job: 'j' });
  let hasEnded = false;
  const resting = (async () => {
    while (!hasEnded) await live.rest(1_000);
  })();
  await isLong;
  hasEnded = true;
  await served.api.stores.fleetLog.append([eventOf('j', 'job.done')], Date.now());
  await resting;
  live.close();
});
