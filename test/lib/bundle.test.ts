import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/**
 * The bundles as `cdk synth` makes them, in a process of their own, which takes them away when it
 * ends.
 */
const script = `
  import { readFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { handlerBundles, handlerFolders } from './lib/bundle.ts';
  const bundles = handlerFolders().map((folder) => {
    const path = join(handlerBundles().directoryOf(folder), 'index.mjs');
    const code = readFileSync(path, 'utf8');
    const map = JSON.parse(readFileSync(path + '.map', 'utf8'));
    return {
      folder,
      path,
      bytes: code.length,
      handler: / as handler\\b/.test(code),
      sources: map.sources,
      content: map.sourcesContent !== undefined,
    };
  });
  console.log(JSON.stringify(bundles));
`;

type Bundle = {
  readonly folder: string;
  readonly path: string;
  readonly bytes: number;
  readonly handler: boolean;
  readonly sources: readonly string[];
  readonly content: boolean;
};

const { stdout } = await promisify(execFile)(
  'node_modules/.bin/node',
  ['--input-type=module-typescript', '-e', script],
  { maxBuffer: 1 << 26 },
);
const bundles: readonly Bundle[] = JSON.parse(stdout);

/** What every report, pass and fold loads at a cold start. */
const hot = ['report', 'rollup', 'schedule', 'tick'];
const hotBytesMax = 400_000;
const bytesMax = 1_000_000;

test('every function has a bundle that exports its handler', () => {
  expect(bundles.length).toBeGreaterThan(hot.length);
  expect(bundles.filter((it) => !it.handler).map((it) => it.folder)).toEqual([]);
});

test('bundles are small, those of the hot path smallest', () => {
  for (const { folder, bytes } of bundles) {
    expect(bytes, folder).toBeLessThan(hot.includes(folder) ? hotBytesMax : bytesMax);
  }
});

test('no bundle searches for credentials where a function has none', () => {
  const sources = bundles.flatMap((it) => it.sources);
  expect(sources.filter((it) => /credential-provider-(ini|sso|imds|process)/.test(it))).toEqual([]);
});

test('source maps name the sources by relative paths and do not carry them', () => {
  for (const { sources, content } of bundles) {
    expect(content).toBe(false);
    expect(sources.filter((it) => it.startsWith('/'))).toEqual([]);
  }
});

test('nothing of the bundles is left when the process has ended', () => {
  expect(bundles.filter((it) => existsSync(it.path))).toEqual([]);
});
