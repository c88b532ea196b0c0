import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { importsOf, sourceFiles } from '../source-files.ts';

/**
 * All bundles as `cdk synth` makes them, in a process of their own, which takes them away when it
 * ends.
 */
const script = `
  import { readFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { functionNames, handlerBundles, sdkOf } from './lib/frame/bundle.ts';
  const bundles = functionNames().map((name) => {
    const path = join(handlerBundles(sdkOf(undefined)).directoryOf(name), 'index.mjs');
    const code = readFileSync(path, 'utf8');
    const map = JSON.parse(readFileSync(path + '.map', 'utf8'));
    return {
      name,
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
  readonly name: string;
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

const bytesMax = 1_000_000;

/** The phase that places, the drafts it works on, and the reasons it leaves. */
const explaining = ['draft.ts', 'order-backlog.ts', 'place-job.ts', 'waiting.ts'];

test('every function has a bundle that exports its handler', () => {
  expect(bundles.length).toBeGreaterThan(15);
  expect(bundles.filter((it) => !it.handler).map((it) => it.name)).toEqual([]);
});

test('bundles are small', () => {
  for (const { name, bytes } of bundles) expect(bytes, name).toBeLessThan(bytesMax);
});

test('the function that reads jobs places and explains, and has no other phase of a pass', () => {
  const reconcile = sourceFiles().find(({ path }) => /^core\/.*\breconcile\.ts$/.test(path))!;
  const phases = importsOf(reconcile)
    .filter((name) => name.includes('/reconcile/') || name.includes('/phases/'))
    .map((name) => basename(name));
  const heldBy = (held: string) => {
    const sources = bundles.find((it) => it.name === held)!.sources.map((it) => basename(it));
    return phases.filter((name) => sources.includes(name)).sort();
  };
  expect(heldBy('schedule')).toEqual([...phases].sort());
  expect(heldBy('api/jobs-read').filter((name) => !explaining.includes(name))).toEqual([]);
});

test('who checks no documents has nothing to check them with', () => {
  const validating = (name: string) =>
    bundles.find((it) => it.name === name)!.sources.filter((it) => it.includes('/zod/'));
  for (const name of ['api/live', 'api/edge-removal']) {
    expect(validating(name), name).toEqual([]);
  }
  expect(validating('api/jobs-write')).not.toEqual([]);
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
