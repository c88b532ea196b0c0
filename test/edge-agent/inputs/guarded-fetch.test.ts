import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type GuardedFetchDeps,
  makeGuardedFetch,
} from '../../../edge-agent/inputs/guarded-fetch.ts';

let server: Server;
let base: string;
const hosts: (string | undefined)[] = [];
beforeAll(async () => {
  server = createServer(({ url = '', headers }, response) => {
    hosts.push(headers.host);
    const [, location] = url.split('?to=');
    if (location === undefined) response.end(`body of ${url}`);
    else response.writeHead(302, { location: decodeURIComponent(location) }).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const toLoopback = async () => [{ address: '127.0.0.1' }];

async function ask(url: string, over: Partial<GuardedFetchDeps> = {}): Promise<string> {
  const open = { isAllowed: () => true, allowsLoopback: () => false, lookUp: toLoopback };
  const fetchElsewhere = makeGuardedFetch({ ...open, ...over });
  const signal = AbortSignal.timeout(10_000);
  return text(await fetchElsewhere(url, { headers: {}, signal }));
}

const onThisHost = { allowsLoopback: () => true };

test.each([
  'http://127.0.0.1:1/x',
  'http://localhost/x',
  'http://[::1]/x',
  'http://[::ffff:127.0.0.1]/x',
  'http://0x7f000001/x',
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/x',
  'http://0.0.0.0/x',
])('%s is this host or its neighbourhood, and not asked', async (url) => {
  await expect(ask(url)).rejects.toThrow('is this host or its neighbourhood');
});

test('a name that leads to this host is not asked, and the link never', async () => {
  const url = `http://example.com:${new URL(base).port}/x`;
  await expect(ask(url)).rejects.toThrow('example.com is this host or its neighbourhood');
  const toLink = async () => [{ address: '169.254.169.254' }, { address: 'fe80::1' }];
  await expect(ask(url, { ...onThisHost, lookUp: toLink })).rejects.toThrow('neighbourhood');
  expect(await ask(url, onThisHost)).toBe('body of /x');
  expect(hosts.at(-1)).toBe(new URL(url).host);
});

test('what its owner does not allow is not asked', async () => {
  const isAllowed = (host: string) => host !== '127.0.0.1';
  await expect(ask(`${base}/x`, { ...onThisHost, isAllowed })).rejects.toThrow('host 127.0.0.1');
});

test('a redirection is followed as far as the first address might have led', async () => {
  const to = (url: string) => `${base}/?to=${encodeURIComponent(url)}`;
  expect(await ask(to('/x'), onThisHost)).toBe('body of /x');
  await expect(ask(to('http://169.254.169.254/'), onThisHost)).rejects.toThrow('neighbourhood');
  await expect(ask(to('file:///etc/passwd'), onThisHost)).rejects.toThrow('https://');
  await expect(ask(to('http://'), onThisHost)).rejects.toThrow('it leads nowhere');
  const once6 = Array.from({ length: 6 }).reduce<string>((url) => to(url), '/x');
  await expect(ask(once6, onThisHost)).rejects.toThrow('it leads on more than 5 times');
});
