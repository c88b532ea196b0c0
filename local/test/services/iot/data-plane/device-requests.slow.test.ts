/** Devices that publish and keep their shadow over HTTPS, with their certificate. */
import { type RequestOptions, request } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accountId,
  type Credentials,
  type Fixture,
  openPolicy,
  region,
  startFixture,
} from '../fixture.ts';

let iot: Fixture;

beforeAll(async () => {
  const resource = (kind: string, name: string) =>
    `arn:aws:iot:${region}:${accountId}:${kind}/${name}`;
  iot = await startFixture({
    policies: [
      { name: 'open', document: openPolicy },
      {
        name: 'own',
        document: {
          Version: '2012-10-17',
          Statement: [
            { Effect: 'Allow', Action: 'iot:Publish', Resource: resource('topic', 'facts/*') },
            { Effect: 'Allow', Action: 'iot:GetThingShadow', Resource: resource('thing', 'other') },
          ],
        },
      },
    ],
  });
});

afterAll(() => iot.close());

type Sent = { path: string; method?: string; body?: string; names?: string[] };

function ask(
  edge: Pick<Credentials, 'cert' | 'key'>,
  { path, method = 'POST', body, names }: Sent,
) {
  const { mqttPort: port, caPem: ca } = iot.service;
  const { cert, key } = edge;
  const alpn = names === undefined ? {} : { ALPNProtocols: names };
  const how = { host: '127.0.0.1', port, ca, cert, key, path, method, agent: false, ...alpn };
  return new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const sent = request(how as RequestOptions, (res) => {
      let text = '';
      res.on('data', (part) => {
        text += part;
      });
      res.on('end', () => resolve({ status: res.statusCode, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test.each([
  ['the name of port 443', ['x-amzn-http-ca']],
  ['the name of HTTP', ['http/1.1']],
  ['no name', undefined],
])('publishes by %s', async (title, names) => {
  const edge = await iot.enrol(`edge-${title.replaceAll(' ', '-')}`, ['own']);
  const watcher = await iot.operator(`watcher-${edge.thing}`);
  await watcher.subscribeAsync('facts/#');
  const heard = new Promise<string>((resolve) => {
    watcher.on('message', (topic, payload) => resolve(`${topic} ${payload}`));
  });
  const path = `/topics/facts/${edge.thing}?qos=1`;
  const { status, text } = await ask(edge, { path, body: '{"a":1}', ...(names && { names }) });
  expect([status, JSON.parse(text)]).toEqual([200, { message: 'OK', traceId: expect.any(String) }]);
  expect(await heard).toBe(`facts/${edge.thing} {"a":1}`);
});

test('what no policy allows is forbidden, and so is what is not for devices', async () => {
  const edge = await iot.enrol('edge-refused', ['own']);
  for (const path of ['/topics/other', '/things/edge-refused/shadow', '/retainedMessage/facts']) {
    const { status, text } = await ask(edge, { path, body: '{}' });
    expect([path, status, JSON.parse(text).message]).toEqual([path, 403, 'Forbidden']);
  }
});

test('a shadow is written and read', async () => {
  const edge = await iot.enrol('edge-open', ['open']);
  const body = '{"state":{"reported":{"a":1}}}';
  const path = '/things/edge-open/shadow?name=work';
  expect((await ask(edge, { path, body })).status).toBe(200);
  const { text } = await ask(edge, { path, method: 'GET' });
  expect(JSON.parse(text).state).toEqual({ reported: { a: 1 } });
});

test('without a certificate of this cloud there is no connection', async () => {
  const nobody = { cert: undefined, key: undefined } as unknown as Credentials;
  await expect(ask(nobody, { path: '/topics/facts/a', body: '{}' })).rejects.toThrow();
});
