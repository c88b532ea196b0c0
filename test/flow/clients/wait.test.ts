import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Edgewise } from '../../../clients/typescript/edgewise.ts';
import { findPython } from '../../../scripts/setup/python-tools.mjs';
import { makeProduct, type Product } from '../product.ts';
import { root, until } from '../start/stage.ts';

/** Both clients wait for a job by requests that wait, through a door that sees what they ask. */
let product: Product;
let door: Server;
let url: string;
let asked: string[];
let answers: { kind: string }[];
let isBlocked: boolean;
const python = findPython();
const token = () => product.place.endpoints()!.token ?? '';

beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  door = createServer(async (request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (isBlocked && path.startsWith('/v1/events')) {
      request.socket.destroy();
      return;
    }
    const { authorization = '' } = request.headers;
    const answer = await fetch(product.place.endpoints()!.api + path, {
      headers: { authorization },
    });
    const text = await answer.text();
    if (path.startsWith('/v1/events')) answers.push(...JSON.parse(text).items);
    const type = answer.headers.get('content-type') ?? '';
    response.writeHead(answer.status, { 'content-type': type }).end(text);
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
  url = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  answers = [];
  isBlocked = false;
});
afterAll(async () => {
  door.closeAllConnections();
  door.close();
  await product.remove();
});

type Wait = (id: string) => Promise<string>;

const inTypeScript: Wait = async (id) => {
  const { status } = await new Edgewise({ url, token: token() }).wait(id, { timeoutMs: 60_000 });
  return status.state;
};

const inPython: Wait = async (id) => {
  const program = `import edgewise; print(edgewise.Client().wait("${id}", 60)["status"]["state"])`;
  const child = spawn(python ?? '', ['-c', program], {
    env: {
      ...{ PATH: process.env.PATH, EDGEWISE_API: url, EDGEWISE_TOKEN: token() },
      ...{ PYTHONPATH: join(root, 'clients', 'python'), PYTHONDONTWRITEBYTECODE: '1' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    said += part;
  });
  await once(child, 'close');
  return said.trim();
};

const waits: readonly [string, Wait][] = [
  ['TypeScript', inTypeScript],
  ['Python', inPython],
];
const isMissing = (language: string) => language === 'Python' && python === undefined;
const noPython = 'there is no Python 3.10 or newer here';

const cancel = (id: string) => {
  const { api } = product.place.endpoints()!;
  const headers = { authorization: `Bearer ${token()}` };
  return fetch(`${api}/v1/jobs/${id}`, { method: 'DELETE', headers });
};
const longPolls = () => asked.filter((path) => path.includes('waitSeconds=25'));
const looks = () => asked.filter((path) => path.startsWith('/v1/jobs/'));

test.for(waits)('in %s the end of a job ends the wait for it', async ([name, wait], { skip }) => {
  if (isMissing(name)) return skip(noPython);
  const { id } = await product.submit({ chunks: 1 });
  const waiting = wait(id);
  await until('it waits for events', async () => longPolls().length > 0);
  const before = looks().length;
  await cancel(id);
  expect(await waiting).toBe('cancelled');
  expect(answers.map(({ kind }) => kind)).toContain('job.cancelled');
  expect(looks().length - before).toBeLessThanOrEqual(longPolls().length);
});

test.for(waits)(
  'in %s it looks again and again where nothing lets events through',
  async ([name, wait], { skip }) => {
    if (isMissing(name)) return skip(noPython);
    isBlocked = true;
    const { id } = await product.submit({ chunks: 1 });
    const waiting = wait(id);
    const blocked = () => asked.filter((path) => path.startsWith('/v1/events')).length;
    await until('it has asked for events', async () => blocked() > 0);
    const before = looks().length;
    await until('it looks without them', async () => looks().length > before + 1);
    await cancel(id);
    expect(await waiting).toBe('cancelled');
    expect(blocked()).toBe(1);
  },
);
