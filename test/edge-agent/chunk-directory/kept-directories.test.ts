import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeptDirectories } from '../../../edge-agent/chunk-directory/kept-directories.ts';
import { makeTreeRemover } from '../../../edge-agent/chunk-directory/tree-remover.ts';
import { keptDirectoriesMax } from '../../../edge-agent/limits.ts';
import { waitUntil } from '../../wait-until.ts';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'edgewise-kept-'));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

test('a directory that is being removed takes nobody else with it', async () => {
  const root = join(base, 'kept');
  const leaving: string[] = [];
  const remover = {
    // Emptying it makes it younger than all others, long before it is gone.
    remove(path: string): void {
      leaving.push(path);
      utimesSync(path, new Date(), new Date());
    },
    settled: async () => {},
  };
  const kept = openKeptDirectories({ root, remover, log: () => {} });
  const names = Array.from({ length: keptDirectoriesMax + 3 }, (_, at) => `chunk-${at}`);
  for (const [at, name] of names.entries()) {
    mkdirSync(join(base, name));
    kept.keep(join(base, name));
    const expected = Math.max(0, at + 1 - keptDirectoriesMax);
    await waitUntil(() => leaving.length >= expected);
  }
  expect(leaving).toHaveLength(3);
  expect(new Set(leaving).size).toBe(3);
  expect(readdirSync(base)).toEqual(['kept']);
});

function open() {
  const root = join(base, 'kept');
  const log = (): void => {};
  const remover = makeTreeRemover({ asChunkUser: null, amongContainerUsers: null, log });
  const kept = openKeptDirectories({ root, remover, log });
  const keep = (name: string): void => {
    mkdirSync(join(base, name));
    kept.keep(join(base, name));
  };
  return { keep, listed: () => readdirSync(root).sort() };
}

test('of many that fail within one tick of the clock, the last ten stay', async () => {
  const { keep, listed } = open();
  // Their names come in another order than they do.
  const names = Array.from({ length: 60 }, (_, i) => `${String((i * 7) % 60).padStart(2, '0')}`);
  for (const name of names) keep(name);
  await waitUntil(() => listed().length === keptDirectoriesMax);
  expect(listed()).toEqual(names.slice(-keptDirectoriesMax).sort());
});

test('what an earlier start of the agent kept goes first', async () => {
  for (let i = 0; i < 10; i++) mkdirSync(join(base, 'kept', `before-${i}`), { recursive: true });
  const { keep, listed } = open();
  for (let i = 0; i < 4; i++) keep(`after-${i}`);
  await waitUntil(() => listed().length === keptDirectoriesMax);
  expect(listed().filter((name) => name.startsWith('after-'))).toHaveLength(4);
});
