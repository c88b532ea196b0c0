/**
 * Sessions with cleanSession 0: what waits for a client that is away, how long, and over restarts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DeleteConnectionCommand,
  ListSubscriptionsCommand,
  UpdateThingShadowCommand,
} from '@aws-sdk/client-iot-data-plane';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openJournal } from '../../../../services/iot/journal.ts';
import {
  sessionMessagesMax,
  sessionMessagesPerSecondMax,
} from '../../../../services/iot/limits.ts';
import { persistentSessions } from '../../../../services/iot/sessions/persistent-sessions.ts';
import { sessionSchema, sessionStore } from '../../../../services/iot/sessions/store.ts';
import { type Credentials, type Fixture, inbox, startFixture } from '../fixture.ts';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'iot-session-'));
  folders.push(folder);
  return folder;
};

let iot: Fixture;
let watcher: MqttClient;
let events: ReturnType<typeof inbox>;

beforeAll(async () => {
  iot = await startFixture();
  watcher = await iot.operator('watcher');
  events = inbox(watcher);
  await watcher.subscribeAsync('$aws/events/presence/disconnected/#', { qos: 1 });
});
afterAll(async () => {
  await iot.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Back = { readonly present: boolean; readonly box: ReturnType<typeof inbox> };

/** Connects and tells whether there was a session, with all that comes from the first packet on. */
async function back(
  to: Fixture,
  edge: Credentials,
  options: { clean?: boolean; mute?: boolean } = {},
): Promise<Back & { readonly client: MqttClient }> {
  let present = false;
  let box: ReturnType<typeof inbox> | undefined;
  const client = await to.connect(edge, { clean: options.clean ?? false }, (made) => {
    made.once('connect', (connack) => {
      present = connack.sessionPresent;
    });
    // Without its end a message is never acknowledged.
    if (options.mute === true) made.handleMessage = () => undefined;
    box = inbox(made);
  });
  return { client, present, box: box! };
}

/** An edge that subscribed, left, and whose leaving is known. */
async function asleep(name: string, filters: readonly string[], at: Fixture = iot) {
  const edge = await at.enrol(name);
  const { client } = await back(at, edge);
  for (const filter of filters) await client.subscribeAsync(filter, { qos: 1 });
  await leave(client, name);
  return edge;
}

async function leave(client: MqttClient, name: string): Promise<void> {
  const from = events.received.length;
  await client.endAsync();
  await events.next(`/disconnected/${name}`, from);
}

const texts = (box: ReturnType<typeof inbox>) => box.received.map(({ payload }) => String(payload));

test('what came while the client was away is delivered in order, and once', async () => {
  const edge = await asleep('edge-asleep', ['letters/#']);
  for (const text of ['one', 'two', 'three']) {
    await watcher.publishAsync('letters/a', text, { qos: 1 });
  }
  await watcher.publishAsync('letters/a', 'not kept', { qos: 0 });
  await watcher.publishAsync('other', 'not wanted', { qos: 1 });
  const first = await back(iot, edge);
  expect(first.present).toBe(true);
  await first.box.count(3);
  await leave(first.client, 'edge-asleep');
  const second = await back(iot, edge);
  await watcher.publishAsync('letters/b', 'four', { qos: 1 });
  await second.box.next('letters/b');
  expect(texts(first.box)).toEqual(['one', 'two', 'three']);
  expect(texts(second.box)).toEqual(['four']);
});

test('a message that was not acknowledged comes again', async () => {
  const edge = await asleep('edge-mute', ['letters']);
  const mute = await back(iot, edge, { mute: true });
  const seen = new Promise((resolve) => mute.client.once('packetreceive', resolve));
  await watcher.publishAsync('letters', 'again', { qos: 1 });
  await seen;
  mute.client.stream.destroy();
  await events.next('/disconnected/edge-mute', events.received.length - 1);
  const { box } = await back(iot, edge);
  expect(String((await box.next('letters')).payload)).toBe('again');
});

test('a second connection takes the session over, with what was not acknowledged', async () => {
  const edge = await asleep('edge-moved', ['letters']);
  const mute = await back(iot, edge, { mute: true });
  const seen = new Promise((resolve) => mute.client.once('packetreceive', resolve));
  await watcher.publishAsync('letters', 'first', { qos: 1 });
  await seen;
  const over = await back(iot, edge);
  expect(over.present).toBe(true);
  expect(String((await over.box.next('letters')).payload)).toBe('first');
  await watcher.publishAsync('letters', 'second', { qos: 1 });
  await over.box.count(2);
  await leave(over.client, 'edge-moved');
  const again = await back(iot, edge);
  await watcher.publishAsync('letters', 'third', { qos: 1 });
  await again.box.next('letters');
  expect(texts(again.box)).toEqual(['third']);
});

test('a shadow update over HTTP reaches the session of a client that is away', async () => {
  const edge = await asleep('edge-shadow', ['$aws/things/edge-shadow/shadow/update/delta']);
  const payload = Buffer.from('{"state":{"desired":{"on":true}}}');
  await iot.data.send(new UpdateThingShadowCommand({ thingName: 'edge-shadow', payload }));
  const { box } = await back(iot, edge);
  expect(JSON.parse(texts({ ...box, received: [await box.next('delta')] })[0]!)).toMatchObject({
    state: { on: true },
  });
});

test('a session without subscriptions is a session', async () => {
  const edge = await asleep('edge-bare', []);
  expect((await back(iot, edge)).present).toBe(true);
});

