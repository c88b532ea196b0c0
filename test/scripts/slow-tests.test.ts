import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, type SourceFile, sourceFiles } from '../source-files.ts';

/**
 * A test of the local cloud that starts programs, servers or databases has a name that says so:
 * `*.slow.test.ts`. All others are the gate of every commit, and run beside each other in one
 * process.
 */
const files = new Map(
  sourceFiles()
    .filter(({ path }) => path.startsWith('local/test/'))
    .map((file) => [file.path, file]),
);
const programs = /^node:(child_process|net|tls|http)$/;

/** What it starts, itself or through what it imports of the tests. */
function startsOf(file: SourceFile, seen = new Set<string>()): string[] {
  if (seen.has(file.path)) return [];
  seen.add(file.path);
  return importsOf(file).flatMap((name) => {
    if (programs.test(name)) return [`${file.path}: ${name}`];
    const target = posix.normalize(posix.join(posix.dirname(file.path), name));
    const next = name.startsWith('.') ? files.get(target) : undefined;
    return next === undefined ? [] : startsOf(next, seen);
  });
}

const isFast = (path: string): boolean =>
  path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts') && !/\/flow\//.test(path);

test('a test that starts something says so in its name', () => {
  const fast = [...files.values()].filter(({ path }) => isFast(path));
  expect(fast.length).toBeGreaterThan(15);
  expect(fast.flatMap((file) => startsOf(file))).toEqual([]);
});

test('what a slow test starts is seen', () => {
  const slow = files.get('local/test/services/iot/shadow/conformance.slow.test.ts')!;
  expect(startsOf(slow)).toContain('local/test/services/iot/fixture.ts: node:http');
});
