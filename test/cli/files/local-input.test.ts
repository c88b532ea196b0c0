import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLocalArchive, readLocalInput } from '../../../cli/files/local-input.ts';
import { inputsSchema } from '../../../core/contract/files/file-body.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-input-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('a file that may be run is one for the chunk as well', async () => {
  writeFileSync(join(directory, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(directory, 'data'), 'data\n', { mode: 0o644 });
  const program = (await readLocalInput('run.sh', directory)).input;
  const data = (await readLocalInput('data', directory)).input;
  expect(program).toMatchObject({ path: 'run.sh', executable: true });
  expect(data).toEqual({ path: 'data', sha256: expect.any(String) });
  expect(inputsSchema.safeParse([program, data]).success).toBe(true);
});

test('a tree says of each of its files whether it may be run', async () => {
  mkdirSync(join(directory, 'tools'));
  writeFileSync(join(directory, 'tools', 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(join(directory, 'tools', 'data'), 'data\n', { mode: 0o644 });
  const { input, sources } = await readLocalInput('tools', directory);
  expect(input).not.toHaveProperty('executable');
  const texts = sources.flatMap(({ from }) => ('text' in from ? JSON.parse(from.text) : []));
  expect(texts).toMatchObject([
    { path: 'data', mode: '644' },
    { path: 'run.sh', mode: '755' },
  ]);
  expect(inputsSchema.safeParse([{ ...input, executable: true }]).success).toBe(false);
});

test('an archive lies below its name, or where it is said', async () => {
  for (const name of ['data.tar.gz', 'data.tgz', 'data.bin']) {
    writeFileSync(join(directory, name), 'packed');
  }
  const inputOf = async (word: string) => (await readLocalArchive(word, directory)).input;
  const sha256 = expect.any(String);
  for (const word of ['data.tar.gz', 'data.tgz', 'data=data.bin', 'data/=data.tgz']) {
    expect(await inputOf(word)).toEqual({ path: 'data', sha256, unpack: 'tar.gz' });
  }
  expect(inputsSchema.safeParse([await inputOf('data.tgz')]).success).toBe(true);
  for (const word of ['data.bin', 'none.tgz', '../up=data.tgz', 'x=.']) {
    await expect(inputOf(word)).rejects.toMatchObject({ code: 2 });
  }
});
