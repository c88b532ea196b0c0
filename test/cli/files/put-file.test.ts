import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putFile } from '../../../cli/files/put-file.ts';
import { requestAttemptsMax } from '../../../cli/limits.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

const content = randomBytes(5_000_000);
const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let directory: string;
let file: string;
let store: Server;
let take: (request: IncomingMessage, response: ServerResponse) => void;
let asked: number;
let moved: number;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-put-'));
  file = join(directory, 'file');
  writeFileSync(file, content);
  [asked, moved] = [0, 0];
  store = createServer((request, response) => {
    asked += 1;
    // Who sends may go away.
    request.on('error', () => {});
    take(request, response);
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  store.closeAllConnections();
  await new Promise((resolve) => store.close(resolve));
  rmSync(directory, { recursive: true });
});

function put(bytes = content.length, start = 0): Promise<void> {
  const uploadUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  const source = { name: 'the file', bytes, start, from: { file } };
  return putFile(scriptedTerminal({ directory }), { uploadUrl, headers: {} }, source, (some) => {
    moved += some;
  });
}

test.each([
  [content.length, 0],
  [1_234_567, 1_000_003],
  [0, 0],
])('%i bytes from %i on arrive as they are', async (bytes, start) => {
  let came = '';
  take = (request, response) => {
    const sum = createHash('sha256');
    request.on('data', (piece: Buffer) => sum.update(piece));
    request.on('end', () => {
      came = sum.digest('hex');
      response.end();
    });
  };
  await put(bytes, start);
  expect(came).toBe(digestOf(content.subarray(start, start + bytes)));
  expect(moved).toBe(bytes);
});

test('a file that has become shorter is not sent, with this reason', async () => {
  truncateSync(file, 100_000);
  take = (request) => request.resume();
  await expect(put()).rejects.toThrow('could not be sent: the file has become shorter');
  expect([asked, moved]).toEqual([requestAttemptsMax, 0]);
});

test('a store that refuses it before all is sent ends it at once', async () => {
  take = (_request, response) => response.writeHead(403).end();
  await expect(put()).rejects.toThrow('The store refuses the file with 403');
  expect([asked, moved]).toEqual([1, 0]);
});
