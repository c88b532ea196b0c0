import { expect, test } from 'vitest';
import { clashOf, pathProblem, staysBelow } from '../../../core/files/file-path.ts';
import { manifestEntriesMax } from '../../../core/files/limits.ts';
import { formatManifest, parseManifest } from '../../../core/files/manifest.ts';

const sha256 = 'a'.repeat(64);
const file = (path: string, more: object = {}) => ({ path, sha256, bytes: 1, ...more });
const parsed = (...entries: unknown[]) => parseManifest(entries);

test('equal trees are equal manifests, whatever the order', () => {
  const files = ['b', 'a/c', 'a-b', 'ä'].map((path) => ({
    ...file(path),
    isExecutable: path === 'b',
  }));
  const links = [{ path: 'z', link: 'a/c' }];
  const text = formatManifest({ files, links });
  expect(formatManifest({ files: files.toReversed(), links })).toBe(text);
  const back = parseManifest(JSON.parse(text));
  if (typeof back === 'string') throw new Error(back);
  expect(formatManifest(back)).toBe(text);
  expect(back.files.find(({ path }) => path === 'b')?.isExecutable).toBe(true);
});

test.each([
  ['nothing', null],
  ['no list', {}],
  ['no object', [1]],
  ['no path', [{}]],
  ['no digest', [{ path: 'a', bytes: 1 }]],
  ['a short digest', [{ path: 'a', bytes: 1, sha256: 'aa' }]],
])('what is no manifest is refused: %s', (_name, value) => {
  expect(parseManifest(value)).toEqual(expect.any(String));
});

test.each([
  ['upwards', file('../a')],
  ['absolute', file('/a')],
  ['upwards in between', file('a/../../b')],
  ['a name of a thousand characters', file('n'.repeat(1_000))],
  ['a NUL', file('a\0b')],
  ['a negative size', file('a', { bytes: -1 })],
  ['a set-user mode', file('a', { mode: '4755' })],
  ['a link out', { path: 'a/b', link: '../../c' }],
  ['an absolute link', { path: 'a', link: '/etc' }],
  ['a link and a file', { path: 'a', link: 'b', sha256 }],
])('a hostile entry is refused: %s', (_name, entry) => {
  expect(parsed(entry)).toEqual(expect.any(String));
});

test('nothing lies below a file or a link, so that no write goes through one', () => {
  expect(parsed({ path: 'a', link: 'b' }, file('a/x'))).toMatch(/cannot both/);
  expect(parsed(file('a'), file('a/x'))).toMatch(/cannot both/);
  expect(parsed(file('a'), file('a'))).toMatch(/cannot both/);
  expect(parsed(file('a/x'), file('a-b'), file('a.b'))).toEqual(expect.any(Object));
});

test('a manifest has an end', () => {
  const entries = Array.from({ length: manifestEntriesMax + 1 }, (_, at) => file(`f${at}`));
  expect(parsed(...entries)).toMatch(/more than/);
});

test('a link may lead anywhere below', () => {
  expect(staysBelow('a/b/c', '../../d')).toBe(true);
  expect(staysBelow('a/b/c', '../../../d')).toBe(false);
  expect(staysBelow('a', '.')).toBe(true);
  expect(staysBelow('a', 'b/../..')).toBe(false);
});

test('paths with other characters than letters are paths', () => {
  for (const path of ['a b', "it's", '-rf', '…', '🙂', 'C:\\x', '~']) {
    expect(pathProblem(path)).toBeNull();
  }
  expect(pathProblem('\ud83d')).not.toBeNull();
  expect(clashOf(['a', 'b/a', 'a b'])).toBeNull();
});
