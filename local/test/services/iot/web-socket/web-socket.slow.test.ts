/** MQTT over WebSocket by who signs, with and without TLS: mqtt.js and `ws` against the cloud. */
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { get } from 'node:https';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type NotesCloud, startNotes } from '../../../notes-cloud.ts';
import { inbox, json } from '../fixture.ts';
import { type Key, presigned, type Wish } from './presigned.ts';
import { region, watcherKey, withWatcher } from './watcher.ts';

let cloud: NotesCloud;
let visitor: Key;
const open = new Set<MqttClient>();

beforeAll(async () => {
  cloud = await startNotes({ edit: withWatcher });
  visitor = await watcherKey(cloud, 'anna');
});

afterEach(async () => {
  await Promise.all([...open].map((client) => client.endAsync(true)));
  open.clear();
});

afterAll(() => cloud.stop());

const doors = () => ({
  plain: cloud.endpoints.aws.replace('http:', 'ws:'),
  tls: cloud.endpoints.aws.replace('http:', 'wss:'),
});
const authority = () => readFileSync(cloud.endpoints.mqtt.ca, 'utf8');
const root = (): Key => cloud.endpoints.credentials;

async function join(
  wish: Partial<Wish>,
  clientId: string,
  protocolVersion: 4 | 5 = 4,
): Promise<MqttClient> {
  const url = await presigned({ base: doors().plain, key: root(), region, ...wish });
  const options = { clientId, protocolVersion, reconnectPeriod: 0, ca: authority() };
  const client = mqtt.connect(url, options);
  open.add(client);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
    client.once('close', () => reject(new Error('closed before CONNACK')));
  });
  return client;
}

test.for([
  ['plain', 4],
  ['plain', 5],
  ['tls', 4],
  ['tls', 5],
] as const)('messages come and go, %s, MQTT %i', async ([door, version]) => {
  const client = await join({ base: doors()[door] }, `client-${door}-${version}`, version);
  const received = inbox(client);
  await client.subscribeAsync('notes/#', { qos: 1 });
  const payload = Buffer.alloc(100_000, 'a');
  await client.publishAsync('notes/large', payload, { qos: 1 });
  expect((await received.next('notes/large')).payload.equals(payload)).toBe(true);
});

test('a session of a role may do what its policies allow, and events name it', async () => {
  const base = doors().tls;
  const all = await join({}, 'root-watcher');
  const seen = inbox(all);
  await all.subscribeAsync('$aws/events/presence/connected/#');
  const client = await join({ base, key: visitor }, 'watcher-1');
  const received = inbox(client);
  const event = json((await seen.next('connected/watcher-1')).payload);
  expect(event['principalIdentifier']).toMatch(/^AROA\w+:anna$/);

  const granted = await client.subscribeAsync(['notes/#', 'secret/#']).catch((e: Error) => e);
  expect(granted).toMatchObject({ message: expect.stringMatching(/Unspecified|128|refused/i) });
  await client.subscribeAsync('notes/#', { qos: 1 });
  await all.publishAsync('notes/closed', 'not for the role', { qos: 1 });
  await all.publishAsync('notes/open', 'for the role', { qos: 1 });
  await received.next('notes/open');
  expect(received.received.map(({ topic }) => topic)).toEqual(['notes/open']);

  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  client.publish('secret/a', 'forbidden');
  await closed;
});

test('a client id that no policy allows is refused in the CONNACK', async () => {
  await expect(join({ key: visitor }, 'other')).rejects.toThrow(/Not authorized/i);
});

type Answer = { status: number | undefined; type: unknown; message: string };

/** How a handshake was answered that did not lead to a connection. */
async function refusal(url: string, names = ['mqtt'], headers = {}): Promise<Answer> {
  const socket = new WebSocket(url, names, { ca: authority(), headers });
  return new Promise((resolve, reject) => {
    socket.on('error', () => undefined);
    socket.once('open', () => {
      socket.terminate();
      reject(new Error('it was let in'));
    });
    socket.once('unexpected-response', (_request, res) => {
      let text = '';
      res.on('data', (part) => {
        text += part;
      });
      res.on('end', () => {
        const { message } = text === '' ? { message: '' } : JSON.parse(text);
        resolve({ status: res.statusCode, type: res.headers['x-amzn-errortype'], message });
      });
    });
  });
}

