import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const companion = join(import.meta.dirname, '..', '..', 'scripts', 'companion.mjs');

test('a companion hears what it is told, and not what the shell says of other places', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-companion-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const logPath = join(directory, 'log');
  const code = `
    import { startCompanion } from '${companion}';
    const args = ['config', 'show', '--output', 'json'];
    const logPath = '${logPath}';
    const env = { EDGEWISE_API: 'http://told.test', EDGEWISE_TOKEN: 'told' };
    const what = { name: 'client', script: 'cli/main.ts', args, env, logPath };
    await startCompanion(what).ended;`;
  const env = { ...process.env, EDGEWISE_CONTEXT: 'absent', EDGEWISE_OUTPUT: 'nonsense' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
  expect(JSON.parse(readFileSync(logPath, 'utf8'))).toMatchObject({ api: 'http://told.test' });
});

test('its log makes the state directory, which nobody else may read', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-companion-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const state = join(directory, 'state');
  const code = `
    import { startCompanion } from '${companion}';
    const logPath = '${join(state, 'log', 'client.log')}';
    const what = { name: 'client', script: 'cli/main.ts', args: ['version'], logPath };
    await startCompanion(what).ended;`;
  const words = ['-c', 'umask 0; exec "$@"', 'sh', process.execPath];
  await promisify(execFile)('/bin/sh', [...words, '--input-type=module', '-e', code]);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});
