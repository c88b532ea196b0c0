/** The broker with real MQTT clients over TLS: who gets in and what they may do. */
import {
  DetachPolicyCommand,
  DetachThingPrincipalCommand,
  UpdateCertificateCommand,
} from '@aws-sdk/client-iot';
import type { MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Credentials,
  type Fixture,
  inbox,
  json,
  signingRequest,
  startFixture,
} from '../fixture.ts';
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
});

describe('the size of messages and topics', () => {
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

  test('the prefix of Basic Ingest counts neither for bytes nor for slashes', async () => {
    const client = await iot.connect(await iot.enrol('edge-ingest'));
    const prefix = '$aws/rules/some_rule/';
    await client.publishAsync(`${prefix}1/2/3/4/5/6/7/8`, 'x', { qos: 1 });
    await client.publishAsync(`${prefix}${'x'.repeat(256)}`, 'x', { qos: 1 });
    const end = closed(client);
    client.publish(`${prefix}${'x'.repeat(257)}`, 'x', { qos: 1 });
    await end;
  });

  test('# is all that is below a topic, not the topic itself', async () => {
    const client = await iot.connect(await iot.enrol('edge-below'));
    const box = inbox(client);
    await client.subscribeAsync('sensor/#', { qos: 1 });
    for (const topic of ['sensor', 'sensor/', 'sensor/a', 'sensor/a/b']) {
      await client.publishAsync(topic, topic, { qos: 1 });
    }
    await box.next('sensor/a/b');
    expect(box.received.map(({ topic }) => topic)).toEqual(['sensor/', 'sensor/a', 'sensor/a/b']);
    await client.unsubscribeAsync('sensor/#');
    await client.subscribeAsync('end', { qos: 1 });
    await client.publishAsync('sensor/a', 'nobody', { qos: 1 });
    await client.publishAsync('end', '', { qos: 1 });
    await box.next('end');
    expect(box.received).toHaveLength(4);
  });
});

describe('what a connection has too much of', () => {
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
