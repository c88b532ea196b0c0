import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createClient } from 'graphql-sse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readServerSent } from '../../../cli/client/server-sent.ts';
import { startClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { until } from '../start/stage.ts';

/** A job is followed by the function that is deployed, from the table's stream on. */
let product: Product;

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('edge-1', '--quiet');
  await product.untilConnected(1);
});
afterAll(() => product.remove());

async function addressOf(query: string): Promise<string> {
  const { api, token } = product.place.endpoints()!;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${api}/v1/events/stream?${query}`, { headers, redirect: 'manual' });
  expect(answer.status).toBe(307);
  return answer.headers.get('location')!;
}

type Message = { readonly id: string; readonly kind: string };

/** Until the job has ended, or so many have come. */
async function readStream(address: string, lastId: string | null, countMax = 100) {
  const { token } = product.place.endpoints()!;
  const from = lastId === null ? {} : { 'last-event-id': lastId };
  const answer = await fetch(address, { headers: { authorization: `Bearer ${token}`, ...from } });
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const messages: Message[] = [];
  for await (const { id, data } of readServerSent(answer.body!, { first: 30_000, later: 60_000 })) {
    if (data !== null) messages.push({ id: id!, kind: JSON.parse(data).kind });
    if (messages.length === countMax) break;
  }
  return messages;
}

test('a job is followed to its end, and what was missed comes to who goes on', async () => {
  const run = { simulate: { seconds: 3 } };
  const { id } = await product.submit({ name: 'followed', chunks: 1, run });
  const address = await addressOf(`job=${id}`);
  const [first] = await readStream(address, null, 1);
  expect(first?.kind).toBe('job.submitted');
  const rest = await readStream(address, first!.id);
  expect(rest.at(-1)?.kind).toBe('job.done');
  expect(rest.map(({ kind }) => kind)).not.toContain('job.submitted');
  const all = await readStream(address, null);
  expect(all).toEqual([first, ...rest]);
});

test('whoever is sent there needs the token there too: curl brings it, fetch does not', async () => {
  const { id } = await product.submit({ chunks: 1, run: { simulate: { seconds: 0 } } });
  await product.done(id);
  const { api, token } = product.place.endpoints()!;
  const way = `${api}/v1/events/stream?job=${id}`;
  const header = `authorization: Bearer ${token}`;
  const curl = [
    '-sSN',
    '--noproxy',
    '*',
    '--location-trusted',
    '--max-time',
    '60',
    '-H',
    header,
    way,
  ];
  const { stdout } = await promisify(execFile)('curl', curl);
  expect(stdout).toContain('"kind":"job.done"');
  const headers = { authorization: `Bearer ${token}` };
  const without = await fetch(way, { headers });
  expect([without.status, without.redirected]).toEqual([401, true]);
});

test('a subscription of a job brings what it becomes, up to its end', async () => {
  const run = { simulate: { seconds: 2 } };
  const { id } = await product.submit({ name: 'watched', chunks: 1, run });
  const { api, token } = product.place.endpoints()!;
  const headers = { authorization: `Bearer ${token}` };
  const query = `subscription { job(id: "${id}") { status { state } } }`;
  const asked = { 'content-type': 'application/json', accept: 'text/event-stream', ...headers };
  const body = JSON.stringify({ query });
  const init = { method: 'POST', headers: asked, body, redirect: 'manual' } as const;
  const answer = await fetch(`${api}/graphql`, init);
  expect(answer.status).toBe(307);
  const client = createClient({ url: answer.headers.get('location')!, headers });
  const versions = new Set<unknown>();
  let states = 0;
  for await (const { data, errors, extensions } of client.iterate<object, { version: string }>({
    query,
  })) {
    expect(errors).toBeUndefined();
    versions.add(extensions?.version);
    states += 1;
    if (JSON.stringify(data).includes('"done"')) break;
  }
  expect(states).toBeGreaterThan(1);
  expect(versions.size).toBe(states);
});

test('who has no token sees nothing there', async () => {
  const answer = await fetch(await addressOf('after=now'));
  expect(answer.status).toBe(401);
  expect(await answer.text()).not.toContain('job.');
});

test('the command line prints what is streamed', async () => {
  const client = startClient(product.place.directory, ['events', '-f', '--kinds', 'job.done']);
  const submit = async () => {
    const run = { simulate: { seconds: 0 } };
    await product.done((await product.submit({ name: 'printed', chunks: 1, run })).id);
    return client.text().includes('printed');
  };
  await until('it is printed', submit);
  client.process.kill('SIGINT');
  expect((await client.ended).code).toBe(0);
});
