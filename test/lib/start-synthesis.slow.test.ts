import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstStage, synthesisInto } from '../../scripts/setup/synthesis.mjs';

/**
 * A start runs the app without the CDK's command line tool and its checks; what it runs must be
 * what would be deployed.
 */
test('a start synthesizes what "cdk synth" does, which finds nothing to object to', () => {
  const home = mkdtempSync(join(tmpdir(), 'synthesis-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const [ours, theirs] = [join(home, 'start'), join(home, 'cdk')];
  const { args, env } = synthesisInto(ours);
  execFileSync(process.execPath, args, { env: { ...process.env, ...env } });
  const cdk = join('node_modules', 'aws-cdk', 'bin', 'cdk');
  const words = ['synth', '-q', '--no-notices', '-o', theirs];
  const onOldNode = { ...process.env, PATH: `${oldNode(home)}:${process.env.PATH}` };
  execFileSync(process.execPath, [cdk, ...words], { stdio: 'pipe', env: onOldNode });
  expect(resourcesOf(ours)).toEqual(resourcesOf(theirs));
  expect(filesOf(ours)).toEqual(filesOf(theirs));
});

/** What `cdk bootstrap` and `cdk list` leave in `cdk.out` can be deployed from there. */
test('an app that is run for its outline only has the code of its functions as well', () => {
  const home = mkdtempSync(join(tmpdir(), 'synthesis-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const { args, env } = synthesisInto(home);
  const context = { ...JSON.parse(env.CDK_CONTEXT_JSON), 'aws:cdk:bundling-stacks': [] };
  const given = { ...process.env, ...env, CDK_CONTEXT_JSON: JSON.stringify(context) };
  execFileSync(process.execPath, args, { env: given });
  const functions = Object.values(resourcesOf(home)) as { Properties?: { Code?: object } }[];
  const codes = functions.flatMap(({ Properties }) => Properties?.Code ?? []);
  expect(codes.length).toBeGreaterThan(10);
  for (const code of codes) expect(code).toHaveProperty('S3Key');
});

/** The CDK tells the app whose credentials it found. */
test('whoever deploys without our command is refused where the stage does not belong', () => {
  const home = mkdtempSync(join(tmpdir(), 'synthesis-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const { args, env } = synthesisInto(home);
  const own = { 'edgewise:places': { [firstStage]: '123456789012/eu-west-1' } };
  const CDK_CONTEXT_JSON = JSON.stringify({ ...JSON.parse(env.CDK_CONTEXT_JSON), ...own });
  const runAs = (account: string, region: string) => {
    const found = { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region };
    const given = { ...process.env, ...env, CDK_CONTEXT_JSON, ...found };
    return spawnSync(process.execPath, args, { env: given, encoding: 'utf8' });
  };
  const refused = runAs('999999999999', 'eu-west-1');
  expect(refused.status).not.toBe(0);
  expect(refused.stderr).toContain('Edgewise belongs in 123456789012/eu-west-1; these credentials');
  expect(existsSync(join(home, 'Edgewise.template.json'))).toBe(false);
  expect(runAs('123456789012', 'eu-west-1').status).toBe(0);
});

/**
 * Most people have a `cdk` of their own, on the Node of their host, which may be too old to read
 * the app as it is written: the app runs on the project's own.
 */
function oldNode(home: string): string {
  const node = join(home, 'node');
  writeFileSync(node, '#!/bin/sh\necho "this Node cannot run TypeScript" >&2\nexit 9\n');
  chmodSync(node, 0o755);
  return home;
}

type Resource = { readonly Type: string; readonly Metadata?: object };

/** Without notes for the tools of AWS, such as where an asset came from. */
function resourcesOf(directory: string): Record<string, object> {
  const text = readFileSync(join(directory, 'Edgewise.template.json'), 'utf8');
  const { Resources } = JSON.parse(text) as { Resources: Record<string, Resource> };
  return Object.fromEntries(
    Object.entries(Resources).map(([id, { Metadata: _, ...resource }]) => [id, resource]),
  );
}

function filesOf(directory: string): string[] {
  const text = readFileSync(join(directory, 'Edgewise.assets.json'), 'utf8');
  const { files } = JSON.parse(text) as { files: Record<string, { source: { path: string } }> };
  return Object.values(files)
    .map((file) => file.source.path)
    .filter((path) => path.startsWith('asset.'))
    .sort();
}
