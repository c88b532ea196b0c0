/** The broker with real MQTT clients over TLS: who gets in, what they may do, how it ends. */
import { once } from 'node:events';
import { connect as tlsConnect } from 'node:tls';
import {
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import { DeleteConnectionCommand, GetConnectionCommand } from '@aws-sdk/client-iot-data-plane';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keepAliveOf } from '../../../local/iot/broker.ts';
import { keepAliveSecondsMin } from '../../../local/iot/limits.ts';
import {
  type Credentials,
  type Fixture,
  inbox,
  json,
  signingRequest,
  startFixture,
} from './fixture.ts';

let iot: Fixture;
let watcher: MqttClient;
let events: ReturnType<typeof inbox>;

beforeAll(async () => {
  iot = await startFixture({ timing: { keepAliveSecondsMin: 1 } });
  watcher = await iot.operator('watcher');
  events = inbox(watcher);
  await watcher.subscribeAsync('$aws/events/presence/#', { qos: 1 });
});
afterAll(() => iot.close());

const closed = (client: MqttClient): Promise<void> =>
  new Promise((resolve) => client.once('close', () => resolve()));
const presence = async (kind: string, clientId: string, from = 0) =>
  json((await events.next(`/${kind}/${clientId}`, from)).payload);

describe('who gets in', () => {
  test('a client without a certificate does not', async () => {
    await expect(iot.connect({ thing: 'x', cert: '', key: '' } as Credentials)).rejects.toThrow();
  });

  test('a certificate of another authority does not', async () => {
    const other = await startFixture();
    try {
      const stranger = await other.enrol('edge-other');
      await expect(iot.connect(stranger)).rejects.toThrow();
    } finally {
      await other.close();
    }
  });

  test('a certificate that is not active does not', async () => {
    const edge = await iot.enrol('edge-inactive');
    const { certificateId } = edge;
    await iot.control.send(new UpdateCertificateCommand({ certificateId, newStatus: 'INACTIVE' }));
    await expect(iot.connect(edge)).rejects.toThrow(/Not authorized/i);
    await iot.control.send(new UpdateCertificateCommand({ certificateId, newStatus: 'ACTIVE' }));
    await iot.connect(edge);
  });

  test('a client id that is not the name of the attached thing does not', async () => {
    const edge = await iot.enrol('edge-a', ['edge']);
    await iot.enrol('edge-b', ['edge']);
    await expect(iot.connect(edge, { clientId: 'edge-b' })).rejects.toThrow(/Not authorized/i);
    const refused = await presence('connect_failed', 'edge-b');
    expect(refused).toMatchObject({
      eventType: 'connect_failed',
      connectFailureReason: 'AUTHORIZATION_FAILED',
      principalIdentifier: edge.certificateId,
    });
  });

  test('a certificate whose thing was detached does not', async () => {
    const edge = await iot.enrol('edge-detached', ['edge']);
    await iot.control.send(
      new DetachThingPrincipalCommand({ thingName: edge.thing, principal: edge.certificateArn }),
    );
    await expect(iot.connect(edge)).rejects.toThrow(/Not authorized/i);
  });

  test('an empty client id or one of 129 bytes does not', async () => {
    const edge = await iot.enrol('edge-ids');
    await expect(iot.connect(edge, { clientId: 'x'.repeat(129) })).rejects.toThrow();
    await expect(iot.connect(edge, { clientId: '', clean: true })).rejects.toThrow();
    await iot.connect(edge, { clientId: 'x'.repeat(128) });
  });

  test('MQTT 5 is refused in its own words', async () => {
    const edge = await iot.enrol('edge-five');
    const attempt = iot.connect(edge, { protocolVersion: 5 });
    await expect(attempt).rejects.toThrow(/Unsupported Protocol Version/i);
    expect(iot.logs.join('\n')).toContain('MQTT 5');
  });

  test('the protocol name of port 443 is accepted', async () => {
    const edge = await iot.enrol('edge-alpn');
    await iot.connect(edge, { ALPNProtocols: ['x-amzn-mqtt-ca'] } as object);
  });
});

