import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { judgeRelease } from '../../../edge-agent/update/judge-release.ts';
import { parseUpdates } from '../../../edge-agent/update/updates-rule.ts';
import { writeManifest } from '../../../scripts/release/sign-manifest.ts';

test('a release is signed so that an agent takes it, and has the programs and nothing else', () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-release-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const [built, folder] = [join(directory, 'built'), join(directory, 'folder')];
  mkdirSync(built);
  mkdirSync(folder);
  const name = 'edgewise-agent-linux-x64';
  for (const file of [name, 'edgewise-linux-arm64', 'changelog.gz']) {
    writeFileSync(join(built, file), file);
  }
  const { privateKey } = generateKeyPairSync('ed25519');
  const madeAt = '2026-01-01T00:00:00.000Z';
  writeManifest({ built, folder, version: '1.1.0', madeAt, signer: privateKey });
  const programs = [name, 'edgewise-linux-arm64'];
  expect(readdirSync(folder).toSorted()).toEqual([...programs, 'manifest.json']);
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const signers = { acme: manifest.signature.key };
  const rule = parseUpdates({ from: 'https://example.com', signers });
  const verdict = judgeRelease(manifest, rule, { name, version: '1.0.0' });
  expect(verdict).toMatchObject({ kind: 'take', program: { bytes: name.length } });
});
