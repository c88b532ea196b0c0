import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openApi } from '../../../cli/client/api.ts';
import { readSource } from '../../../cli/files/local-input.ts';
import { uploadFiles } from '../../../cli/files/upload-files.ts';
import { fileInPartsBytesMin, filePartBytes } from '../../../core/files/limits.ts';
import { cut } from '../../memory/parted-files.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../api/served-fleet.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

let directory: string;
let fleet: ServedFleet;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-parts-'));
  fleet = await startServedFleet();
});
afterEach(async () => {
  await fleet.close();
  rmSync(directory, { recursive: true, force: true });
});

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** A file of zeros behind its name, which takes no room. */
function largeFile(name: string, bytes: number): string {
  const path = join(directory, name);
  writeFileSync(path, name);
  truncateSync(path, bytes);
  return path;
}

async function upload(path: string): Promise<string> {
  const terminal = scriptedTerminal({ directory });
  const api = openApi({ url: fleet.url, token: adminSecret }, terminal);
  await uploadFiles(api, terminal, [await readSource(path)], undefined);
  return terminal.talk();
}

test('a large file is known by its digest and those of its parts, read once', async () => {
  const large = await readSource(largeFile('large', fileInPartsBytesMin + 1));
  const bytes = Buffer.alloc(fileInPartsBytesMin + 1);
  bytes.write('large');
  expect(large.sha256).toBe(digestOf(bytes));
  expect(large.parts).toEqual(cut(bytes).map(digestOf));
  expect(await readSource(largeFile('small', 5))).not.toHaveProperty('parts');
});

test('of a file that ends with a part there is no part behind it', async () => {
  const bytes = 2 * filePartBytes;
  const { parts, ...large } = await readSource(largeFile('large', bytes));
  const zeros = digestOf(Buffer.alloc(filePartBytes));
  expect([parts?.length, parts?.[1], large.bytes]).toEqual([2, zeros, bytes]);
});

test('a link to a large file is as large as the file', async () => {
  const path = join(directory, 'link');
  symlinkSync(largeFile('large', fileInPartsBytesMin + 1), path);
  expect((await readSource(path)).parts).toHaveLength(2);
});

test('what is there of a large file is not sent again', async () => {
  const bytes = fileInPartsBytesMin + 1;
  const path = largeFile('large', bytes);
  const { sha256, parts } = await readSource(path);
  const body = { sha256, bytes, parts };
  const { json } = await fleet.api.request('POST', '/v1/files', { body });
  const [{ uploadUrl: url, headers }] = json.parts;
  const first = Buffer.alloc(filePartBytes);
  first.write('large');
  expect(fleet.api.services.files.put({ url, headers }, first)).toBe(200);
  const rest = ((bytes - filePartBytes) / 1_000_000).toFixed(1);
  expect(await upload(path)).toContain(`sent 1 of 1 file, ${rest} MB`);
  expect((await fleet.api.services.files.find('default', sha256))?.bytes).toBe(bytes);
  expect(await upload(path)).toContain('1 file, 100.0 MB: all there already');
});
