import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { bundleOptions, sdkOf } from '../../lib/frame/bundle.ts';

/**
 * What every report, pass and fold loads at a cold start. `report` holds the scheduler as well: it
 * applies the reports of a quiet cell itself (decision 33). The bound is that of decision 164.
 */
const hot = ['report', 'rollup', 'schedule', 'tick'];
const hotBytesMax = 175_000;
/** It runs before each request. */
const authorizer = 'api/authorizer';
const authorizerBytesMax = 30_000;

type Bundle = { readonly bytes: number; readonly sources: readonly string[] };

function bundlesOf(names: readonly string[]): ReadonlyMap<string, Bundle> {
  const { metafile } = buildSync({
    ...bundleOptions('lean'),
    entryPoints: names.map((name) => `lambdas/functions/${name}.ts`),
    outdir: 'dist',
    outbase: 'lambdas/functions',
    write: false,
    metafile: true,
  });
  return new Map(
    Object.entries(metafile!.outputs).map(([path, { bytes, inputs }]) => [
      path.replace(/^dist\/|\.js$/g, ''),
      { bytes, sources: Object.keys(inputs) },
    ]),
  );
}

const bundles = bundlesOf([...hot, authorizer]);
const sources = [...bundles.values()].flatMap((it) => it.sources);

test('bundles of the hot path are small', () => {
  expect([...bundles.keys()].sort()).toEqual([...hot, authorizer].sort());
  for (const [name, { bytes }] of bundles) {
    expect(bytes, name).toBeLessThan(name === authorizer ? authorizerBytesMax : hotBytesMax);
  }
});

test('they hold neither the SDK nor what documents are checked with', () => {
  expect(sources.filter((it) => /@aws-sdk|@smithy|\/zod\//.test(it))).toEqual([]);
  expect(sources).toContain('adapters/aws/signed-client.ts');
});

test('which SDK is meant is said in so many words', () => {
  expect(sdkOf('official')).toBe('official');
  expect(sdkOf('lean')).toBe('lean');
  expect(() => sdkOf('oficial')).toThrow('edgewise:sdk must be lean or official, not oficial');
});
