import { beforeEach, expect, test } from 'vitest';
import type { JobId } from '../../../../core/model/names.ts';
import { failingAfterMs } from '../../../../core/webhooks/limits.ts';
import { notifyEnds } from '../../../../lambdas/workers/webhooks/notify-ends.ts';
import type { Posted } from '../../../../lambdas/workers/webhooks/post-event.ts';
import { nothingStored, type Stored } from '../../../memory/stored.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../../api/api-stage.ts';
import { createQuietLog } from '../../quiet-log.ts';

const minuteMs = 60_000;
const secret = 'a-secret-of-sixteen-or-more';
const url = 'https://receiver.example/ended';

let nowMs: number;
let stored: Stored;
let stores: ReturnType<typeof createMemoryStores>;
let api: ApiStage;
let log: ReturnType<typeof createQuietLog>;
let answer: (url: string) => Posted;
let posted: { readonly url: string; readonly kind: string; readonly signature: string }[];

beforeEach(() => {
  nowMs = Date.UTC(2026, 4, 1);
  stored = nothingStored();
  stores = createMemoryStores(stored);
  api = createApiStage(stores);
  log = createQuietLog();
  posted = [];
  answer = () => ({ status: 204, error: null });
});

async function submit(onEnd: object = { url, secret }): Promise<JobId> {
  const { status, json } = await api.request('POST', '/v1/jobs', { body: { chunks: 1, onEnd } });
  expect(status).toBe(202);
  return json.id;
}

async function ends(job: JobId, kind = 'job.done') {
  const id = `${job}.${kind}.${nowMs}`;
  const where = { edge: null, name: null, pool: 'default', queue: 'default', jobspec: null };
  await stores.endNotices.add(job, { id, atMs: nowMs, kind, job, ...where, detail: 'x' }, nowMs);
}

const notify = () =>
  notifyEnds({
    endNotices: stores.endNotices,
    jobs: stores.jobs,
    clock: { nowMs: () => nowMs },
    log,
    async post(to, headers, body) {
      const signature = headers['edgewise-signature'] ?? '';
      const said = answer(to);
      if (said.status === 204) posted.push({ url: to, kind: JSON.parse(body).kind, signature });
      return said;
    },
  });

const kinds = () => posted.map(({ kind }) => kind);

test('each end is sent once, signed with what the body gave', async () => {
  const job = await submit();
  await ends(job);
  await Promise.all([notify(), notify(), notify()]);
  await notify();
  expect(kinds()).toEqual(['job.done']);
  expect(posted[0]).toMatchObject({ url, signature: expect.stringMatching(/^t=\d+,v1=\w{64}$/) });
});

test('what is not taken comes again, before a later end of the same job', async () => {
  const [job, other] = [await submit(), await submit({ url: 'https://other.example/' })];
  answer = (to) => ({ status: to === url ? 503 : 204, error: null });
  await ends(job, 'job.failed');
  await ends(other);
  await notify();
  nowMs += 1_000;
  await ends(job, 'job.done');
  await notify();
  expect(kinds()).toEqual(['job.done']);
  expect((await stores.endNotices.find(job))?.failures).toBe(1);
  answer = () => ({ status: 204, error: null });
  nowMs += minuteMs;
  await notify();
  expect(kinds()).toEqual(['job.done', 'job.failed', 'job.done']);
});

test('after a day it is given up, and the timeline of the job says so', async () => {
  const job = await submit();
  answer = () => ({ status: null, error: 'ECONNREFUSED' });
  const begunAtMs = nowMs;
  await ends(job);
  while (nowMs <= begunAtMs + failingAfterMs + 10 * minuteMs) {
    await notify();
    nowMs += 5 * minuteMs;
  }
  expect(await stores.endNotices.due(nowMs + failingAfterMs, 9)).toEqual([]);
  const { text } = await api.request('GET', `/v1/jobs/${job}/events`);
  expect(text).toContain('end-not-received');
  expect(text).toContain('ECONNREFUSED');
  expect(log.lines.some((line) => line.WebhooksFailing === 1)).toBe(true);
});

test('a receiver that does not answer is asked once for many of its jobs', async () => {
  let asked = 0;
  answer = (to) => {
    if (to !== url) return { status: 204, error: null };
    asked += 1;
    return { status: null, error: 'no answer in time' };
  };
  for (let at = 0; at < 60; at++) await ends(await submit());
  await ends(await submit({ url: 'https://other.example/' }));
  await notify();
  expect(kinds()).toEqual(['job.done']);
  expect(asked).toBeLessThanOrEqual(20);
});

test('of a job that was removed nobody is notified', async () => {
  const job = await submit();
  await ends(job);
  stored.jobs.delete(job);
  await notify();
  expect(posted).toEqual([]);
  expect(await stores.endNotices.due(nowMs, 9)).toEqual([]);
});
