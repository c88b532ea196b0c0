import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Edgewise, Refusal } from '../../clients/typescript/edgewise.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../cli/api/served-fleet.ts';

/** Against the handlers that are shipped, behind a door that sometimes does not let through. */
let fleet: ServedFleet;
let closers: (() => Promise<void>)[] = [];
beforeEach(async () => {
  fleet = await startServedFleet();
  closers = [() => fleet.close()];
});
afterEach(async () => {
  for (const close of closers) await close();
});

const client = (url = fleet.url) => new Edgewise({ url, token: adminSecret });

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a submit whose answer is lost is sent again with its key, and is one job', async () => {
  const keys: unknown[] = [];
  const url = await serve((request, response) => {
    keys.push(request.headers['idempotency-key']);
    if (keys.length === 1) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end('{"id":"job"}');
  });
  expect(await client(url).submit({})).toEqual({ id: 'job' });
  expect(keys).toHaveLength(2);
  expect(keys[0]).toBe(keys[1]);
  expect(keys[0]).toBeTruthy();
});

test('what is not safe to repeat is not, and an end ends it', async () => {
  let asked = 0;
  const url = await serve((request) => {
    asked += 1;
    request.socket.destroy();
  });
  const asking = client(url).request('POST /v1/jobs/{id}/retry', { path: { id: 'x' } });
  await expect(asking).rejects.toThrow();
  expect(asked).toBe(1);
  const ended = new Edgewise({ url, token: 't', signal: AbortSignal.abort() });
  await expect(ended.request('GET /v1/health')).rejects.toThrow();
  expect(asked).toBe(1);
});

test('lists go on from page to page, and hold each item once', async () => {
  const made: string[] = [];
  for (let at = 0; at < 5; at++) made.push((await client().submit({ chunks: 1 })).id);
  const found: string[] = [];
  for await (const { id } of client().jobs({ limit: 2 })) found.push(id);
  for (const id of made) expect(found.filter((it) => it === id)).toHaveLength(1);
});

test('a refusal says what and where', async () => {
  const refused = client().submit({ chunks: -1 });
  await expect(refused).rejects.toBeInstanceOf(Refusal);
  await expect(refused).rejects.toMatchObject({
    status: 400,
    code: 'invalid-request',
    errors: [{ pointer: '/chunks' }],
  });
  const missing = client().request('GET /v1/jobs/{id}', { path: { id: 'nobody' } });
  await expect(missing).rejects.toMatchObject({ status: 404, code: 'not-found' });
});

test('a job is waited for until it has ended, or for as long as wanted', async () => {
  const { id } = await client().submit({ chunks: 2 });
  await expect(client().wait(id, { timeoutMs: 1 })).rejects.toThrow('after 1 ms');
  const waiting = client().wait(id);
  await fleet.pass(60_000);
  expect((await waiting).status.state).toBe('done');
});

test('a name in an address cannot lead elsewhere', async () => {
  const paths: unknown[] = [];
  const url = await serve((request, response) => {
    paths.push(request.url);
    response.end('{}');
  });
  await client(url).request('GET /v1/jobs/{id}', { path: { id: '../tokens?x=1' } });
  expect(paths).toEqual(['/v1/jobs/..%2Ftokens%3Fx%3D1']);
});
