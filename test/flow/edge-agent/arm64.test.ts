import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agentVersion } from '../../../edge-agent/program/version.ts';
import { makeDirectory } from '../../edge-agent/agent-runner.ts';
import {
  type ControlPlaneDouble,
  startControlPlane,
} from '../../edge-agent/control-plane-double.ts';

/**
 * The agent compiled for arm64, here under an emulator: it starts, enrols, connects and runs a job.
 * `EDGEWISE_AGENT_ARM64` names the binary; an emulator that cannot be had is named as the reason.
 *
 * Simulated chunks only: a program of that kind cannot start another one here without the kernel's
 * help.
 */
const script = fileURLToPath(new URL('../../edge-agent/arm64/emulator.sh', import.meta.url));
const binary = process.env.EDGEWISE_AGENT_ARM64;
const unnamed = 'EDGEWISE_AGENT_ARM64 names no binary; npm run build:agent makes one';

let directory: { path: string; remove: () => void };
let controlPlane: ControlPlaneDouble;
let agent: ChildProcess | null = null;

beforeEach(async () => {
  directory = makeDirectory();
  controlPlane = await startControlPlane();
});

afterEach(async () => {
  agent?.kill('SIGKILL');
  await controlPlane.stop();
  directory.remove();
});

test('the arm64 binary runs a job', { timeout: 240_000 }, async (it) => {
  if (binary === undefined) return it.skip(unnamed);
  const emulator = spawnSync(script, { encoding: 'utf8' });
  if (emulator.status !== 0) return it.skip(emulator.stdout.trim());
  const words = [...emulator.stdout.trim().split(' ').filter(Boolean), resolve(binary)];
  const [file = '', ...first] = words;
  const version = execFileSync(file, [...first, '--version'], { encoding: 'utf8' });
  expect(version).toBe(`edgewise-agent ${agentVersion}\n`);

  const where = ['--api', controlPlane.url, '--data', join(directory.path, 'data')];
  const who = ['--name', 'edge-1', '--enrol-token', controlPlane.enrolToken];
  agent = spawn(file, [...first, ...where, ...who], { stdio: 'ignore' });
  controlPlane.addJob('job-a', { chunks: 20, run: { simulate: { seconds: 0.1 } } });
  controlPlane.grant('edge-1', 'job-a', '0-19', 8);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.size === 20, 'the job ends', 120_000);
  expect(job.failed.size).toBe(0);
  expect(controlPlane.facts.get('edge-1')).toMatchObject({ facts: { arch: 'arm64' } });
  const ended = new Promise((resolveEnd) => agent?.once('close', resolveEnd));
  agent.kill('SIGTERM');
  expect(await ended).toBe(0);
});
