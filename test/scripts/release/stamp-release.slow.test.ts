import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stampRelease } from '../../../scripts/release/stamp-release.ts';

/** On a repository of its own, with the real git. */
let folder: string;
/** A git without settings of anybody. */
const env = () => ({ PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' });
const git = (...words: string[]): string =>
  execFileSync('git', words, { cwd: folder, encoding: 'utf8', env: env() }).trim();
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'edgewise-release-'));
  mkdirSync(join(folder, 'local'));
  const manifest = { version: '0.1.0' };
  const lock = { ...manifest, packages: { '': manifest, local: manifest } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'local', 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n- New.\n');
  git('init', '--quiet');
  git('config', 'user.name', 'somebody');
  git('config', 'user.email', 'somebody@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all: begin');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const commits = () => Number(git('rev-list', '--count', 'HEAD'));

test('one version everywhere, in one commit', () => {
  stampRelease(folder, '0.2.0', '2026-02-03', env());
  for (const name of ['package.json', 'local/package.json', 'package-lock.json']) {
    expect(JSON.parse(read(name)).version).toBe('0.2.0');
  }
  expect(read('CHANGELOG.md')).toContain('## 0.2.0 (2026-02-03)');
  expect(git('status', '--porcelain')).toBe('');
  expect(commits()).toBe(2);
});

test('one that broke off afterwards goes on from its commit', () => {
  stampRelease(folder, '0.2.0', '2026-02-03', env());
  stampRelease(folder, '0.2.0', '2026-02-04', env());
  expect(commits()).toBe(2);
});

test('the first release has the version that stands there', () => {
  stampRelease(folder, '0.1.0', '2026-02-03', env());
  expect(commits()).toBe(2);
});

test('refuses changes that are not committed, and touches nothing', () => {
  writeFileSync(join(folder, 'stray'), '');
  expect(() => stampRelease(folder, '0.2.0', '2026-02-03', env())).toThrow(
    'not committed:\n?? stray',
  );
  expect(commits()).toBe(1);
});

test.each([
  ['0.0.9', 'not newer than 0.1.0'],
  ['0.1.0-rc.1', 'not newer than 0.1.0'],
  ['next', 'is no version'],
])('refuses %s', (version, why) => {
  expect(() => stampRelease(folder, version, '2026-02-03', env())).toThrow(why);
  expect(git('status', '--porcelain')).toBe('');
});

test('refuses what has a tag', () => {
  git('tag', 'v0.2.0');
  expect(() => stampRelease(folder, '0.2.0', '2026-02-03', env())).toThrow('is released');
});