const forbidden = (message: unknown) => ({ status: 403, type: 'ForbiddenException', message });
const mismatch = expect.stringMatching(/^The request signature we calculated does not match/);
const minute = 60_000;

test.for<[string, (key: Key) => Partial<Wish>, unknown]>([
  ['of another secret', (key) => ({ key: { ...key, secretAccessKey: 'guessed' } }), mismatch],
  ['for another path', () => ({ path: '/mqtt/' }), undefined],
  [
    'of an unknown key',
    () => ({ key: { accessKeyId: 'AKIAUNKNOWN', secretAccessKey: 'x' } }),
    expect.stringContaining('The security token included in the request is invalid.'),
  ],
  ['that covers the session token', () => ({ key: visitor, signsToken: true }), mismatch],
  [
    'without the session token',
    () => ({ key: { ...visitor, sessionToken: undefined } }),
    'The security token included in the request is invalid.',
  ],
  [
    'six minutes old, whatever X-Amz-Expires says',
    () => ({ signedAt: new Date(Date.now() - 6 * minute) }),
    expect.stringMatching(/^Signature expired: \d{8}T\d{6}Z is now earlier than .* - 5 min\.\)$/),
  ],
  [
    'from the future',
    () => ({ signedAt: new Date(Date.now() + 6 * minute) }),
    expect.stringMatching(/^Signature not yet current: /),
  ],
  [
    'for another service',
    () => ({ service: 'execute-api' }),
    "Credential should be scoped to correct service: 'iotdevicegateway'. ",
  ],
  [
    'for another region',
    () => ({ region: 'us-east-1' }),
    "Credential should be scoped to a valid region, not 'us-east-1'. ",
  ],
])('a signature %s is refused', async ([, change, message]) => {
  for (const base of Object.values(doors())) {
    const url = await presigned({ base, key: root(), region, ...change(root()) });
    const found = await refusal(url);
    if (message === undefined) expect(found.status).toBe(404);
    else expect(found).toEqual(forbidden(message));
  }
});

test('without a signature, the subprotocol or a name of this machine nobody is let in', async () => {
  for (const base of Object.values(doors())) {
    const unsigned = await refusal(`${base}/mqtt`);
    expect(unsigned).toEqual(forbidden('Request is missing Authentication Token'));
    const url = await presigned({ base, key: root(), region });
    expect((await refusal(url, ['graphql-ws'])).status).toBe(400);
    expect((await refusal(url, [])).status).toBe(400);
  }
  const url = await presigned({ base: doors().plain, key: root(), region });
  expect((await refusal(url, ['mqtt'], { host: 'evil.example' })).status).toBe(421);
});

test('text is no MQTT', async () => {
  const url = await presigned({ base: doors().plain, key: root(), region });
  const socket = new WebSocket(url, 'mqtt');
  const code = await new Promise((resolve, reject) => {
    socket.once('open', () => socket.send('CONNECT'));
    socket.once('close', resolve);
    socket.once('error', reject);
  });
  expect([socket.protocol, code]).toEqual(['mqtt', 1003]);
});

test('the services of the gateway answer by TLS as well', async () => {
  const { hostname, port } = new URL(cloud.endpoints.aws);
  const options = { hostname, port, path: '/_local/health', ca: authority(), agent: false };
  const status = await new Promise((resolve, reject) => {
    get(options, (res) => resolve(res.resume().statusCode)).on('error', reject);
  });
  expect(status).toBe(200);
});

test('a request that offers another protocol is answered as if it did not', async () => {
  const { hostname, port } = new URL(cloud.endpoints.aws);
  const headers = { connection: 'upgrade', upgrade: 'h2c' };
  const options = { hostname, port, path: '/_local/health', headers, agent: false };
  const status = await new Promise((resolve, reject) => {
    const sent = request(options, (res) => resolve(res.resume().statusCode));
    sent.on('error', reject);
    sent.end();
  });
  expect(status).toBe(200);
});