test('a clean connection ends the session and what waits in it', async () => {
  const edge = await asleep('edge-clean', ['letters']);
  await watcher.publishAsync('letters', 'lost', { qos: 1 });
  const clean = await back(iot, edge, { clean: true });
  expect(clean.present).toBe(false);
  await leave(clean.client, 'edge-clean');
  const after = await back(iot, edge);
  expect(after.present).toBe(false);
  await watcher.publishAsync('letters', 'nobody listens', { qos: 1 });
  await after.client.subscribeAsync('letters', { qos: 1 });
  await watcher.publishAsync('letters', 'heard', { qos: 1 });
  await after.box.next('letters');
  expect(texts(after.box)).toEqual(['heard']);
});

test('unsubscribing and filters that were refused leave nothing behind', async () => {
  const edge = await iot.enrol('edge-choosy');
  const { client } = await back(iot, edge);
  await client.subscribeAsync(['a', '$share/x/b', 'c', 'd'], { qos: 1 }).catch(() => undefined);
  await client.unsubscribeAsync('c');
  await leave(client, 'edge-choosy');
  const listed = await iot.data.send(new ListSubscriptionsCommand({ clientId: 'edge-choosy' }));
  expect(listed.subscriptions?.map(({ topicFilter }) => topicFilter).sort()).toEqual(['a', 'd']);
});

test('stored messages come at ten a second', async () => {
  const edge = await asleep('edge-many', ['letters']);
  for (let at = 0; at < 21; at++) await watcher.publishAsync('letters', String(at), { qos: 1 });
  const startedAtMs = Date.now();
  const { box } = await back(iot, edge);
  await box.count(21);
  expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(1_900);
  expect(texts(box)).toEqual(Array.from({ length: 21 }, (_, at) => String(at)));
});

test('DeleteConnection can take the session along, also of a client that is away', async () => {
  const edge = await asleep('edge-gone', ['letters']);
  const clientId = 'edge-gone';
  await iot.data.send(new DeleteConnectionCommand({ clientId }));
  const kept = await back(iot, edge);
  expect(kept.present).toBe(true);
  await leave(kept.client, clientId);
  await iot.data.send(new DeleteConnectionCommand({ clientId, cleanSession: true }));
  expect((await back(iot, edge)).present).toBe(false);
  await expect(
    iot.data.send(new DeleteConnectionCommand({ clientId: 'edge-never' })),
  ).rejects.toThrow(/not connected/);
});

test('a session outlives a restart, with its filters and its messages', async () => {
  const stateDir = newFolder();
  const first = await startFixture({ stateDir });
  const edge = await first.enrol('edge-1');
  const before = await back(first, edge);
  await before.client.subscribeAsync('letters/+', { qos: 1 });
  await before.client.endAsync();
  await expect.poll(() => first.service.counters()['sessionsWaiting']).toBe(1);
  const writer = await first.operator();
  await writer.publishAsync('letters/a', 'before', { qos: 1 });
  await first.close();

  const second = await startFixture({ stateDir });
  onTestFinished(() => second.close());
  expect(second.service.counters()['sessionsWaiting']).toBe(1);
  await (await second.operator()).publishAsync('letters/b', 'after', { qos: 1 });
  const after = await back(second, edge);
  expect(after.present).toBe(true);
  await after.box.count(2);
  expect(texts(after.box)).toEqual(['before', 'after']);
});

test('a session ends after its time, also when that passes over a restart', async () => {
  const timing = { sessionExpiryMs: 30 };
  const stateDir = newFolder();
  const first = await startFixture({ stateDir, timing });
  const edge = await first.enrol('edge-1');
  const { client } = await back(first, edge);
  await client.subscribeAsync('letters', { qos: 1 });
  await client.endAsync();
  await first.close();
  const second = await startFixture({ stateDir, timing });
  onTestFinished(() => second.close());
  await expect.poll(() => second.service.counters()['sessionsWaiting']).toBe(0);
  expect((await back(second, edge)).present).toBe(false);
});

test('queues are bounded: the older messages stay, the excess is dropped', async () => {
  const folder = newFolder();
  const journal = openJournal(join(folder, 'state.sqlite'), sessionSchema);
  onTestFinished(() => journal.close());
  let nowMs = 0;
  const store = sessionStore(journal.database);
  const sessions = persistentSessions({ journal, store, expiryMs: 60_000, nowMs: () => nowMs });
  onTestFinished(() => sessions.close());
  await sessions.open('edge-1');
  await sessions.subscribe('edge-1', [{ topic: 'a', qos: 1 }]);
  sessions.left('edge-1');
  const publish = async (count: number, first: number) => {
    for (let at = 0; at < count; at++) {
      const message = { topic: 'a', payload: Buffer.from(String(first + at)), qos: 1 } as const;
      sessions.hold(await journal.write(() => sessions.keep(message)));
    }
  };
  await publish(sessionMessagesPerSecondMax + 1, 0);
  expect(sessions.unsent('edge-1')).toHaveLength(sessionMessagesPerSecondMax);
  for (let second = 1; second < 4; second++) {
    nowMs = second * 1000;
    await publish(sessionMessagesPerSecondMax, second * 1000);
  }
  const unsent = sessions.unsent('edge-1');
  expect(unsent).toHaveLength(sessionMessagesMax);
  expect(String(unsent[0]!.payload)).toBe('0');
  expect(sessions.counters().sessionMessagesDropped).toBe(
    1 + 4 * sessionMessagesPerSecondMax - sessionMessagesMax,
  );
  expect(store.all()[0]!.messages).toHaveLength(sessionMessagesMax);
});
