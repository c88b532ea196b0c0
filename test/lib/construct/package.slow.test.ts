import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resourcesIn } from './template-file.ts';

/**
 * The package as others install it: the example app, somewhere else, with nothing of this
 * repository but that package and the CDK.
 */
const root = join(import.meta.dirname, '../../..');
const place = mkdtempSync(join(tmpdir(), 'edgewise-construct-'));
const modules = join(place, 'node_modules');
/** The compiler would leave what it compiled of itself. */
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1', NODE_OPTIONS: '' };
const run = (program: string, ...words: string[]): string =>
  execFileSync(process.execPath, [program, ...words], { cwd: place, env, encoding: 'utf8' });

beforeAll(() => {
  mkdirSync(modules);
  run(join(root, 'scripts/build-construct.ts'), '--outdir', join(modules, 'edgewise'));
  for (const name of ['aws-cdk-lib', 'constructs', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  cpSync(join(root, 'lib/example/app.ts'), join(place, 'app.ts'));
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('the example fits the types of the package', () => {
  const flags = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--noEmit'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(run(tsc, ...flags, '--skipLibCheck', '--types', 'node', 'app.ts')).toBe('');
});

test('the example is synthesized, with the functions as they are deployed', () => {
  const out = join(place, 'cdk.out');
  execFileSync(process.execPath, ['app.ts'], { cwd: place, env: { ...env, CDK_OUTDIR: out } });
  const resources = resourcesIn(join(out, 'Plant.template.json'));
  const functions = resources.filter(({ Type }) => Type === 'AWS::Lambda::Function');
  const keys = functions.map(({ Properties }) => String(Properties.Code?.S3Key));
  expect(new Set(keys).size).toBe(functions.length);
  for (const key of keys) {
    const code = readFileSync(join(out, `asset.${key.replace('.zip', '')}`, 'index.mjs'), 'utf8');
    expect(code).toMatch(/export\s*\{[^}]*\bhandler\b/);
  }
  expect(resources.filter(({ Type }) => Type === 'AWS::SSM::Parameter')).toHaveLength(1);
});

test('the dashboard is in it, and what somebody has to know', () => {
  const inside = (path: string) => readFileSync(join(modules, 'edgewise', path), 'utf8');
  expect(inside('dashboard/index.html')).toContain('<div id="app"');
  expect(inside('README.md')).toContain('new Edgewise(');
  const { dependencies, peerDependencies } = JSON.parse(inside('package.json'));
  expect(dependencies).toBeUndefined();
  expect(Object.keys(peerDependencies)).toEqual(['aws-cdk-lib', 'constructs']);
  expect(inside('index.mjs')).not.toContain(root);
});
