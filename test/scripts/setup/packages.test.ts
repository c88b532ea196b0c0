import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/** A clone whose packages are a link to those of another one. */
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-packages-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('packages behind a link are never emptied by an installation', () => {
  const clone = join(directory, 'clone');
  const other = join(directory, 'other');
  mkdirSync(clone);
  mkdirSync(other);
  writeFileSync(join(other, 'precious'), '');
  cpSync(join(import.meta.dirname, '..', '..', '..', 'scripts'), join(clone, 'scripts'), {
    recursive: true,
  });
  writeFileSync(join(clone, 'package.json'), '{"name":"clone","type":"module"}');
  symlinkSync(other, join(clone, 'node_modules'));
  const { status, stderr } = spawnSync(process.execPath, ['scripts/test.mjs'], {
    cwd: clone,
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/is a link to another place: installing would empty that one/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(existsSync(join(other, 'precious'))).toBe(true);
});
