/**
 * How connections end, with real MQTT clients over TLS: the events about it with their reasons,
 * what becomes of wills, and what is known of a client afterwards.
 */
import { once } from 'node:events';
import { connect as tlsConnect } from 'node:tls';
import { UpdateCertificateCommand } from '@aws-sdk/client-iot';
import { DeleteConnectionCommand, GetConnectionCommand } from '@aws-sdk/client-iot-data-plane';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keepAliveOf } from '../../../../services/iot/broker/broker.ts';
import { keepAliveSecondsMin } from '../../../../services/iot/limits.ts';
import { type Fixture, inbox, json, startFixture } from '../fixture.ts';
import { closed, type PresenceWatcher, watchPresence } from '../presence-watcher.ts';

let iot: Fixture;
let watcher: MqttClient;
let events: PresenceWatcher['events'];
let presence: PresenceWatcher['presence'];

beforeAll(async () => {
  iot = await startFixture({ timing: { keepAliveSecondsMin: 1 } });
  ({ client: watcher, events, presence } = await watchPresence(iot));
});
afterAll(() => iot.close());

/** "disconnected for sending more than 1 MQTT CONNECT packet on the same connection" */
const secondConnect = Buffer.from([
  0x10, 0x0d, 0x00, 0x04, 0x4d, 0x51, 0x54, 0x54, 0x04, 0x02, 0x00, 0x3c, 0x00, 0x01, 0x61,
]);

test('connected and disconnected have one number, the next connection a higher one', async () => {
  const edge = await iot.enrol('edge-counted');
  const client = await iot.connect(edge);
  const first = await presence('connected', edge.thing);
  expect(first).toEqual({
    clientId: edge.thing,
    timestamp: expect.closeTo(Date.now(), -5),
    eventType: 'connected',
    sessionIdentifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
    principalIdentifier: edge.certificateId,
    ipAddress: '127.0.0.1',
    versionNumber: 0,
  });
  await client.endAsync();
  const end = await presence('disconnected', edge.thing);
  expect(end).toEqual({
    clientId: edge.thing,
    timestamp: expect.closeTo(Date.now(), -5),
    eventType: 'disconnected',
    sessionIdentifier: first['sessionIdentifier'],
    principalIdentifier: edge.certificateId,
    clientInitiatedDisconnect: true,
    disconnectReason: 'CLIENT_INITIATED_DISCONNECT',
    versionNumber: 0,
  });
  const from = events.received.length;
  await iot.connect(edge);
  expect(await presence('connected', edge.thing, from)).toMatchObject({ versionNumber: 1 });
});

test('a second client with the same id takes over', async () => {
  const edge = await iot.enrol('edge-twice');
  const first = await iot.connect(edge);
  const end = closed(first);
  const second = await iot.connect(edge);
  await end;
  expect(second.connected).toBe(true);
  expect(await presence('disconnected', edge.thing)).toMatchObject({
    disconnectReason: 'DUPLICATE_CLIENTID',
    versionNumber: 0,
  });
});

test('what a client did wrong is its error, and its will is published', async () => {
  const box = inbox(watcher);
  await watcher.subscribeAsync('wills/+', { qos: 1 });
  const wrongs: Record<string, (client: MqttClient) => void> = {
    large: (client) => client.publish('x', Buffer.alloc(128 * 1024 + 1), { qos: 1 }),
    exact: (client) => client.publish('x', 'y', { qos: 2 }),
    again: (client) => client.stream.write(secondConnect),
  };
  for (const [name, wrong] of Object.entries(wrongs)) {
    const edge = await iot.enrol(`edge-${name}`);
    const will = { topic: `wills/${name}`, payload: Buffer.from('gone'), qos: 1 as const };
    wrong(await iot.connect(edge, { will }));
    expect(await presence('disconnected', edge.thing), name).toMatchObject({
      clientInitiatedDisconnect: false,
      disconnectReason: 'CLIENT_ERROR',
    });
    await box.next(`wills/${name}`);
  }
});

test('a lost connection publishes the will, a clean end does not', async () => {
  const edge = await iot.enrol('edge-mortal');
  const box = inbox(watcher);
  await watcher.subscribeAsync('wills/#', { qos: 1 });
  const will = { topic: 'wills/edge-mortal', payload: Buffer.from('gone'), qos: 1 as const };
  const clean = await iot.connect(edge, { will: { ...will, payload: Buffer.from('clean') } });
  await clean.endAsync();
  const client = await iot.connect(edge, { will });
  const from = events.received.length;
  client.stream.destroy();
  expect((await box.next('wills/edge-mortal')).payload.toString()).toBe('gone');
  expect(await presence('disconnected', edge.thing, from)).toMatchObject({
    disconnectReason: 'CONNECTION_LOST',
  });
});

test('a will with QoS 2 or on a topic that is too long admits nobody', async () => {
  const edge = await iot.enrol('edge-demanding');
  const payload = Buffer.from('x');
  for (const will of [
    { topic: 'wills/x', payload, qos: 2 as const },
    { topic: 'x'.repeat(257), payload, qos: 1 as const },
  ]) {
    await expect(iot.connect(edge, { will })).rejects.toThrow(/Not authorized/i);
  }
});

