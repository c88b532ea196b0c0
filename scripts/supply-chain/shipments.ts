import { join } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';
import { bundleOptions, functionNames } from '../../lib/frame/bundle.ts';
import { root } from '../repository.mjs';
import type { Shipment } from './bill-of-materials.ts';
import { type LockedPackage, lockedPackages } from './lock-file.mjs';

/**
 * What is shipped, and which packages are in it: asked of a bundler, which reads what each entry
 * needs. A binary holds the runtime of its compiler besides.
 */
export function shipments(): Shipment[] {
  const packages = lockedPackages();
  const inside = (options: BuildOptions): string[] => packagesIn(options, packages);
  const program = { ...plain, platform: 'node', format: 'esm' } as const;
  const runtime = packages.filter(({ path }) => path === 'node_modules/bun').map(refOf);
  const agent = inside({ ...program, entryPoints: ['edge-agent/main.ts'] });
  const client = inside({ ...program, entryPoints: ['cli/main.ts'] });
  const functions = functionNames().map((name) => `lambdas/functions/${name}.ts`);
  return [
    { name: 'edgewise-agent', packages: new Set([...agent, ...runtime]) },
    { name: 'edgewise-client', packages: new Set([...client, ...runtime]) },
    {
      name: 'edgewise-functions',
      packages: new Set(inside({ ...bundleOptions('lean'), ...plain, entryPoints: functions })),
    },
    { name: 'edgewise-dashboard', packages: new Set(inside(dashboard)) },
  ];
}

const plain: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  // Each source is printed once, not once for each function that holds it.
  splitting: true,
  minify: false,
  write: false,
  outdir: join(root, 'dist'),
  logLevel: 'silent',
};

const dashboard: BuildOptions = {
  ...plain,
  platform: 'browser',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  entryPoints: ['dashboard/main.tsx'],
};

function packagesIn(options: BuildOptions, packages: readonly LockedPackage[]): string[] {
  const { metafile } = buildSync({ ...options, metafile: true });
  const paths = new Map(packages.map((one) => [one.path, one]));
  const found = new Set<string>();
  for (const input of Object.keys(metafile?.inputs ?? {})) {
    const path = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];
    if (path === undefined) continue;
    const locked = paths.get(path);
    if (locked === undefined) throw new Error(`${path} is not in the lock file`);
    found.add(refOf(locked));
  }
  return [...found].sort();
}

function refOf({ name, version }: LockedPackage): string {
  return `${name}@${version}`;
}
