import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processesWith } from '../../edge-agent/host/process-table.ts';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type PlaneDouble, startPlane } from './plane-double.ts';

let plane: PlaneDouble;
let directory: { path: string; remove: () => void };
let agents: RunningAgent[];

beforeEach(async () => {
  plane = await startPlane();
  directory = makeDirectory();
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  expect(chunkProcesses()).toEqual([]);
  await plane.stop();
  directory.remove();
});

function start(): RunningAgent {
  const agent = startAgent(agentOptions(plane, directory.path));
  agents.push(agent);
  return agent;
}

function chunkProcesses(): number[] {
  return processesWith('MARKS', (value) => value === directory.path);
}

function shell(script: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const env = { MARKS: directory.path };
  const run = {
    process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds: null, ...more },
  };
  return { chunkPower: 1, run };
}

async function runAll(chunks: number, spec: Record<string, unknown>, slots = 8) {
  plane.addJob('job-a', { chunks, ...spec });
  start();
  plane.grant('edge-1', 'job-a', `0-${chunks - 1}`, slots);
  const job = plane.jobs.get('job-a')!;
  await plane.until(() => job.done.size + job.failed.size === chunks, 'all chunks ended');
  return job;
}

test('exit codes are reported as they are, and signals by name', async () => {
  const script = [
    'case $EDGEWISE_CHUNK in',
    '8) kill -9 $$ ;; 9) kill -TERM $$ ;; 10) kill -SEGV $$ ;;',
    '11) exit 137 ;; 12) exit 255 ;; *) exit $EDGEWISE_CHUNK ;; esac',
  ].join('\n');
  const job = await runAll(13, shell(script));
  expect([...job.done]).toEqual([0]);
  expect(Object.fromEntries(job.failed)).toEqual({
    1: 1,
    2: 2,
    3: 3,
    4: 4,
    5: 5,
    6: 6,
    7: 7,
    8: 'signal SIGKILL',
    9: 'signal SIGTERM',
    10: 'signal SIGSEGV',
    11: 137,
    12: 255,
  });
});

test('past its timeout a chunk is terminated, and killed when it does not listen', async () => {
  const script = "trap '' TERM; sleep 60 & wait; sleep 60";
  const job = await runAll(2, shell(script, { timeoutSeconds: 0.2 }));
  expect([...job.failed.values()]).toEqual(['timeout', 'timeout']);
});

test('what a chunk leaves behind is killed, also when it has left its group', async () => {
  const script = 'sleep 300 & setsid sleep 300 & exit 3';
  const job = await runAll(3, shell(script));
  expect([...job.failed.values()]).toEqual([3, 3, 3]);
  await waitUntil(() => chunkProcesses().length === 0);
});

test('a program or a directory that is not there is a failed start, in words', async () => {
  plane.addJob('job-b', { chunks: 1, ...shell('exit 0', { cwd: '/nowhere' }) });
  plane.addJob('job-c', { chunks: 1, ...shell('exit 0', { argv: ['/no/such/program'] }) });
  start();
  plane.grant('edge-1', 'job-b', '0', 1);
  plane.grant('edge-1', 'job-c', '0', 1);
  const [b, c] = [plane.jobs.get('job-b')!, plane.jobs.get('job-c')!];
  await plane.until(() => b.failed.size + c.failed.size === 2, 'both failed');
  expect(b.failed.get(0)).toBe('start-failed: no directory /nowhere');
  expect(c.failed.get(0)).toBe('start-failed: no program /no/such/program');
});

test('the last 64 KB of a failed chunk are kept, however much it printed', async () => {
  const script = 'head -c 100000000 /dev/zero | tr "\\0" x; echo the end; exit 1';
  await runAll(1, shell(script));
  await plane.until(() => plane.outputs.has('job-a/0'), 'the output arrived');
  const output = plane.outputs.get('job-a/0')!;
  expect(output).toHaveLength(64 * 1024);
  expect(output.endsWith('xxxthe end\n')).toBe(true);
  expect(readdirSync(join(directory.path, 'edge-1', 'outputs'))).toEqual([]);
});

test('keepOutput all keeps what a good chunk printed, both streams in order', async () => {
  const script =
    'echo one; echo two >&2; echo $EDGEWISE_JOB $EDGEWISE_CHUNK/$EDGEWISE_CHUNKS $EDGEWISE_EDGE';
  await runAll(1, { ...shell(script), keepOutput: 'all' });
  await plane.until(() => plane.outputs.has('job-a/0'), 'the output arrived');
  expect(plane.outputs.get('job-a/0')).toBe('one\ntwo\njob-a 0/1 edge-1\n');
});

test('a chunk that is taken away while it runs is stopped and not reported', async () => {
  plane.addJob('job-a', { chunks: 1, ...shell('touch "$MARKS/started"; sleep 300') });
  start();
  plane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => existsSync(join(directory.path, 'started')));
  plane.amend('edge-1', 'job-a', null);
  await waitUntil(() => chunkProcesses().length === 0);
  expect(plane.jobs.get('job-a')!.failed.size).toBe(0);
});

test('a launcher that was killed is replaced, now and after a restart; its chunks run again', async () => {
  const chunks = 4;
  plane.addJob('job-a', { chunks, ...shell('[ $EDGEWISE_CHUNK = 0 ] || sleep 300') });
  const first = start();
  plane.grant('edge-1', 'job-a', '0-1', 2);
  const job = plane.jobs.get('job-a')!;
  await plane.until(() => job.done.has(0), 'the first is done');
  const [before] = await launcherOf(2);
  await waitUntil(() => chunkProcesses().length > 0);
  process.kill(before!, 'SIGKILL');
  await waitUntil(() => first.lines.some((line) => line.startsWith('The launcher is gone')));
  const [after] = await launcherOf(2);
  expect(after).not.toBe(before);
  await first.stop();
  // As a power failure leaves it: a socket that nobody listens to.
  leaveSocket(join(directory.path, 'edge-1', 'launcher.sock'));
  plane.amend('edge-1', 'job-a', null);
  plane.addJob('job-b', { chunks: 2, ...shell('exit 0') });
  start();
  plane.grant('edge-1', 'job-b', '0-1', 2);
  await plane.until(() => plane.jobs.get('job-b')!.done.size === 2, 'the next job is done');
});

test('a chunk sees no credential of the agent', async () => {
  process.env.EDGEWISE_ENROL_TOKEN = 'very-secret';
  try {
    await runAll(1, { ...shell('env'), keepOutput: 'all' });
  } finally {
    delete process.env.EDGEWISE_ENROL_TOKEN;
  }
  await plane.until(() => plane.outputs.has('job-a/0'), 'the output arrived');
  expect(plane.outputs.get('job-a/0')).not.toContain('very-secret');
});

/** For the state of the host, which sends no events. */
async function waitUntil(holds: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 15_000;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error('never happened');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The one that holds so many arguments' worth of our directory: its socket and its place. */
async function launcherOf(mentions: number): Promise<number[]> {
  let found: number[] = [];
  await waitUntil(() => {
    found = readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && isLauncher(pid, mentions));
    return found.length === 1;
  });
  return found;
}

function isLauncher(pid: number, mentions: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return line.includes('launcher') && line.split(`${directory.path}/edge-1`).length > mentions;
  } catch {
    return false;
  }
}

/** A process that listens and is killed. */
function leaveSocket(path: string): void {
  const die = 'process.kill(process.pid, 9)';
  const program = `require('net').createServer().listen(process.argv[1], () => ${die})`;
  spawnSync(process.execPath, ['-e', program, path]);
  expect(existsSync(path)).toBe(true);
}
