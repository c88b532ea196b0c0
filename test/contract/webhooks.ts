import { expect, test } from 'vitest';
import { newDelivery, type Webhook } from '../../core/webhooks/webhook.ts';
import { startMs } from '../core/cell-fixture.ts';
import { auditOf } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const webhook: Webhook = {
  id: '0a',
  url: 'https://example.com/hook?x=ä',
  kinds: ['job.done', 'edge.*'],
  pool: null,
  job: 'nightly',
  secret: 'a secret that nobody sees',
  sees: { scopes: ['jobs:read'], pool: 'north', queue: null },
  createdAtMs: startMs,
  createdBy: 'token:a',
};
const fresh = newDelivery({ batch: 7, events: 3 });

/** What every store promises of webhooks: one sends to a receiver at a time. */
export const webhooksContract: Contract = (makeStores) => {
  test('a webhook is read as it was stored, alone and among others', async () => {
    const { webhooks } = await makeStores();
    expect(await webhooks.find('0a')).toBeNull();
    const other = { webhook: { ...webhook, id: '0b', job: null, pool: 'p' }, delivery: fresh };
    await webhooks.create(other.webhook, other.delivery, auditOf('x'));
    await webhooks.create(webhook, fresh, auditOf('x'));
    expect(await webhooks.find('0a')).toEqual({ webhook, delivery: fresh });
    expect(await webhooks.list()).toEqual([{ webhook, delivery: fresh }, other]);
  });

  test('of two that send to it one goes on from what it saw', async () => {
    const { webhooks } = await makeStores();
    await webhooks.create(webhook, fresh, auditOf('x'));
    const last = { atMs: startMs, event: 'e', status: null, error: 'timeout' };
    const times = { failingSinceMs: startMs, nextAtMs: startMs + 5, busyUntilMs: startMs + 9 };
    const next = { ...fresh, ...times, position: null, failures: 2, last, turn: 2 };
    expect(await webhooks.save('0a', next, 1)).toBe(true);
    expect(await webhooks.save('0a', { ...next, failures: 9 }, 1)).toBe(false);
    expect((await webhooks.find('0a'))?.delivery).toEqual(next);
    expect(await webhooks.save('0b', next, 1)).toBe(false);
  });

  test('a receiver that is no webhook begins once, and is in no list', async () => {
    const { webhooks } = await makeStores();
    expect(await webhooks.deliveryOf('bus')).toBeNull();
    expect(await webhooks.begin('bus', newDelivery(null))).toBe(true);
    expect(await webhooks.begin('bus', fresh)).toBe(false);
    expect(await webhooks.deliveryOf('bus')).toEqual(newDelivery(null));
    expect(await webhooks.save('bus', { ...fresh, turn: 2 }, 1)).toBe(true);
    expect(await webhooks.list()).toEqual([]);
    expect(await webhooks.find('bus')).toBeNull();
  });

  test('one that is gone is sent nothing more', async () => {
    const { webhooks } = await makeStores();
    await webhooks.create(webhook, fresh, auditOf('x'));
    expect(await webhooks.remove('0a')).toBe(true);
    expect(await webhooks.remove('0a')).toBe(false);
    expect(await webhooks.save('0a', { ...fresh, turn: 2 }, 1)).toBe(false);
    expect(await webhooks.find('0a')).toBeNull();
    expect(await webhooks.list()).toEqual([]);
  });
};
