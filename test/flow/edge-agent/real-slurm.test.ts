import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  agentOptions,
  makeDirectory,
  type RunningAgent,
  startAgent,
} from '../../edge-agent/agent-runner.ts';
import {
  type ControlPlaneDouble,
  startControlPlane,
} from '../../edge-agent/control-plane-double.ts';
import { waitUntil } from '../../wait-until.ts';

/**
 * A real Slurm on this host, from Debian's packages; where that cannot be, the reason is printed.
 */
const script = fileURLToPath(new URL('../../edge-agent/slurm/one-host.sh', import.meta.url));

let directory: { path: string; remove: () => void };
let controlPlane: ControlPlaneDouble;
let agents: RunningAgent[];
let reason: string | null = null;

beforeAll(async () => {
  directory = makeDirectory();
  agents = [];
  controlPlane = await startControlPlane();
  mkdirSync(slurmDirectory(), { mode: 0o755 });
  const port = String(20_000 + (process.pid % 10_000));
  const env = { ...process.env, SLURM_PORT: port };
  const started = spawnSync(script, ['start', slurmDirectory()], { encoding: 'utf8', env });
  if (started.status !== 0) reason = started.stdout.trim() || started.stderr.trim();
  process.env.SLURM_CONF = join(slurmDirectory(), 'slurm.conf');
}, 300_000);

afterAll(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  spawnSync(script, ['stop', slurmDirectory()]);
  delete process.env.SLURM_CONF;
  await controlPlane.stop();
  directory.remove();
});

const slurmDirectory = (): string => join(directory.path, 'slurm');
const runsFile = (): string => join(directory.path, 'runs');

function slurm(text: string): Record<string, unknown> {
  const env = { RUNS: runsFile() };
  const run = {
    slurm: { argv: ['/bin/sh', '-c', text], env, cwd: null, timeoutSeconds: null, options: [] },
  };
  return { run, keepOutput: 'failed' };
}

function start(): RunningAgent {
  const agent = startAgent(agentOptions(controlPlane, directory.path));
  agents.push(agent);
  return agent;
}

test('two hundred chunks go through with their exit codes; a cancelled one is gone', async (it) => {
  if (reason !== null) {
    console.log(`skipped: ${reason}`);
    it.skip(reason);
  }
  const text = [
    '[ $EDGEWISE_CHUNK = 77 ] && exec sleep 600',
    'echo $EDGEWISE_CHUNK >> $RUNS',
    'echo chunk $EDGEWISE_CHUNK; [ $(( EDGEWISE_CHUNK % 50 )) -ne 7 ]',
  ].join('\n');
  controlPlane.addJob('job-a', { chunks: 200, ...slurm(text) });
  start();
  controlPlane.grant('edge-1', 'job-a', '0-199', 100);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(
    () => job.done.size + job.failed.size >= 150,
    'three quarters ended',
    120_000,
  );
  const others = (): number => job.done.size + job.failed.size;
  await controlPlane.until(() => others() === 199, 'all but the long one ended', 120_000);
  expect(queued()).toBe(1);
  controlPlane.amend('edge-1', 'job-a', null);
  await waitUntil(() => queued() === 0);
  expect(Object.fromEntries(job.failed)).toEqual({ 7: 1, 57: 1, 107: 1, 157: 1 });
  const runs = readFileSync(runsFile(), 'utf8').trim().split('\n').map(Number);
  expect(runs.sort((a, b) => a - b)).toEqual(numbers(200).filter((chunk) => chunk !== 77));
  await controlPlane.until(
    () => controlPlane.outputs.size === 4,
    'the outputs of the failed arrived',
  );
  expect(controlPlane.outputs.get('job-a/57')).toBe('chunk 57\n');
});

test('a restarted agent finds its chunks again', async (it) => {
  if (reason !== null) it.skip(reason);
  const release = join(directory.path, 'release');
  const text = `while [ ! -f ${release} ]; do sleep 0.1; done; echo $EDGEWISE_CHUNK >> $RUNS.b`;
  controlPlane.addJob('job-b', { chunks: 4, ...slurm(text) });
  controlPlane.grant('edge-1', 'job-b', '0-3', 4);
  await waitUntil(() => queued() === 4);
  await agents.at(-1)!.stop();
  expect(queued()).toBe(4);
  start();
  execFileSync('touch', [release]);
  await controlPlane.until(
    () => controlPlane.jobs.get('job-b')!.done.size === 4,
    'all done',
    60_000,
  );
  expect(readFileSync(`${runsFile()}.b`, 'utf8').trim().split('\n')).toHaveLength(4);
});

