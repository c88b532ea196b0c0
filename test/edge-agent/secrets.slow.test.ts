import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeDirectory } from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';

/** However the token came: whoever looks at the processes of this host must not find it. */
const source = fileURLToPath(new URL('../../edge-agent/main.ts', import.meta.url));

let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agent: ChildProcess;
let said = '';

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
  said = '';
});

afterEach(async () => {
  const gone = new Promise((resolve) => agent.once('close', resolve));
  agent.kill('SIGTERM');
  await gone;
  await controlPlane.stop();
  directory.remove();
});

async function start(words: string[], env: Record<string, string> = {}, input = ''): Promise<void> {
  const flags = ['--name', 'edge-1', '--api', controlPlane.url, '--data', directory.path, ...words];
  const binary = process.env.EDGEWISE_AGENT_BINARY;
  const [file, ...args] = binary === undefined ? [process.execPath, source] : [binary];
  const { PATH } = process.env;
  agent = spawn(file!, [...args, ...flags], {
    env: { PATH, ...env },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  agent.stderr!.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  agent.stdin!.end(input);
  await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'enrolled and connected');
}

/** What everybody, and what programs of the same user, can read of the agent. */
function shown(): string {
  const read = (file: string) => readFileSync(`/proc/${agent.pid}/${file}`, 'latin1');
  return `${read('cmdline')} ${read('environ')}`;
}

test('from the environment it is gone before anything is started', async () => {
  const { enrolToken } = controlPlane;
  await start([], { EDGEWISE_ENROL_TOKEN: enrolToken, EDGEWISE_TOKEN: 'another-secret', A: '1' });
  expect(shown()).not.toContain(enrolToken);
  expect(shown()).not.toContain('another-secret');
  expect(shown()).toContain('A=1');
  expect(said).not.toContain('token');
});

test('from the command line it is gone too, and better ways are named', async () => {
  const { enrolToken } = controlPlane;
  await start([`--enrol-token=${enrolToken}`, '--label', `x${enrolToken}=y`]);
  expect(shown()).toContain('--enrol-token=xxxx');
  // A whole value and nothing else, however it looks.
  expect(shown().split(enrolToken)).toHaveLength(2);
  expect(said.match(/--enrol-token-file or EDGEWISE_ENROL_TOKEN/g)).toHaveLength(1);
});

test('a file holds it, or standard input', async () => {
  const file = join(directory.path, 'token');
  writeFileSync(file, `${controlPlane.enrolToken}\n`, { mode: 0o600 });
  await start(['--enrol-token-file', file]);
  expect(shown()).not.toContain(controlPlane.enrolToken);
  const gone = new Promise((resolve) => agent.once('close', resolve));
  agent.kill('SIGTERM');
  await gone;
  controlPlane.facts.clear();
  // Where it has an identity it needs none, so the file may be gone.
  await start(['--enrol-token-file', join(directory.path, 'removed')]);
  agent.kill('SIGTERM');
  await new Promise((resolve) => agent.once('close', resolve));
  controlPlane.facts.clear();
  controlPlane.revoke('edge-1');
  const other = join(directory.path, 'other');
  await start(['--data', other, '--enrol-token-file', '-'], {}, `${controlPlane.enrolToken}\n`);
});