test('subscribing and unsubscribing are events, with what was granted', async () => {
  const edge = await iot.enrol('edge-listening');
  const box = inbox(watcher);
  await watcher.subscribeAsync('$aws/events/subscriptions/+/edge-listening', { qos: 1 });
  const client = await iot.connect(edge);
  await client.subscribeAsync(['a', '$share/g/b', 'c'], { qos: 1 }).catch(() => undefined);
  const common = {
    clientId: edge.thing,
    timestamp: expect.closeTo(Date.now(), -5),
    sessionIdentifier: expect.stringMatching(/^[0-9a-f-]{36}$/),
    principalIdentifier: edge.certificateId,
  };
  expect(json((await box.next('/subscribed/edge-listening')).payload)).toEqual({
    ...common,
    eventType: 'subscribed',
    topics: ['a', 'c'],
  });
  await client.unsubscribeAsync('a');
  expect(json((await box.next('/unsubscribed/edge-listening')).payload)).toEqual({
    ...common,
    eventType: 'unsubscribed',
    topics: ['a'],
  });
});

test('a will on a shadow topic is seen but is no request', async () => {
  const edge = await iot.enrol('edge-willful');
  const topic = '$aws/things/edge-willful/shadow/update';
  const box = inbox(watcher);
  await watcher.subscribeAsync('$aws/things/edge-willful/shadow/#', { qos: 1 });
  const payload = Buffer.from('{"state":{"reported":{"alive":false}}}');
  const client = await iot.connect(edge, { will: { topic, payload, qos: 1 } });
  client.stream.destroy();
  await box.next('shadow/update');
  await watcher.publishAsync('$aws/things/edge-willful/shadow/get', '', { qos: 1 });
  expect(json((await box.next('get/rejected')).payload)).toMatchObject({ code: 404 });
});

test('a client that is silent for one and a half keep-alive intervals is cut off', async () => {
  const edge = await iot.enrol('edge-silent');
  const socket = tlsConnect({
    host: '127.0.0.1',
    port: iot.service.mqttPort,
    ca: iot.service.caPem,
    cert: edge.cert,
    key: edge.key,
  });
  const id = Buffer.from(edge.thing);
  const header = Buffer.from([0, 4, ...Buffer.from('MQTT'), 4, 2, 0, 1, 0, id.length]);
  const connectedAtMs = Date.now();
  socket.write(Buffer.concat([Buffer.from([0x10, header.length + id.length]), header, id]));
  await once(socket.resume(), 'close');
  expect(Date.now() - connectedAtMs).toBeGreaterThanOrEqual(1500);
  expect(await presence('disconnected', edge.thing)).toMatchObject({
    disconnectReason: 'MQTT_KEEP_ALIVE_TIMEOUT',
  });
});

test('keep-alive stays within 30 and 1200 seconds', () => {
  expect(
    [0, 1, 30, 60, 1200, 1201].map((seconds) => keepAliveOf(seconds, keepAliveSecondsMin)),
  ).toEqual([1200, 30, 30, 60, 1200, 1200]);
});

test('a revoked certificate loses its connection', async () => {
  const edge = await iot.enrol('edge-revoked');
  const client = await iot.connect(edge);
  const end = closed(client);
  const { certificateId } = edge;
  await iot.control.send(new UpdateCertificateCommand({ certificateId, newStatus: 'REVOKED' }));
  await end;
  await expect(iot.connect(edge)).rejects.toThrow(/Not authorized/i);
});

test('DeleteConnection closes and GetConnection remembers why', async () => {
  const edge = await iot.enrol('edge-removed');
  const client = await iot.connect(edge);
  const clientId = edge.thing;
  const about = { clientId, thingName: clientId, cleanSession: true, sessionExpiry: 0 };
  const known = { ...about, keepAliveDuration: 60 };
  const get = async (includeSocketInformation?: boolean) => {
    const command = new GetConnectionCommand({ clientId, includeSocketInformation });
    const { $metadata, ...answer } = await iot.data.send(command);
    return answer;
  };
  const connectedSince = expect.closeTo(Date.now(), -5);
  expect(await get()).toEqual({ ...known, connected: true, connectedSince });
  expect(await get(true)).toEqual({
    ...known,
    connected: true,
    connectedSince,
    sourceIp: '127.0.0.1',
    sourcePort: expect.any(Number),
    targetIp: '127.0.0.1',
    targetPort: iot.service.mqttPort,
  });
  const end = closed(client);
  await iot.data.send(new DeleteConnectionCommand({ clientId }));
  await end;
  expect(await presence('disconnected', clientId)).toMatchObject({
    disconnectReason: 'API_INITIATED_DISCONNECT',
  });
  expect(await get()).toEqual({
    ...known,
    connected: false,
    disconnectedSince: expect.closeTo(Date.now(), -5),
    disconnectReason: 'API_INITIATED_DISCONNECT',
  });
});