test('standard error is kept apart, also by an agent that starts anew', async (it) => {
  if (reason !== null) it.skip(reason);
  const release = join(directory.path, 'release-d');
  const text = [
    'echo out $EDGEWISE_CHUNK; [ $EDGEWISE_CHUNK = 1 ] || echo before >&2',
    `while [ ! -f ${release} ]; do sleep 0.1; done`,
    '[ $EDGEWISE_CHUNK = 1 ] || { echo after >&2; head -c 3000000 /dev/zero | tr "\\0" x >&2; }',
    'exit $EDGEWISE_CHUNK',
  ].join('\n');
  const kept = { keepOutput: 'all', stderr: 'apart' };
  controlPlane.addJob('job-d', { chunks: 3, ...slurm(text), ...kept });
  controlPlane.grant('edge-1', 'job-d', '0-2', 3);
  await waitUntil(() => queued() === 3);
  await agents.at(-1)!.stop();
  start();
  execFileSync('touch', [release]);
  const job = controlPlane.jobs.get('job-d')!;
  const isEnded = (): boolean => job.done.size + job.failed.size === 3;
  await controlPlane.until(isEnded, 'all have ended', 60_000);
  expect([[...job.done], Object.fromEntries(job.failed)]).toEqual([[0], { 1: 1, 2: 2 }]);
  const outputOf = (chunk: number, of = '') => controlPlane.outputs.get(`job-d/${chunk}${of}`);
  const isThere = (): boolean =>
    [0, 1, 2].every((at) => outputOf(at) !== undefined && outputOf(at, '/stderr') !== undefined);
  await controlPlane.until(isThere, 'both of each arrived');
  for (const chunk of [0, 1, 2]) expect(outputOf(chunk)).toBe(`out ${chunk}\n`);
  // Who says nothing there has an empty one, and who says much the beginning and the end of it.
  expect(outputOf(1, '/stderr')).toBe('');
  for (const chunk of [0, 2]) {
    const errors = outputOf(chunk, '/stderr')!;
    expect(errors).toHaveLength(64 * 1024);
    expect([errors.slice(0, 14), errors.slice(-2)]).toEqual(['before\nafter\nx', 'xx']);
  }
});

test('each task has its own directory, and is the user of chunks, who submits it', async (it) => {
  if (reason !== null) it.skip(reason);
  await agents.at(-1)!.stop();
  for (let at = directory.path; at !== '/' && at !== '/tmp'; at = join(at, '..'))
    chmodSync(at, 0o711);
  const text = 'id -un; pwd; echo "$EDGEWISE_DIR"; ls; cat "$KEY"; touch left; exit 3';
  const edge = join(directory.path, 'edge-2');
  const env = { KEY: join(edge, 'edges', 'edge-2', 'key.pem') };
  const run = {
    slurm: { argv: ['/bin/sh', '-c', text], env, cwd: null, timeoutSeconds: null, options: [] },
  };
  controlPlane.addJob('job-c', { chunks: 2, run, keepOutput: 'all' });
  const more = { names: ['edge-2'], chunkUser: 'nobody' };
  agents.push(startAgent(agentOptions(controlPlane, directory.path, more)));
  controlPlane.grant('edge-2', 'job-c', '0-1', 2);
  const outputs = (): string[] =>
    [0, 1].map((chunk) => controlPlane.outputs.get(`job-c/${chunk}`) ?? '');
  await controlPlane.until(() => outputs().every(Boolean), 'both outputs arrived', 60_000);
  for (const output of outputs()) {
    const [user, cwd, own, ...rest] = output.trim().split('\n');
    expect([user, cwd]).toEqual(['nobody', own]);
    expect(rest.slice(0, 2)).toEqual(['input', 'output']);
    expect(rest[2]).toMatch(/key\.pem.*Permission denied/);
  }
  expect(new Set(outputs()).size).toBe(2);
  await waitUntil(() => readdirSync(join(edge, 'chunks')).length === 0);
});

const numbers = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

/** How many of our tasks Slurm still has to do. */
function queued(): number {
  const text = execFileSync('squeue', ['-h', '-r', '-t', 'PD,R,CG,CF'], { encoding: 'utf8' });
  return text.split('\n').filter((line) => line.trim() !== '').length;
}