describe('what a client may do', () => {
  test('a forbidden publish ends the connection', async () => {
    const edge = await iot.enrol('edge-forbidden', ['edge']);
    const client = await iot.connect(edge);
    const end = closed(client);
    client.publish('$aws/things/edge-forbidden/shadow/name/work/update', '{"state":{}}');
    await end;
    expect(await presence('disconnected', edge.thing)).toMatchObject({
      disconnectReason: 'AUTH_ERROR',
    });
  });

  test('a publish for another thing ends the connection', async () => {
    const edge = await iot.enrol('edge-nosy', ['edge']);
    const client = await iot.connect(edge);
    const end = closed(client);
    client.publish('$aws/things/edge-a/shadow/name/prog/update', '{"state":{}}');
    await end;
  });

  test('a forbidden subscription is answered with 128 and the connection stays', async () => {
    const edge = await iot.enrol('edge-curious', ['edge']);
    const client = await iot.connect(edge);
    for (const filter of [
      '#',
      '$aws/#',
      '$aws/things/edge-a/shadow/name/prog/update/accepted',
      '$SYS/#',
    ]) {
      await expect(client.subscribeAsync(filter)).rejects.toThrow(/128|Unspecified error/);
    }
    await client.subscribeAsync('$aws/things/edge-curious/shadow/name/prog/update/accepted');
    expect(client.connected).toBe(true);
  });

  test('a message without iot:Receive is not delivered', async () => {
    const edge = await iot.enrol('edge-deaf');
    const client = await iot.connect(edge);
    const box = inbox(client);
    await client.subscribeAsync('news/one', { qos: 1 });
    await watcher.publishAsync('news/one', 'first', { qos: 1 });
    await box.count(1);
    const rights = { policyName: 'open', target: edge.certificateArn };
    await iot.control.send(new DetachPolicyCommand(rights));
    const from = events.received.length;
    await watcher.subscribeAsync('news/#', { qos: 1 });
    await watcher.publishAsync('news/one', 'second', { qos: 1 });
    await events.next('news/one', from);
    expect(box.received.map(({ payload }) => payload.toString())).toEqual(['first']);
  });

  test.each<[string, string, Buffer]>([
    ['a payload of more than 128 KB', 'a', Buffer.alloc(128 * 1024 + 1)],
    ['a topic of more than 256 bytes', 'a'.repeat(257), Buffer.alloc(0)],
    ['a topic with eight slashes', 'a/b/c/d/e/f/g/h/i', Buffer.alloc(0)],
    ['a topic that AWS publishes itself', '$aws/things/x/shadow/update/accepted', Buffer.alloc(0)],
    ['a reserved topic that does not exist', '$other/x', Buffer.alloc(0)],
  ])('%s ends the connection', async (what, topic, payload) => {
    const thing = `edge-${what.replaceAll(/\W/g, '-').slice(0, 100)}`;
    const client = await iot.connect(await iot.enrol(thing));
    const end = closed(client);
    client.publish(topic, payload, { qos: 1 });
    await end;
    expect(await presence('disconnected', thing)).toMatchObject({
      disconnectReason: 'CLIENT_ERROR',
      clientInitiatedDisconnect: false,
    });
  });

  test('a payload of 128 KB and a topic with seven slashes are fine', async () => {
    const client = await iot.connect(await iot.enrol('edge-large'));
    await client.publishAsync('a/b/c/d/e/f/g/h', Buffer.alloc(128 * 1024), { qos: 1 });
  });

  test('QoS 2 ends the connection', async () => {
    const client = await iot.connect(await iot.enrol('edge-qos2'));
    const end = closed(client);
    client.publish('a', 'b', { qos: 2 });
    await end;
  });

  test('eight filters in one SUBSCRIBE, not nine', async () => {
    const client = await iot.connect(await iot.enrol('edge-nine'));
    const filters = (count: number) => Array.from({ length: count }, (_, at) => `t/${at}`);
    expect(await client.subscribeAsync(filters(8))).toHaveLength(8);
    const end = closed(client);
    client.subscribe(filters(9));
    await end;
  });

  test('fifty subscriptions on a connection, not one more', async () => {
    const client = await iot.connect(await iot.enrol('edge-fifty'));
    for (let at = 0; at < 50; at++) await client.subscribeAsync(`s/${at}`);
    await expect(client.subscribeAsync('s/50')).rejects.toThrow();
    await client.subscribeAsync('s/0', { qos: 1 });
  });

  test('what a connection publishes beyond 100 a second is dropped', async () => {
    const client = await iot.connect(await iot.enrol('edge-loud'));
    const before = iot.service.counters()['publishesDiscarded']!;
    for (let at = 0; at < 150; at++) client.publish('loud', String(at), { qos: 0 });
    const box = inbox(watcher);
    await watcher.subscribeAsync('loud-end', { qos: 1 });
    await client.subscribeAsync('loud-end');
    await watcher.publishAsync('loud-end', '', { qos: 1 });
    await box.next('loud-end');
    expect(iot.service.counters()['publishesDiscarded']! - before).toBeGreaterThanOrEqual(40);
  });

  test('more than ten shadow requests at the same time are too many', async () => {
    const client = await iot.connect(await iot.enrol('edge-hasty'));
    const box = inbox(client);
    await client.subscribeAsync('$aws/things/edge-hasty/shadow/get/+', { qos: 0 });
    for (let at = 0; at < 14; at++) client.publish('$aws/things/edge-hasty/shadow/get', '');
    const answers = (await box.count(14)).map(({ payload }) => json(payload)['code']);
    expect(answers.filter((code) => code === 404)).toHaveLength(10);
    expect(answers.filter((code) => code === 429)).toHaveLength(4);
  });

  test('twenty requests a second to one shadow, not more', async () => {
    const client = await iot.connect(await iot.enrol('edge-busy'));
    const box = inbox(client);
    await client.subscribeAsync('$aws/things/edge-busy/shadow/get/+', { qos: 0 });
    for (let at = 1; at <= 25; at++) {
      await client.publishAsync('$aws/things/edge-busy/shadow/get', '', { qos: 1 });
      await box.count(at);
    }
    const codes = box.received.map(({ payload }) => json(payload)['code']);
    expect(codes.slice(0, 20)).toEqual(Array(20).fill(404));
    expect(codes.at(-1)).toBe(429);
  });
});

