import type { lookup } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makePostEvent } from '../../../../lambdas/workers/webhooks/post-event.ts';

let server: Server;
let port: number;
let came: string[];
let status: number;

beforeEach(async () => {
  came = [];
  status = 204;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      came.push(`${request.method} ${request.url} ${request.headers['edgewise-kind']} ${body}`);
      response.writeHead(status, { location: `http://127.0.0.1:${port}/elsewhere` });
      response.end('x'.repeat(100_000));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const headers = { 'edgewise-kind': 'job.done' };

/** Every name leads to these. */
const leadingTo = (...addresses: string[]): typeof lookup =>
  ((_name: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as typeof lookup;

test('an event is posted, and its status is what counts', async () => {
  const post = makePostEvent({ allowsLoopback: true });
  const url = `http://127.0.0.1:${port}/hook?x=1`;
  expect(await post(url, headers, '{"a":"ü"}')).toEqual({ status: 204, error: null });
  expect(came).toEqual(['POST /hook?x=1 job.done {"a":"ü"}']);
});

test('no redirection is followed', async () => {
  status = 307;
  const post = makePostEvent({ allowsLoopback: true });
  const posted = await post(`http://127.0.0.1:${port}/`, headers, '{}');
  expect(posted).toEqual({ status: 307, error: null });
  expect(came).toHaveLength(1);
});

test('a name that leads to the machine itself or its neighbourhood leads nowhere', async () => {
  const url = `http://receiver.example:${port}/`;
  for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '::1', '169.254.169.254']) {
    const post = makePostEvent({ allowsLoopback: false, lookUp: leadingTo(address) });
    expect(await post(url, headers, '{}')).toEqual({ status: null, error: 'forbidden address' });
  }
  expect(came).toEqual([]);
  // The same name and way, where it is allowed.
  const lookUp = leadingTo('169.254.169.254', '127.0.0.1');
  const post = makePostEvent({ allowsLoopback: true, lookUp });
  expect(await post(url, headers, '{}')).toEqual({ status: 204, error: null });
});

test('nobody there is a failure in words', async () => {
  server.close();
  await once(server, 'close');
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const post = makePostEvent({ allowsLoopback: true });
  const posted = await post(`http://127.0.0.1:${port}/`, headers, '{}');
  expect(posted).toEqual({ status: null, error: 'ECONNREFUSED' });
});
