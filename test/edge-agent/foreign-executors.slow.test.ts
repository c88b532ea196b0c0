import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../core/model/names.ts';
import { isAlive } from '../../edge-agent/host/process-table.ts';
import { waitUntil } from '../wait-until.ts';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';
import { makeProgramPath } from './program-path.ts';

/**
 * Containers and Flux against commands that answer as recorded, where the real thing cannot run.
 * What else the host has is out of reach.
 */
const commands = fileURLToPath(new URL('./commands', import.meta.url));

let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agents: RunningAgent[];
const pathBefore = process.env.PATH;
const usedByDoubles = [
  'cat',
  'grep',
  'mkdir',
  'mkfifo',
  'sed',
  'seq',
  'setsid',
  'sh',
  'sleep',
  'touch',
  'tr',
];

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
  agents = [];
  process.env.PATH = makeProgramPath(join(directory.path, 'bin'), usedByDoubles);
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  process.env.PATH = pathBefore;
  await controlPlane.stop();
  directory.remove();
});

/** The doubles get their places by a wrapper, because a chunk's environment passes nothing on. */
function provide(command: string): void {
  const script = [
    '#!/bin/sh',
    `export DOUBLE_LOG='${logFile()}' DOUBLE_STATE='${directory.path}'`,
    `exec '${join(commands, command)}' "$@"`,
  ];
  writeFileSync(join(directory.path, 'bin', command), script.join('\n'), { mode: 0o755 });
}

const logFile = (): string => join(directory.path, 'commands.log');
const logged = (): string => readFileSync(logFile(), 'utf8');

function start(): RunningAgent {
  const agent = startAgent(agentOptions(controlPlane, directory.path));
  agents.push(agent);
  return agent;
}

function container(image: string, script: string): Record<string, unknown> {
  const argv = ['/bin/sh', '-c', script];
  const run = {
    container: { image, argv, env: { GREETING: 'hello there' }, timeoutSeconds: null },
  };
  return { run, keepOutput: 'all', resources: { cores: 2, memoryMb: 64 } };
}

async function ended(job: string, chunks: number) {
  const state = controlPlane.jobs.get(job)!;
  await controlPlane.until(() => state.done.size + state.failed.size === chunks, `${job} ended`);
  return state;
}

test('a container runs with its limits, its name and what a chunk sees', async () => {
  provide('docker');
  controlPlane.addJob('job-a', {
    chunks: 2,
    ...container('here:1', 'echo $GREETING $EDGEWISE_CHUNK; exit $EDGEWISE_CHUNK'),
  });
  start();
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  const job = await ended('job-a', 2);
  expect([...job.done]).toEqual([0]);
  expect(job.failed.get(1)).toBe(1);
  await controlPlane.until(() => controlPlane.outputs.size === 2, 'the outputs arrived');
  expect(controlPlane.outputs.get('job-a/0')).toBe('hello there 0\n');
  expect(logged()).toMatch(/run --rm --name edgewise-edge-1-job-a-0-1 .*--init --pull never/);
  expect(logged()).toMatch(/--cpus 2 --memory 64m/);
  expect(logged()).not.toMatch(/^pull/m);
  await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'facts reported');
  expect(controlPlane.facts.get('edge-1')).toMatchObject({
    facts: { executors: { container: '28.5.2' } },
  });
});

test('a missing image is pulled once; none to be had, or a broken engine, is said', async () => {
  provide('docker');
  controlPlane.addJob('job-a', { chunks: 3, ...container('far:1', 'exit 0') });
  controlPlane.addJob('job-b', { chunks: 1, ...container('nowhere:1', 'exit 0') });
  controlPlane.addJob('job-c', { chunks: 1, ...container('broken:1', 'exit 0') });
  start();
  controlPlane.grant('edge-1', 'job-a', '0-2', 3);
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  expect((await ended('job-a', 3)).done.size).toBe(3);
  expect((await ended('job-b', 1)).failed.get(0)).toBe(
    'start-failed: image nowhere:1 cannot be pulled',
  );
  expect(logged().match(/^pull far:1$/gm)).toHaveLength(1);
});

