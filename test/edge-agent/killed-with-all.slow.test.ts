import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive } from '../../edge-agent/host/process-table.ts';
import {
  type AgentProcess,
  agentOptions,
  makeDirectory,
  startAgentProcess,
} from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';

/** As under a supervisor: an agent is killed, now with its launcher, and it is started again. */
let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agent: AgentProcess;

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
});

afterEach(async () => {
  await agent.stop().catch(() => {});
  await controlPlane.stop();
  directory.remove();
});

const chunks = 4;

test('killed with its launcher, an agent that is back runs its chunks again, each of them once', async () => {
  const begun = join(directory.path, 'begun');
  const gate = join(directory.path, 'gate');
  const script = 'echo $$ >> "$BEGUN"; while [ ! -e "$GATE" ]; do sleep 0.05; done';
  const env = { BEGUN: begun, GATE: gate };
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('job-a', { chunks, run });
  const options = agentOptions(controlPlane, directory.path);
  agent = startAgentProcess(options);
  controlPlane.grant('edge-1', 'job-a', `0-${chunks - 1}`, chunks);
  const starts = (): number[] => {
    const text = existsSync(begun) ? readFileSync(begun, 'utf8') : '';
    return text.split('\n').filter(Boolean).map(Number);
  };
  const isRunning = (pid: number): boolean => isAlive(pid, null);
  await waitUntil(() => starts().length === chunks);
  expect(starts().filter(isRunning)).toHaveLength(chunks);

  for (const pid of launchers()) process.kill(pid, 'SIGKILL');
  await agent.kill();
  agent = startAgentProcess(options);
  await waitUntil(() => starts().length === 2 * chunks);
  // Nobody of the first run lives beside the second.
  expect(starts().map(isRunning)).toEqual([
    ...Array(chunks).fill(false),
    ...Array(chunks).fill(true),
  ]);

  writeFileSync(gate, '');
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.size === chunks, 'all are done');
  expect(job.failed.size).toBe(0);
  expect(starts()).toHaveLength(2 * chunks);
});

test('what ended while its agent was away waits for it, long after the rest was given up', async () => {
  const begun = join(directory.path, 'begun');
  const gate = join(directory.path, 'gate');
  const ended = 'while [ ! -e "$GATE" ]; do sleep 0.05; done; echo kept';
  const endless = 'while :; do sleep 1; done';
  const begin = 'echo $EDGEWISE_CHUNK $$ >> "$BEGUN"';
  const script = `${begin}; if [ $EDGEWISE_CHUNK = 0 ]; then ${ended}; else ${endless}; fi`;
  const env = { BEGUN: begun, GATE: gate };
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('job-a', { chunks: 2, run, keepOutput: 'all' });
  const options = agentOptions(controlPlane, directory.path);
  agent = startAgentProcess(options);
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  const starts = (): (readonly [chunk: number, pid: number])[] => {
    const text = existsSync(begun) ? readFileSync(begun, 'utf8') : '';
    const lines = text.split('\n').filter(Boolean);
    return lines.map((line) => line.split(' ').map(Number) as [number, number]);
  };
  const startsOf = (chunk: number) => starts().filter(([of]) => of === chunk);
  await waitUntil(() => starts().length === 2);
  await agent.kill();
  writeFileSync(gate, '');
  const [[, endlessPid]] = startsOf(1) as [[number, number]];
  await waitUntil(() => !isAlive(endlessPid, null));

  agent = startAgentProcess(options);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.has(0) && startsOf(1).length === 2, 'both go on');
  expect(startsOf(0)).toHaveLength(1);
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'its output arrived');
  expect(controlPlane.outputs.get('job-a/0')).toBe('kept\n');
});

test('a launcher that keeps ends goes when its directory does', async () => {
  const [begun, gate] = [join(directory.path, 'begun'), join(directory.path, 'gate')];
  const script = 'echo $$ > "$BEGUN"; while [ ! -e "$GATE" ]; do sleep 0.05; done';
  const env = { BEGUN: begun, GATE: gate };
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('job-a', { chunks: 1, run });
  agent = startAgentProcess(agentOptions(controlPlane, directory.path));
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const pid = () => (existsSync(begun) ? Number(readFileSync(begun, 'utf8')) : 0);
  await waitUntil(() => pid() > 0);
  await agent.kill();
  writeFileSync(gate, '');
  const began = pid();
  await waitUntil(() => !isAlive(began, null));
  directory.remove();
  await waitUntil(() => launchers().length === 0);
});

function launchers(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== agent.pid)
    .filter((pid) => {
      const words = commandOf(pid);
      return words.includes('launcher') && words.includes(directory.path);
    });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** For the state of the host, which sends no events. */
async function waitUntil(holds: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 60_000;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error('never happened');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
