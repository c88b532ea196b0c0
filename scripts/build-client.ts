/**
 * `npm run build:client`: the client in TypeScript as a package, for Node 20 and for browsers: one
 * module, and its types.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { endWith, node, root } from './repository.mjs';

const source = join(root, 'clients', 'typescript');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { outdir: { type: 'string', default: join(root, 'dist', 'client-typescript') } },
  });
  const { outdir } = values;
  rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: [join(source, 'edgewise.ts')],
    outfile: join(outdir, 'edgewise.js'),
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
  writeTypes(outdir);
  for (const file of ['LICENSE', 'clients/typescript/README.md']) {
    cpSync(join(root, file), join(outdir, file.slice(file.lastIndexOf('/') + 1)));
  }
  writeFileSync(join(outdir, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
  console.log(outdir);
}

const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

const description = {
  name: 'edgewise-client',
  version: own.version,
  description: 'Submit jobs to Edgewise and follow them, from Node and from browsers.',
  license: own.license,
  type: 'module',
  exports: { '.': { types: './edgewise.d.ts', default: './edgewise.js' } },
  engines: { node: '>=20.3' },
  sideEffects: false,
};

function writeTypes(outdir: string): void {
  const place = mkdtempSync(join(outdir, 'types-'));
  try {
    const tsconfig = join(place, 'tsconfig.json');
    const files = [join(source, 'edgewise.ts')];
    const settings = { extends: join(root, 'tsconfig.json'), include: [], files };
    writeFileSync(tsconfig, JSON.stringify(settings));
    const program = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const flags = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly'];
    const types = ['--typeRoots', join(root, 'node_modules', '@types')];
    const words = ['-p', tsconfig, ...flags, ...types, '--rootDir', source, '--outDir', place];
    execFileSync(node, [program, ...words], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
    for (const name of ['edgewise', 'refusal', 'repeat', 'api.generated']) {
      const text = readFileSync(join(place, `${name}.d.ts`), 'utf8');
      const out = join(outdir, `${name}.d.ts`);
      writeFileSync(out, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

await main().catch(endWith);