function pod(scripts: Readonly<Record<string, string>>): Record<string, unknown> {
  const containers = Object.entries(scripts).map(([name, script]) => {
    return { name, image: 'here:1', argv: ['/bin/sh', '-c', script], env: { GREETING: 'hello' } };
  });
  return { run: { pod: { containers, timeoutSeconds: null } }, keepOutput: 'all' };
}

test('a pod is its containers in the network of the first, and ends with the first that ends', async () => {
  provide('docker');
  const port = { name: 'http', target: 80, port: null, protocol: 'tcp' };
  const words = `echo $GREETING "it's" $EDGEWISE_CONTAINER`;
  const restart = { policy: 'always', backoffSeconds: 1, backoffSecondsMax: 8 };
  controlPlane.addJob('job-a', {
    chunks: 1,
    ...pod({
      web: 'touch up; exec sleep 300',
      log: `while ! test -e up; do sleep 0.05; done; ${words}; exit 3`,
    }),
    resources: { cores: 2, memoryMb: 64, processes: 9 },
    ports: [port],
    ready: { afterSeconds: 1 },
    restart: { ...restart, resetAfterSeconds: 60 },
    stopGraceSeconds: 1,
  });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const job = await ended('job-a', 1);
  expect(job.failed.get(0)).toBe('exit code 3 of log');
  await controlPlane.until(() => controlPlane.outputs.size === 1, 'the output arrived');
  expect(controlPlane.outputs.get('job-a/0')).toBe("log | hello it's log\n");
  const [web, log] = logged().match(/^run .*$/gm)!;
  const name = 'edgewise-edge-1-job-a-0-1';
  expect(web).toMatch(new RegExp(`^run --name ${name}.web .*--publish \\d+:80/tcp here:1`));
  expect(web).not.toContain('--network');
  expect(log).toMatch(new RegExp(`^run --rm --name ${name}.log .*--network container:${name}.web`));
  expect(log).not.toContain('--publish');
  for (const line of [web, log]) {
    expect(line).toMatch(/--pids-limit 5 --cpus 1 --memory 32768k/);
    // What its job gives is in a file, and not in words that everybody reads.
    expect(line).not.toContain('GREETING=');
  }
  await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'facts reported');
  expect(controlPlane.facts.get('edge-1')).toMatchObject({
    facts: { executors: { container: '28.5.2', pod: '28.5.2' } },
  });
});

test('a pod whose second container cannot be started is a failed start of that one', async () => {
  provide('docker');
  const containers = ['here:1', 'broken:1'].map((image, at) => {
    return { name: `c${at}`, image, argv: ['sleep', '300'], env: {} };
  });
  controlPlane.addJob('job-a', { chunks: 1, run: { pod: { containers } }, stopGraceSeconds: 1 });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const job = await ended('job-a', 1);
  expect(job.failed.get(0)).toBe('start-failed: c1: Error response from daemon: cgroup missing');
});

test('a question that is not answered in time leaves nothing behind in its container', async () => {
  provide('docker');
  const asked = join(directory.path, 'asked');
  const exec = {
    argv: ['/bin/sh', '-c', `echo $$ >> '${asked}'; exec sleep 300`],
    everySeconds: 1,
    timeoutSeconds: 0.2,
    failures: 3,
  };
  const restart = { policy: 'always', backoffSeconds: 1, backoffSecondsMax: 8 };
  controlPlane.addJob('job-a', {
    chunks: 1,
    ...container('here:1', 'exec sleep 300'),
    restart: { ...restart, resetAfterSeconds: 60 },
    ready: { exec },
    stopGraceSeconds: 1,
  });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const pids = () => readFileSync(asked, 'utf8').trim().split('\n').map(Number);
  await waitUntil(() => existsSync(asked) && pids().length >= 2);
  const [first] = pids();
  expect(isAlive(first!, null)).toBe(false);
  controlPlane.amend('edge-1', jobIdOf('job-a'), null);
  await waitUntil(() => !pids().some((pid) => isAlive(pid, null)));
});

