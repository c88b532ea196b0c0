import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { downloadFile } from '../../../cli/results/download-file.ts';
import { partialOf } from '../../../cli/results/partial.ts';
import { systemClock } from '../../../edge-agent/host/clock.ts';
import { download } from '../../../edge-agent/inputs/download.ts';
import { scriptedTerminal } from '../../cli/scripted-terminal.ts';

/** A device that says of every byte that the disk is full. */
const full = '/dev/full';

const bytes = randomBytes(3_000_000);
const digest = createHash('sha256').update(bytes).digest('hex');

let directory: string;
let store: Server;
let url: string;
let asked: number;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-full-'));
  asked = 0;
  store = createServer((_request, response) => {
    asked += 1;
    response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});
afterEach(async () => {
  store.closeAllConnections();
  await new Promise((resolve) => store.close(resolve));
  rmSync(directory, { recursive: true });
});

test.skipIf(!existsSync(full))(
  'a disk that is full in the middle is no fault of the input',
  async () => {
    const path = join(directory, 'part');
    symlinkSync(full, path);
    const signal = new AbortController().signal;
    const wanted = { url, digest, path, clock: systemClock, signal, makeRoom: () => true };
    await expect(download(wanted)).rejects.toMatchObject({ kind: 'no-free-disk' });
    rmSync(path);
    await download(wanted);
    expect(existsSync(path)).toBe(true);
  },
);

test.skipIf(!existsSync(full))('who pulls onto a full disk hears it at once', async () => {
  const target = join(directory, 'result');
  symlinkSync(full, partialOf({ target, sha256: digest }));
  const terminal = scriptedTerminal({ directory });
  const wanted = { url, sha256: digest, bytes: bytes.length, target, executable: false };
  const pulling = downloadFile(terminal, wanted, () => {});
  await expect(pulling).rejects.toThrow(/no space left/i);
  expect(asked).toBe(1);
  expect(existsSync(target)).toBe(false);
});