describe('how it ends', () => {
  test('connected and disconnected carry one number, the next connection a higher one', async () => {
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
    const connected = await iot.data.send(new GetConnectionCommand({ clientId }));
    expect(connected).toMatchObject({ connected: true, thingName: clientId, cleanSession: true });
    const end = closed(client);
    await iot.data.send(new DeleteConnectionCommand({ clientId }));
    await end;
    expect(await presence('disconnected', clientId)).toMatchObject({
      disconnectReason: 'API_INITIATED_DISCONNECT',
    });
    expect(await iot.data.send(new GetConnectionCommand({ clientId }))).toMatchObject({
      connected: false,
      disconnectReason: 'API_INITIATED_DISCONNECT',
    });
  });
});

describe('retained messages', () => {
  test('come to an exact filter, not to a wildcard, and go with an empty payload', async () => {
    const client = await iot.connect(await iot.enrol('edge-retain'));
    await client.publishAsync('kept/one', 'v1', { qos: 1, retain: true });
    const late = await iot.connect(await iot.enrol('edge-late'));
    const box = inbox(late);
    await late.subscribeAsync('kept/+', { qos: 1 });
    await late.subscribeAsync('kept/one', { qos: 1 });
    expect((await box.count(1))[0]?.payload.toString()).toBe('v1');
    await client.publishAsync('kept/one', '', { qos: 1, retain: true });
    const later = await iot.connect(await iot.enrol('edge-later'));
    const empty = inbox(later);
    await later.subscribeAsync('kept/one', { qos: 1 });
    await client.publishAsync('kept/one', 'live', { qos: 1 });
    expect((await empty.count(1))[0]?.payload.toString()).toBe('live');
  });

  test('do not exist on reserved topics', async () => {
    const edge = await iot.enrol('edge-retain-reserved');
    const client = await iot.connect(edge);
    const end = closed(client);
    client.publish('$aws/things/x/shadow/get', '', { retain: true });
    await end;
  });
});

test('a signing request that is none is refused with a sentence', async () => {
  const { csr } = await signingRequest('x');
  const broken = csr.replace(/[A-Za-z]{8}/g, 'AAAAAAAA');
  const { CreateCertificateFromCsrCommand } = await import('@aws-sdk/client-iot');
  await expect(
    iot.control.send(new CreateCertificateFromCsrCommand({ certificateSigningRequest: broken })),
  ).rejects.toMatchObject({ name: 'InvalidRequestException' });
});
