import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../../dashboard/api/client.ts';
import { noteChange } from '../../../dashboard/live/change-signal.ts';
import { changeSources } from '../../../dashboard/live/change-sources.ts';
import { Feed } from '../../../dashboard/live/feed.ts';
import { followChanges } from '../../../dashboard/live/follow-changes.ts';
import { noticeOf } from '../../../dashboard/live/notice-of.ts';

/** The first screen for minutes, by a clock that is moved, over an API that is played. */
const events = 'https://stream.example.com/v1/events/stream';
const everyMs = 2_000;
/** What the first screen asks for. */
const paths = ['/v1/stats', '/v1/edges', '/v1/jobs', '/v1/stats/history'];

/** How the API is: `silent` is a proxy that holds streams back. */
let streams: 'open' | 'silent' | 'none';
let waits: boolean;
let offline: boolean;
let jobs: { running: number; done: number };
let asked: { path: string; lastId: string | null }[];
let shown: Map<string, unknown>;
let feeds: Feed<unknown>[];
let leaving: AbortController;
/** Those that wait for the next event. */
let wake: (() => void)[];
let cut: (() => void)[];

const nobody = () => () => undefined;
const view = { isHidden: () => false, onView: nobody, onOnline: nobody };
const text = new TextEncoder();
const version = () => `v${jobs.running}.${jobs.done}`;
const json = (body: unknown) => new Response(JSON.stringify(body), { status: 200 });
const countOf = (path: string) => asked.filter((one) => one.path === path).length;

/** As the function streams: what is new, a sign of life every 15 seconds, two minutes in all. */
function streamed(lastId: string | null): Response {
  if (streams === 'none') return new Response('', { status: 502 });
  const timers: NodeJS.Timeout[] = [];
  let said = lastId;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      if (streams === 'silent') return;
      const look = () => {
        if (said === version()) return;
        said = version();
        const data = JSON.stringify({ data: { stats: { jobs } } });
        controller.enqueue(text.encode(`event: next\nid: ${said}\ndata: ${data}\n\n`));
      };
      const end = () => {
        for (const timer of timers.splice(0)) clearTimeout(timer);
        controller.close();
      };
      controller.enqueue(text.encode(': here\n\n'));
      look();
      timers.push(setInterval(look, 500));
      timers.push(setInterval(() => controller.enqueue(text.encode(': going on\n\n')), 15_000));
      timers.push(setTimeout(end, 120_000));
      cut.push(() => {
        for (const timer of timers.splice(0)) clearTimeout(timer);
        controller.error(new Error('cut off'));
      });
    },
    cancel: () => {
      for (const timer of timers.splice(0)) clearTimeout(timer);
    },
  });
  return new Response(body, { status: 200, headers: { 'content-type': 'text/event-stream' } });
}

async function waited(path: string): Promise<Response> {
  if (!waits) throw new TypeError('refused');
  const { running, done } = jobs;
  const cursor = `${Date.now()}.1`;
  if (!path.includes('waitSeconds')) return json({ items: [], cursor });
  const isWoken = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, 25_000, false);
    wake.push(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });
  const item = { kind: 'job.done', running, done };
  return json({ items: isWoken ? [item] : [], cursor: `${Date.now()}.2` });
}

const played = (async (address: string, init: RequestInit) => {
  const { pathname, search } = new URL(address);
  const lastId = new Headers(init.headers).get('last-event-id');
  asked.push({ path: pathname, lastId });
  if (offline) throw new TypeError('no network');
  if (pathname === '/v1/health') return json({ ok: true, version: '1', endpoints: { events } });
  if (pathname === '/graphql') return streamed(lastId);
  return pathname === '/v1/events' ? waited(search) : json({ pathname, ...jobs });
}) as typeof fetch;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_767_225_600_000 });
  [streams, waits, offline, jobs] = ['open', true, false, { running: 0, done: 3 }];
  [asked, shown, feeds, wake, cut] = [[], new Map(), [], [], []];
  leaving = new AbortController();
  const { signal } = leaving;
  const onSignedOut = () => undefined;
  const client = createClient({
    ...{ api: 'https://api.example.com', token: 'secret', fetch: played, onSignedOut },
  });
  feeds = paths.map(
    (path) =>
      new Feed({
        ...{ view, everyMs, notice: noticeOf(path), load: () => client.read(path) },
        show: ({ value, stale }) => shown.set(path, { value, stale }),
      }),
  );
  void followChanges({ sources: changeSources(client), note: noteChange, signal });
});

afterEach(() => {
  for (const feed of feeds) feed.stop();
  leaving.abort();
  noteChange('asking');
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('who looks at an idle fleet for ten minutes makes fewer than ten requests', async () => {
  await pass(10_000);
  asked = [];
  await pass(600_000);
  expect(asked.length).toBeLessThan(10);
  const openings = asked.filter(({ path }) => path === '/graphql');
  expect(openings.length).toBeGreaterThanOrEqual(4);
  expect(openings.every(({ lastId }) => lastId === version())).toBe(true);
});

test('what happens is shown at once, also when it did between two connections', async () => {
  await pass(10_000);
  jobs = { running: 1, done: 3 };
  await pass(everyMs + 500);
  expect(shown.get('/v1/jobs')).toMatchObject({ value: { running: 1 }, stale: null });
  jobs = { running: 0, done: 4 };
  for (const end of cut.splice(0)) end();
  await pass(everyMs + 2_000);
  expect(shown.get('/v1/jobs')).toMatchObject({ value: { running: 0, done: 4 } });
  expect(asked.filter(({ path }) => path === '/graphql').at(-1)?.lastId).toBe('v1.3');
});

test('work under way is looked at, less often while nothing comes of it', async () => {
  jobs = { running: 1, done: 3 };
  await pass(60_000);
  asked = [];
  await pass(600_000);
  expect(countOf('/v1/jobs')).toBeGreaterThanOrEqual(19);
  expect(countOf('/v1/jobs')).toBeLessThanOrEqual(21);
});

test.each(['none', 'silent'] as const)('events wake the page: streams are %s', async (how) => {
  for (const end of cut.splice(0)) end();
  streams = how;
  await pass(20_000);
  expect(wake).not.toEqual([]);
  jobs = { running: 0, done: 5 };
  for (const one of wake.splice(0)) one();
  await pass(everyMs);
  expect(shown.get('/v1/jobs')).toMatchObject({ value: { done: 5 } });
  streams = 'open';
  await pass(660_000);
  asked = [];
  await pass(120_000);
  expect(countOf('/v1/events')).toBe(0);
});

test('without either the page asks as often as it ever did', async () => {
  for (const end of cut.splice(0)) end();
  [streams, waits] = ['none', false];
  await pass(20_000);
  asked = [];
  await pass(60_000);
  expect(countOf('/v1/jobs')).toBe(60_000 / everyMs);
});

test('figures that nobody answers for look as old as they are', async () => {
  await pass(10_000);
  const before = Date.now();
  expect(shown.get('/v1/jobs')).toMatchObject({ stale: null });
  offline = true;
  for (const end of cut.splice(0)) end();
  await pass(60_000);
  const { stale } = shown.get('/v1/jobs') as { stale: { answeredAtMs: number } };
  expect(stale.answeredAtMs).toBeLessThanOrEqual(before);
});
