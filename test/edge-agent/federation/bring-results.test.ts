import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { bringResults } from '../../../edge-agent/federation/bring-results.ts';
import type { DownstreamResult } from '../../../edge-agent/federation/downstream-api.ts';
import { makeHandClock } from '../hand-clock.ts';

/** Files come from a deployment below as from a stranger: each is held against what was said. */
const home = mkdtempSync(join(tmpdir(), 'edgewise-below-'));
let store: Server;
let address: string;
let asked: string[] = [];
let directory: string;
let lives = 0;
const stored = new Map<string, string>();

beforeAll(async () => {
  store = createServer((request, response) => {
    const range = /bytes=(\d+)-/.exec(request.headers.range ?? '');
    const from = Number(range?.[1] ?? 0);
    asked.push(`${request.url} ${from}`);
    const text = stored.get(request.url!.slice(1));
    if (text === undefined) response.writeHead(404).end();
    else if (from >= text.length && from > 0) response.writeHead(416).end();
    else if (from > 0) {
      const all = `bytes ${from}-${text.length - 1}/${text.length}`;
      response.writeHead(206, { 'content-range': all }).end(text.slice(from));
    } else response.writeHead(200).end(text);
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  directory = join(home, String(++lives));
  mkdirSync(join(directory, 'output'), { recursive: true });
});
afterAll(() => {
  store.close();
  rmSync(home, { recursive: true });
});

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function file(path: string, text: string, more: Partial<DownstreamResult> = {}): DownstreamResult {
  stored.set(digestOf(text), text);
  const sha256 = digestOf(text);
  const url = `${address}/${sha256}`;
  return { path, url, sha256, bytes: text.length, executable: false, link: null, ...more };
}

const link = (path: string, to: string): DownstreamResult => ({
  ...{ path, url: null, sha256: null, bytes: null, executable: false },
  link: to,
});

const name = { edge: 'site-b', job: jobIdOf('above'), chunk: 3, attempt: 1 };

function bring(...results: DownstreamResult[]): Promise<string | null> {
  return bringResults(
    {
      api: {
        async *results() {
          yield* results;
        },
      },
      directories: { makeEmpty: () => directory, pathOf: () => null },
      clock: makeHandClock(),
      signal: new AbortController().signal,
    },
    { job: 'fed-1', chunk: 0, name, reader: 'chunk', bytesMax: 1_000 },
  );
}

const at = (path: string): string => join(directory, 'output', path);

test('files are here byte for byte, with links and what may be run', async () => {
  const run = file('bin/run', '#!/bin/sh\n', { executable: true });
  expect(await bring(file('r/ä b', 'some\n'), run, link('r/last', 'ä b'))).toBeNull();
  expect(readFileSync(at('r/last'), 'utf8')).toBe('some\n');
  expect(readlinkSync(at('r/last'))).toBe('ä b');
  expect(statSync(at('bin/run')).mode & 0o111).toBe(0o100);
});

test('what came before the agent was killed is gone on with, and a second time nothing is', async () => {
  const large = file('large', 'x'.repeat(1_000));
  writeFileSync(at('large'), 'x'.repeat(400));
  expect(await bring(large)).toBeNull();
  expect(await bring(large)).toBeNull();
  expect(asked.map((one) => one.split(' ')[1])).toEqual(['400', '1000']);
  expect(readFileSync(at('large'), 'utf8')).toBe('x'.repeat(1_000));
});

test.each([
  ['a path that leads out', () => [file('../out', 'x')]],
  ['a path from the root', () => [file('/etc/motd', 'x')]],
  ['a link that leads out', () => [file('a', 'x'), link('b', '../../secret')]],
  ['other bytes', () => [{ ...file('a', 'x'), sha256: digestOf('y') }]],
  ['nothing', () => [{ ...file('a', 'x'), url: null }]],
  ['more than the job allows', () => [file('a', 'x'.repeat(600)), file('b', 'y'.repeat(600))]],
  ['more than it says', () => [file('a', 'x'.repeat(5_000), { bytes: 10 })]],
  ['a file and what lies in it', () => [file('a', 'x'), file('a/b', 'y')]],
])('%s is a reason, and harms nothing', async (_, results) => {
  expect(await bring(...results())).toMatch(/^outputs: /);
});

test('nothing is written through a link that an earlier life left', async () => {
  // Each stays below by its words; together they lead out.
  const links = [link('here', '.'), link('out', 'here/..')];
  expect(await bring(file('a', 'x'), ...links)).toBeNull();
  await bring(file('out/elsewhere', 'y'));
  expect(existsSync(join(directory, 'elsewhere'))).toBe(false);
});

test('what is not stored any more is a reason; a store that is away is not', async () => {
  const gone = file('a', 'gone');
  stored.delete(digestOf('gone'));
  expect(await bring(gone)).toBe('outputs: it is not stored');
  await expect(bring({ ...gone, url: 'http://127.0.0.1:1/a' })).rejects.toThrow();
});
