/**
 * `npm run build:construct`: the construct as a package that others install into their own CDK
 * app. What it needs at synthesis is in it: its functions as they are deployed, and the files of
 * the dashboard; only the CDK itself is the app's own.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { writeBundles } from '../lib/frame/bundle.ts';
import { endWith, node, root } from './repository.mjs';
import { ensureDashboard } from './setup/synthesis.mjs';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { outdir: { type: 'string', default: join(root, 'dist', 'construct') } },
  });
  const { outdir } = values;
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: { index: 'lib/edgewise.ts' },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.11',
    external: Object.keys(peers),
    plugins: [functionsAreShipped],
    logLevel: 'warning',
  });
  writeTypes(outdir);
  writeBundles('lean', join(outdir, 'functions'));
  cpSync(await ensureDashboard(), join(outdir, 'dashboard'), { recursive: true });
  for (const file of ['LICENSE', 'lib/README.md', 'CHANGELOG.md']) {
    cpSync(join(root, file), join(outdir, file.replace('lib/', '')));
  }
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
  console.log(outdir);
}

const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** A minor version of the CDK adds properties and takes none away. */
const peers = {
  'aws-cdk-lib': `^${own.devDependencies['aws-cdk-lib']}`,
  constructs: `^${own.devDependencies.constructs}`,
};

const description = {
  name: own.name,
  version: own.version,
  description: own.description,
  license: own.license,
  type: 'module',
  exports: { '.': { types: './index.d.ts', default: './index.mjs' } },
  engines: { node: '>=20.11' },
  peerDependencies: peers,
};

const functionsAreShipped: Plugin = {
  name: 'functions are shipped',
  setup({ onResolve }) {
    onResolve({ filter: /\/bundle\.ts$/ }, () => ({
      path: join(root, 'lib', 'frame', 'shipped-bundles.ts'),
    }));
  },
};

/** What an app may name; what it is made of is nobody's business. */
const typeFiles = {
  'edgewise.d.ts': 'index.d.ts',
  'frame/own-name.d.ts': 'frame/own-name.d.ts',
  'frame/sign-in.d.ts': 'frame/sign-in.d.ts',
};

function writeTypes(outdir: string): void {
  const place = mkdtempSync(join(root, 'dist', 'types-'));
  try {
    const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
    const tsconfig = join(place, 'tsconfig.json');
    const files = [join(root, 'lib', 'edgewise.ts')];
    writeFileSync(tsconfig, JSON.stringify({ extends: '../../tsconfig.json', include: [], files }));
    const program = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const words = ['-p', tsconfig, ...flags, '--rootDir', root, '--outDir', place];
    execFileSync(node, [program, ...words], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    for (const [from, to] of Object.entries(typeFiles)) {
      const text = readFileSync(join(place, 'lib', from), 'utf8');
      mkdirSync(dirname(join(outdir, to)), { recursive: true });
      writeFileSync(join(outdir, to), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

await main().catch(endWith);
