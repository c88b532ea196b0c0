import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, root, sourceFiles } from '../source-files.ts';

type Manifest = {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

const product = manifestOf('.');
const manifests = [product, ...(product.workspaces ?? []).map(manifestOf)];

/** Each package with its version, and who asks for it. */
const wanted = manifests.flatMap(({ name, dependencies, devDependencies, optionalDependencies }) =>
  Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }).map(
    ([dependency, version]) => ({ name, dependency, version }),
  ),
);

test('a package that several use has one version, and an exact one', () => {
  expect(manifests.length).toBeGreaterThan(1);
  const versions = new Map<string, Set<string>>();
  for (const { dependency, version } of wanted) {
    versions.set(dependency, (versions.get(dependency) ?? new Set()).add(version));
  }
  const several = [...versions].filter(([, found]) => found.size > 1).map(([name]) => name);
  expect(several).toEqual([]);
  expect(wanted.filter(({ version }) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('a workspace asks for every package that it uses', () => {
  for (const folder of product.workspaces ?? []) {
    const own = wanted.filter(({ name }) => name === manifestOf(folder).name);
    const known = new Set(own.map(({ dependency }) => dependency));
    const used = sourceFiles()
      .filter(({ path }) => path.startsWith(`${folder}/`))
      .flatMap(importsOf)
      .filter((name) => !/^(\.|node:)/.test(name))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
    expect(used.length).toBeGreaterThan(0);
    expect([...new Set(used)].filter((name) => !known.has(name))).toEqual([]);
  }
});

test('what is installed comes from no address', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { resolved?: string; link?: boolean }>;
  };
  const addressed = Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined);
  expect(addressed.map(({ resolved, link }) => [resolved, link])).toEqual([['local', true]]);
});
