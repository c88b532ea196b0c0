import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const child = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'scripts',
  'process',
  'child-process.mjs',
);

test('a child process gets its own settings, and not what the shell says of other places', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-child-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const logPath = join(directory, 'log');
  const code = `
    import { startChildProcess } from '${child}';
    const args = ['config', 'show', '--output', 'json'];
    const logPath = '${logPath}';
    const env = { EDGEWISE_API: 'http://given.test', EDGEWISE_TOKEN: 'given' };
    const what = { name: 'client', script: 'cli/main.ts', args, env, logPath };
    await startChildProcess(what).ended;`;
  const env = { ...process.env, EDGEWISE_CONTEXT: 'absent', EDGEWISE_OUTPUT: 'nonsense' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env });
  expect(JSON.parse(readFileSync(logPath, 'utf8'))).toMatchObject({ api: 'http://given.test' });
});

test('its log makes the state directory, which nobody else may read', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-child-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const state = join(directory, 'state');
  const code = `
    import { startChildProcess } from '${child}';
    const logPath = '${join(state, 'log', 'client.log')}';
    const what = { name: 'client', script: 'cli/main.ts', args: ['version'], logPath };
    await startChildProcess(what).ended;`;
  const words = ['-c', 'umask 0; exec "$@"', 'sh', process.execPath];
  await promisify(execFile)('/bin/sh', [...words, '--input-type=module', '-e', code]);
  expect(statSync(state).mode & 0o777).toBe(0o700);
});
