import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { NewWebhook, Webhook } from '../../core/contract/resources.ts';
import { runClient } from './cli/client.ts';
import { makeProduct, type Product } from './product.ts';
import { askApi, until } from './start/stage.ts';

/** A receiver on this machine is notified of what happens, from the table's stream on. */
let product: Product;
let server: Server;
let url: string;
let isAway = false;
const taken: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[] = [];

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('edge-1', '--quiet');
  await product.untilConnected(1);
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    if (!isAway) taken.push({ headers: request.headers, body });
    response.writeHead(isAway ? 503 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(async () => {
  server.close();
  await product.remove();
});

const ends = (): string[] => taken.map(({ body }) => JSON.parse(body).name);

function isSignedWith(secret: string, headers: NodeJS.Dict<string | string[]>, body: string) {
  const [, seconds, mac] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['edgewise-signature']))!;
  const options = { input: `${seconds}.${body}` };
  const said = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], options).toString();
  return said.trim().split(' ').at(-1) === mac;
}

test('each end is sent once and in order, signed, also what ended while nobody was there', async () => {
  const made = await runClient(
    product.place.directory,
    ...['webhook', 'create', url, '--kinds', 'job.done', '-o', 'json'],
  );
  const { id, secret } = JSON.parse(made.out) as NewWebhook;
  const names = ['first', 'second', 'third', 'fourth'];
  const read = () => askApi<Webhook>(product.place, `/v1/webhooks/${id}`);
  for (const name of names) {
    isAway = name === 'second' || name === 'third';
    const run = { simulate: { seconds: 0 } };
    await product.done((await product.submit({ name, chunks: 1, run })).id);
    if (name === 'first') await until('it has come', async () => ends().length === 1);
    if (name === 'second') {
      await until('it fails', async () => (await read()).state === 'retrying');
    }
  }
  // The minute goes on with it.
  await until('all has come', async () => ends().length >= names.length, 120_000);
  expect(ends()).toEqual(names);
  expect(await read()).toMatchObject({ state: 'active', failures: 0 });
  for (const { headers, body } of taken) {
    expect(isSignedWith(secret, headers, body)).toBe(true);
  }
  // A job's own receiver, which has no webhook.
  taken.length = 0;
  const run = { simulate: { seconds: 0 } };
  const onEnd = { url, secret: 'a-secret-of-sixteen-or-more' };
  const submitted = await product.submit({ name: 'alone', chunks: 1, run, onEnd });
  // The webhook gets it as well, with another signature.
  const own = () => taken.filter((it) => isSignedWith(onEnd.secret, it.headers, it.body));
  await until('its end has come', async () => own().length > 0, 120_000);
  expect(own().map(({ body }) => JSON.parse(body).job)).toEqual([submitted.id]);
  // The bus of the stack has all of it as well.
  const logs = join(product.place.state, 'logs');
  const log = readdirSync(logs).find((name) => name.includes('EventsDeliver'));
  expect(readFileSync(join(logs, log!), 'utf8')).not.toContain('the event bus took nothing');
});
