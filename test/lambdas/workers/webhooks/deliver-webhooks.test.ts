import { execFileSync } from 'node:child_process';
import { beforeEach, expect, test } from 'vitest';
import type { FleetEvent } from '../../../../core/events/fleet-event.ts';
import { jobIdOf } from '../../../../core/model/names.ts';
import { deliveryClaimMs } from '../../../../core/webhooks/limits.ts';
import { newDelivery, stateOf, type Webhook } from '../../../../core/webhooks/webhook.ts';
import { deliverWebhooks } from '../../../../lambdas/workers/webhooks/deliver-webhooks.ts';
import type { Posted } from '../../../../lambdas/workers/webhooks/post-event.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';

const minuteMs = 60_000;
const secret = 'a secret of sixteen or more';

/** A receiver that somebody else owns: what came to it, and what it answers. */
type Receiver = { readonly taken: Sent[]; answer: () => Posted };
type Sent = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

let nowMs: number;
let stores: ReturnType<typeof createMemoryStores>;
let receivers: Map<string, Receiver>;
let log: ReturnType<typeof createQuietLog>;

beforeEach(() => {
  nowMs = Date.UTC(2026, 4, 1);
  stores = createMemoryStores();
  receivers = new Map();
  log = createQuietLog();
});

const well = (): Posted => ({ status: 200, error: null });
const away = (): Posted => ({ status: null, error: 'ECONNREFUSED' });

async function receive(id: string, more: Partial<Webhook> = {}): Promise<Receiver> {
  const receiver = { taken: [], answer: well };
  receivers.set(`https://${id}`, receiver);
  const webhook: Webhook = {
    ...{ id, url: `https://${id}`, kinds: ['job.*'], pool: null, job: null, secret },
    sees: { scopes: ['jobs:read'], pool: null, queue: null },
    ...{ createdAtMs: nowMs, createdBy: 'token:a', ...more },
  };
  const trail = { atMs: nowMs, by: '', action: '', target: '', requestId: '' };
  const delivery = newDelivery(await stores.fleetLog.newest(nowMs));
  await stores.webhooks.create(webhook, delivery, trail);
  return receiver;
}

async function happens(job: string, kind: string, more: Partial<FleetEvent> = {}) {
  const event = {
    ...{ id: `${job}.${kind}.${nowMs}`, atMs: nowMs, kind, job: jobIdOf(job), name: null },
    ...{ edge: null, pool: 'default', queue: 'default', jobspec: null, detail: 'x', ...more },
  };
  await stores.fleetLog.append([event], nowMs);
}

const deliver = () =>
  deliverWebhooks({
    webhooks: stores.webhooks,
    fleetLog: stores.fleetLog,
    clock: { nowMs: () => nowMs },
    log,
    async post(url, headers, body) {
      const receiver = receivers.get(url)!;
      const posted = receiver.answer();
      if (posted.status === 200) receiver.taken.push({ headers, body });
      return posted;
    },
  });

const receivedBy = ({ taken }: Receiver): string[] =>
  taken.map(({ body }) => {
    const { job, kind } = JSON.parse(body);
    return `${job} ${kind}`;
  });
const deliveryOf = async (id: string) => (await stores.webhooks.find(id))!.delivery;

test('each receiver gets in order what it asked for, and once', async () => {
  await happens('job-0', 'job.done');
  const all = await receive('all');
  const ends = await receive('ends', { kinds: ['job.done', 'job.failed'] });
  const one = await receive('one', { job: 'job-2' });
  const narrow = await receive('narrow', {
    sees: { scopes: ['jobs:read'], pool: 'p', queue: null },
  });
  for (const kind of ['job.started', 'job.done']) {
    await happens('job-1', kind);
    await happens('job-2', kind);
  }
  await happens('job-3', 'job.failed', { pool: 'p' });
  await happens('job-3', 'edge.lost', { queue: null });
  await deliver();
  await deliver();
  const started = ['job-1 job.started', 'job-2 job.started'];
  const done = ['job-1 job.done', 'job-2 job.done'];
  expect(receivedBy(all)).toEqual([...started, ...done, 'job-3 job.failed']);
  expect(receivedBy(ends)).toEqual([...done, 'job-3 job.failed']);
  expect(receivedBy(one)).toEqual([started[1], done[1]]);
  expect(receivedBy(narrow)).toEqual(['job-3 job.failed']);
});