test('without an engine containers are not offered, and refused in words', async () => {
  controlPlane.addJob('job-a', { chunks: 1, ...container('here:1', 'exit 0') });
  for (const engine of ['docker', 'podman']) {
    writeFileSync(join(directory.path, 'bin', engine), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  }
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const job = controlPlane.jobs.get(jobIdOf('job-a'))!;
  await controlPlane.until(() => job.refusals.has('edge-1'), 'refused');
  expect(job.refusals.get('edge-1')).toBe('executor not available here: container');
});

test('containers that an earlier life left behind are removed', async () => {
  provide('docker');
  writeFileSync(join(directory.path, 'left-over'), 'edgewise-edge-1-old-3-1\n');
  controlPlane.addJob('job-a', { chunks: 1, ...container('here:1', 'exit 0') });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await ended('job-a', 1);
  expect(logged()).toMatch(/^rm --force edgewise-edge-1-old-3-1$/m);
});

function flux(...argv: string[]): Record<string, unknown> {
  const run = { flux: { argv, env: {}, cwd: null, timeoutSeconds: null, options: [] } };
  return { run, keepOutput: 'all' };
}

test('flux gets a batch at once, and its ends are reported', async () => {
  provide('flux');
  const script = 'echo chunk $EDGEWISE_CHUNK of $EDGEWISE_CHUNKS; exit $(( EDGEWISE_CHUNK % 3 ))';
  controlPlane.addJob('job-a', { chunks: 6, ...flux('sh', '-c', script) });
  start();
  controlPlane.grant('edge-1', 'job-a', '0-5', 6);
  const job = await ended('job-a', 6);
  expect([...job.done].sort()).toEqual([0, 3]);
  expect(Object.fromEntries(job.failed)).toEqual({ 1: 1, 2: 2, 4: 1, 5: 2 });
  expect(logged().match(/^submit/gm)).toHaveLength(1);
  await controlPlane.until(() => controlPlane.outputs.size === 6, 'the outputs arrived');
  expect(controlPlane.outputs.get('job-a/4')).toBe('chunk 4 of 6\n');
});

test('flux and a container tell standard error apart', async () => {
  provide('flux');
  provide('docker');
  const script = 'echo out; echo error >&2; exit 1';
  controlPlane.addJob('job-a', { chunks: 1, ...flux('sh', '-c', script), stderr: 'apart' });
  controlPlane.addJob('job-b', { chunks: 1, ...container('here:1', script), stderr: 'apart' });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  await controlPlane.until(() => controlPlane.outputs.size === 4, 'the outputs arrived');
  expect(Object.fromEntries(controlPlane.outputs)).toEqual({
    'job-a/0': 'out\n',
    'job-a/0/stderr': 'error\n',
    'job-b/0': 'out\n',
    'job-b/0/stderr': 'error\n',
  });
});

test('why an engine starts nothing is known where it says so in standard error apart', async () => {
  provide('docker');
  controlPlane.addJob('job-a', { chunks: 1, ...container('broken:1', 'exit 0'), stderr: 'apart' });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const { failed } = await ended('job-a', 1);
  expect(failed.get(0)).toBe('start-failed: Error response from daemon: cgroup missing');
});

test('a flux chunk that is taken away is cancelled and not reported', async () => {
  provide('flux');
  controlPlane.addJob('job-a', { chunks: 2, ...flux('sleep', '300') });
  start();
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  const runs = (): boolean =>
    controlPlane.reports.at(-1)?.jobs.get(jobIdOf('job-a'))?.running.length === 2 &&
    /^jobs/m.test(logged());
  await waitUntil(runs);
  controlPlane.amend('edge-1', 'job-a', null);
  await waitUntil(() => /^cancel/m.test(logged()));
  await waitUntil(() => controlPlane.reports.at(-1)!.jobs.size === 0);
  expect(controlPlane.jobs.get(jobIdOf('job-a'))!.failed.size).toBe(0);
});

test('flux finds its jobs again after a restart of the agent', async () => {
  provide('flux');
  const release = join(directory.path, 'release');
  const script = `while [ ! -f '${release}' ]; do sleep 0.05; done`;
  controlPlane.addJob('job-a', { chunks: 3, ...flux('sh', '-c', script) });
  const first = start();
  controlPlane.grant('edge-1', 'job-a', '0-2', 3);
  await waitUntil(() => existsSync(logFile()) && /^jobs/m.test(logged()));
  await first.stop();
  writeFileSync(release, '');
  start();
  expect((await ended('job-a', 3)).done.size).toBe(3);
  expect(logged().match(/^submit/gm)).toHaveLength(1);
});

test('a flux job that somebody else cancels or removes is a failed chunk, in words', async () => {
  provide('flux');
  controlPlane.addJob('job-a', { chunks: 2, ...flux('sleep', '300') });
  start();
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  await waitUntil(() => existsSync(logFile()) && /^jobs/m.test(logged()));
  const jobs = join(directory.path, 'flux');
  const fileOf = (chunk: number): string => {
    const names = readdirSync(jobs).filter((file) => file.endsWith('.name'));
    const name = names.find((file) =>
      readFileSync(join(jobs, file), 'utf8').trim().endsWith(`-${chunk}`),
    );
    return join(jobs, name!.slice(0, -'.name'.length));
  };
  const [cancelled, removed] = [fileOf(0), fileOf(1)];
  const pids = [cancelled, removed].map((file) => Number(readFileSync(`${file}.pid`, 'utf8')));
  for (const pid of pids) process.kill(-pid, 'SIGKILL');
  writeFileSync(`${cancelled}.cancel`, '');
  rmSync(`${removed}.name`);
  const { failed } = await ended('job-a', 2);
  expect(Object.fromEntries(failed)).toEqual({ 0: 'cancelled in flux', 1: 'lost by flux' });
});

test('what flux refuses is a failed start in its words', async () => {
  provide('flux');
  controlPlane.addJob('job-a', { chunks: 1, ...flux('refuse') });
  start();
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const job = await ended('job-a', 1);
  expect(job.failed.get(0)).toMatch(/^start-failed: flux-submit: ERROR: \[Errno 22\]/);
});

test.each(['docker', 'flux', 'pod'] as const)(
  'what a chunk under %s leaves is stored',
  async (command) => {
    provide(command === 'flux' ? 'flux' : 'docker');
    const script = 'echo $EDGEWISE_CHUNK > output/n';
    const runs = {
      docker: () => container('here:1', script),
      flux: () => flux('sh', '-c', script),
      pod: () => pod({ web: script }),
    };
    const run = runs[command]();
    const outputs = { paths: ['n'], on: 'done', maxMb: 1 };
    controlPlane.addJob('job-a', { chunks: 2, ...run, outputs });
    start();
    controlPlane.grant('edge-1', 'job-a', '0-1', 2);
    expect([...(await ended('job-a', 2)).failed]).toEqual([]);
    expect(controlPlane.unsafe).toEqual([]);
    for (const chunk of [0, 1]) {
      const { manifest } = controlPlane.files.results.get(`job-a/${chunk}`)!;
      const [line] = JSON.parse(String(controlPlane.files.content(manifest)));
      expect([line.path, String(controlPlane.files.content(line.sha256))]).toEqual([
        'n',
        `${chunk}\n`,
      ]);
    }
  },
);
