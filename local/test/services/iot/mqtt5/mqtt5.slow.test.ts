/** Clients of MQTT 5: what they are told, what they may do, and that both versions meet. */
import { once } from 'node:events';
import type { IClientOptions, IConnackPacket, IDisconnectPacket, MqttClient } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Credentials, type Fixture, inbox, json, startFixture } from '../fixture.ts';

let iot: Fixture;
let watcher: MqttClient;
let events: ReturnType<typeof inbox>;

beforeAll(async () => {
  iot = await startFixture();
  watcher = await iot.operator('watcher');
  events = inbox(watcher);
  await watcher.subscribeAsync('$aws/events/presence/disconnected/#', { qos: 1 });
});
afterAll(() => iot.close());

type Five = { client: MqttClient; connack: IConnackPacket; box: ReturnType<typeof inbox> };

async function five(edge: Credentials, options: IClientOptions = {}): Promise<Five> {
  let connack: IConnackPacket | undefined;
  let box: ReturnType<typeof inbox> | undefined;
  const client = await iot.connect(edge, { protocolVersion: 5, ...options }, (made) => {
    made.once('connect', (packet) => {
      connack = packet;
    });
    box = inbox(made);
  });
  return { client, connack: connack!, box: box! };
}

const farewell = async (client: MqttClient): Promise<number | undefined> => {
  const [packet] = (await once(client as never, 'disconnect')) as [IDisconnectPacket];
  return packet.reasonCode;
};
const ended = async (clientId: string, from = 0) =>
  json((await events.next(`/disconnected/${clientId}`, from)).payload);

test('the CONNACK says what the broker does and does not do', async () => {
  const { connack } = await five(await iot.enrol('five-told'));
  expect(connack).toMatchObject({ sessionPresent: false, reasonCode: 0 });
  expect(connack.properties).toEqual({
    sessionExpiryInterval: 0,
    receiveMaximum: 100,
    maximumQoS: 1,
    retainAvailable: true,
    maximumPacketSize: 149_504,
    topicAliasMaximum: 8,
    wildcardSubscriptionAvailable: true,
    subscriptionIdentifiersAvailable: false,
    sharedSubscriptionAvailable: false,
  });
});

test('a client that may not connect gets the reason', async () => {
  const edge = await iot.enrol('five-strict', ['edge']);
  await expect(five(edge, { clientId: 'other' })).rejects.toMatchObject({ code: 0x87 });
});

test('a client without an id is given one', async () => {
  const edge = await iot.enrol('five-nameless');
  const { connack, client } = await five(edge, { clientId: '' });
  const id = connack.properties?.assignedClientIdentifier;
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  await client.endAsync();
  expect(await ended(id!)).toMatchObject({ disconnectReason: 'CLIENT_INITIATED_DISCONNECT' });
});

test('shadows answer, and both versions hear each other', async () => {
  const edge = await iot.enrol('five-shadow');
  const { client, box } = await five(edge);
  await client.subscribeAsync('$aws/things/five-shadow/shadow/#', { qos: 1 });
  const update = '{"state":{"desired":{"a":1}}}';
  await client.publishAsync('$aws/things/five-shadow/shadow/update', update, { qos: 1 });
  expect(json((await box.next('delta')).payload)).toMatchObject({ state: { a: 1 } });
  await client.subscribeAsync('from/three', { qos: 1 });
  await watcher.publishAsync('from/three', 'three', { qos: 1 });
  expect(String((await box.next('from/three')).payload)).toBe('three');
  await watcher.subscribeAsync('from/five', { qos: 1 });
  await client.publishAsync('from/five', 'five', { qos: 1, properties: { contentType: 'text' } });
  expect(String((await events.next('from/five')).payload)).toBe('five');
});

test('a topic alias stands for its topic, within the limit', async () => {
  const { client } = await five(await iot.enrol('five-alias'));
  await watcher.subscribeAsync('alias/+', { qos: 1 });
  await client.publishAsync('alias/a', 'named', { qos: 1, properties: { topicAlias: 8 } });
  await client.publishAsync('', 'by number', { qos: 1, properties: { topicAlias: 8 } });
  await expect
    .poll(() => events.received.filter(({ topic }) => topic === 'alias/a').map(String).length)
    .toBe(2);
});

test('SUBACK and UNSUBACK carry reason codes', async () => {
  const { client } = await five(await iot.enrol('five-codes', ['edge']));
  const own = '$aws/things/five-codes/shadow/name/prog/update/accepted';
  const refused = new Promise<number[]>((resolve) =>
    client.on('packetreceive', (packet) => {
      if (packet.cmd === 'suback') resolve(packet.granted as number[]);
    }),
  );
  await client.subscribeAsync([own, 'foreign'], { qos: 1 }).catch(() => undefined);
  expect(await refused).toEqual([1, 0x87]);
  const [answer] = await Promise.all([
    new Promise((resolve) =>
      client.on('packetreceive', (packet) => {
        if (packet.cmd === 'unsuback') resolve(packet.granted);
      }),
    ),
    client.unsubscribeAsync(own),
  ]);
  expect(answer).toEqual([0]);
});

describe('how it ends', () => {
  test('a client that is taken over or does what it may not gets the reason', async () => {
    const edge = await iot.enrol('five-twice', ['edge']);
    const first = await five(edge);
    const over = farewell(first.client);
    const second = await five(edge);
    expect(await over).toBe(0x8e);
    const forbidden = farewell(second.client);
    second.client.publish('foreign', 'x', { qos: 1 });
    expect(await forbidden).toBe(0x87);
  });

  test('subscription identifiers are not taken', async () => {
    const { client } = await five(await iot.enrol('five-numbered'));
    const closed = once(client as never, 'close');
    client.subscribe('a', { qos: 1, properties: { subscriptionIdentifier: 7 } });
    await closed;
  });

  test('a will is kept back, unless the client asks for it', async () => {
    await watcher.subscribeAsync('wills/+', { qos: 1 });
    const will = (name: string) => ({
      will: { topic: `wills/${name}`, payload: Buffer.from(name), qos: 1 as const },
    });
    const calm = await five(await iot.enrol('five-calm'), will('calm'));
    await calm.client.endAsync();
    const loud = await five(await iot.enrol('five-loud'), will('loud'));
    await loud.client.endAsync(false, { reasonCode: 4 });
    expect(String((await events.next('wills/loud')).payload)).toBe('loud');
    expect(events.received.some(({ topic }) => topic === 'wills/calm')).toBe(false);
    expect(await ended('five-loud')).toMatchObject({ disconnectReason: 'CONNECTION_LOST' });
  });
});

test('a session with an expiry is kept until a clean start', async () => {
  const edge = await iot.enrol('five-kept');
  const kept = { clean: false, properties: { sessionExpiryInterval: 4_000 } };
  const first = await five(edge, kept);
  expect(first.connack.properties?.sessionExpiryInterval).toBe(3_600);
  await first.client.subscribeAsync('letters', { qos: 1 });
  await first.client.endAsync();
  await ended('five-kept');
  await watcher.publishAsync('letters', 'waited', { qos: 1 });
  const second = await five(edge, kept);
  expect(second.connack.sessionPresent).toBe(true);
  expect(String((await second.box.next('letters')).payload)).toBe('waited');
  await second.client.endAsync();
  const third = await five(edge, { ...kept, clean: true });
  expect(third.connack.sessionPresent).toBe(false);
});