test('a receiver that is away for an hour loses nothing, and keeps nobody waiting', async () => {
  const [gone, other] = [await receive('gone'), await receive('other')];
  gone.answer = away;
  const expected: string[] = [];
  for (let minute = 0; minute < 60; minute++) {
    await happens(`job-${minute}`, 'job.done');
    expected.push(`job-${minute} job.done`);
    await deliver();
    nowMs += minuteMs;
  }
  expect(receivedBy(other)).toEqual(expected);
  const failed = await deliveryOf('gone');
  expect(stateOf(failed, nowMs)).toBe('retrying');
  expect(failed.last).toMatchObject({ status: null, error: 'ECONNREFUSED' });
  // Not each minute: later each time.
  expect(failed.failures).toBeLessThan(20);
  expect(failed.failures).toBeGreaterThan(8);
  gone.answer = well;
  nowMs = failed.nextAtMs;
  await deliver();
  expect(receivedBy(gone)).toEqual(expected);
  expect(stateOf(await deliveryOf('gone'), nowMs)).toBe('active');
});

test.each([
  ['a redirection', 302],
  ['a refusal', 400],
  ['an outage', 503],
])('%s is no receipt: the same event comes again, before any later one', async (_, status) => {
  const receiver = await receive('a');
  receiver.answer = () => ({ status, error: null });
  await happens('job-1', 'job.done');
  await happens('job-2', 'job.done');
  await deliver();
  expect((await deliveryOf('a')).failures).toBe(1);
  receiver.answer = well;
  await deliver();
  expect(receivedBy(receiver)).toEqual([]);
  nowMs = (await deliveryOf('a')).nextAtMs;
  await deliver();
  expect(receivedBy(receiver)).toEqual(['job-1 job.done', 'job-2 job.done']);
});

test('after a day it is failing, and goes on with what is kept', async () => {
  const receiver = await receive('a');
  receiver.answer = away;
  await happens('job-1', 'job.done');
  for (let hour = 0; hour < 25; hour++) {
    await deliver();
    nowMs += 60 * minuteMs;
  }
  await happens('job-2', 'job.done');
  await deliver();
  const delivery = await deliveryOf('a');
  expect(stateOf(delivery, nowMs)).toBe('failing');
  expect(delivery.missedBeforeMs).not.toBeNull();
  expect(log.lines.some((line) => line.WebhooksFailing === 1)).toBe(true);
  receiver.answer = well;
  nowMs = delivery.nextAtMs;
  await deliver();
  expect(receivedBy(receiver)).toEqual(['job-2 job.done']);
  expect(stateOf(await deliveryOf('a'), nowMs)).toBe('active');
});

test('of many that deliver at once one does, and one that died holds nobody for long', async () => {
  const receiver = await receive('a');
  for (let job = 0; job < 30; job++) await happens(`job-${job}`, 'job.done');
  await Promise.all(Array.from({ length: 8 }, deliver));
  expect(new Set(receivedBy(receiver)).size).toBe(30);
  expect(receiver.taken).toHaveLength(30);
  const held = await deliveryOf('a');
  const busy = { ...held, busyUntilMs: nowMs + deliveryClaimMs, turn: held.turn + 1 };
  await stores.webhooks.save('a', busy, held.turn);
  await happens('job-30', 'job.done');
  await deliver();
  expect(receiver.taken).toHaveLength(30);
  nowMs += deliveryClaimMs;
  await deliver();
  expect(receiver.taken).toHaveLength(31);
});

test('what happens while it is being sent to is sent as well', async () => {
  const receiver = await receive('a');
  await happens('job-1', 'job.done');
  let isFirst = true;
  receiver.answer = () => {
    if (isFirst) void happens('job-2', 'job.done');
    isFirst = false;
    return well();
  };
  await deliver();
  expect(receivedBy(receiver)).toEqual(['job-1 job.done', 'job-2 job.done']);
  expect((await deliveryOf('a')).busyUntilMs).toBe(0);
});

test('the signature is what openssl makes of time and body', async () => {
  const receiver = await receive('a');
  await happens('job-1', 'job.done', { detail: 'grüße ✓' });
  await deliver();
  const [{ headers, body }] = receiver.taken as [Sent];
  const [, seconds, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['edgewise-signature']!)!;
  const options = { input: `${seconds}.${body}` };
  const said = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], options).toString();
  expect(said.trim().split(' ').at(-1)).toBe(mac);
  expect(Number(seconds)).toBe(nowMs / 1_000);
  expect(headers['edgewise-event']).toBe(JSON.parse(body).id);
  expect(body).not.toContain(secret);
});
