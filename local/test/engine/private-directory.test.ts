/** Who may look into the state directory: its owner, whatever was there before. */
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPrivateDirectory } from '../../engine/private-directory.ts';
import { openStore } from '../../engine/state-store.ts';
import { temporaryDir } from '../temporary-dir.ts';

let place: string;
beforeEach(() => {
  place = temporaryDir();
});
afterEach(() => rmSync(place, { recursive: true }));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** A directory with this mode, whatever the umask. */
function directory(name: string, mode: number): string {
  const path = join(place, name);
  mkdirSync(path);
  chmodSync(path, mode);
  return path;
}

describe('a directory is closed', () => {
  test('that is not there yet', () => {
    openPrivateDirectory(join(place, 'a', 'b'));
    expect(modeOf(join(place, 'a', 'b'))).toBe('700');
  });

  test('that is empty', () => {
    const path = directory('open', 0o777);
    openPrivateDirectory(path);
    expect(modeOf(path)).toBe('700');
  });

  test('into which a start has logged already', () => {
    const path = directory('logged', 0o755);
    mkdirSync(join(path, 'log'));
    openPrivateDirectory(path);
    expect(modeOf(path)).toBe('700');
  });

  test('that an earlier version has left open, with its secrets', () => {
    const path = directory('earlier', 0o755);
    writeFileSync(join(path, 'cloud.sqlite'), '');
    chmodSync(join(path, 'cloud.sqlite'), 0o644);
    writeFileSync(join(path, 'anything'), '');
    const store = openStore(path);
    store.put('secret', 'name', 'value');
    expect(modeOf(path)).toBe('700');
    for (const file of ['cloud.sqlite', 'cloud.sqlite-wal']) {
      expect(modeOf(join(path, file))).toBe('600');
    }
    store.close();
  });
});

test('one that others use as well is refused and left as it is', () => {
  const path = directory('shared', 0o755);
  writeFileSync(join(path, 'letter.txt'), '');
  expect(() => openPrivateDirectory(path)).toThrow(/directory of its own/);
  expect(modeOf(path)).toBe('755');
});

test('a closed one may hold whatever it holds', () => {
  const path = directory('closed', 0o700);
  writeFileSync(join(path, 'letter.txt'), '');
  expect(() => openPrivateDirectory(path)).not.toThrow();
});
