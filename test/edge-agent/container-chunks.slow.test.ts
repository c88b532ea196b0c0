import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { failureTextLengthMax } from '../../core/model/limits.ts';
import { type JobId, jobIdOf } from '../../core/model/names.ts';
import { emptyRanges, isEmpty } from '../../core/model/ranges.ts';
import { waitUntil } from '../wait-until.ts';
import {
  agentOptions,
  makeDirectory,
  type RunningAgent,
  startAgent,
  startAgentProcess,
} from './agent-runner.ts';
import {
  alone,
  containers,
  image,
  pathBefore,
  podman,
  providePodman,
  removeImage,
  sandboxed,
  withPodman,
} from './containers/real-podman.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';

/** Chunks in real containers, where this host has them; everywhere else the reason is printed. */
let reason: string | null = null;
let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agent: RunningAgent | null = null;

beforeAll(() => {
  reason = providePodman();
});

afterAll(removeImage);

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
  process.env.PATH = `${withPodman(join(directory.path, 'bin'))}:${pathBefore}`;
});

afterEach(async () => {
  await agent?.stop();
  agent = null;
  process.env.PATH = pathBefore;
  await controlPlane.stop();
  directory.remove();
});

async function outputOf(
  script: string,
  more: Record<string, unknown> = {},
  options: Parameters<typeof agentOptions>[2] = {},
): Promise<string> {
  const argv = ['sh', '-c', script];
  const env = { GREETING: '  "hello" # there', LINES: 'one\ntwo' };
  const run = { container: { image, argv, env, timeoutSeconds: 60 } };
  controlPlane.addJob('job-a', { chunks: 1, run, keepOutput: 'all', ...more });
  agent = startAgent(agentOptions(controlPlane, directory.path, options));
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  return controlPlane.outputs.get('job-a/0')!;
}

const place = (name: string): string => join(directory.path, 'edge-1', name);
/** What chunks see as their output, on the host. */
const mounted = (): string[] =>
  existsSync(place('chunks'))
    ? readdirSync(place('chunks')).map((name) => join(place('chunks'), name, 'mount', 'output'))
    : [];

test('a container has its directory at /edgewise, no capability, and what its job gives', async (it) => {
  if (reason !== null) it.skip(reason);
  const script = [
    'pwd; echo $HOME $EDGEWISE_DIR $EDGEWISE_INPUT $EDGEWISE_OUTPUT; ls; env | grep GREETING',
    'echo "$LINES"; grep -E "CapEff|CapBnd|NoNewPrivs" /proc/self/status; ls /edgewise/..',
    'mkdir -p output/deep; echo made > output/deep/file; cat output/deep/file',
  ].join('; ');
  const output = await outputOf(script, { resources: { memoryMb: 64, diskMb: 10, processes: 50 } });
  const lines = output.trim().split('\n');
  expect(lines.slice(0, 7)).toEqual([
    '/edgewise',
    '/edgewise /edgewise /edgewise/input /edgewise/output',
    'input',
    'output',
    'GREETING=  "hello" # there',
    'one',
    'two',
  ]);
  expect(output).toMatch(/CapEff:\s+0+\nCapBnd:\s+0+\nNoNewPrivs:\s+1\n/);
  expect(lines.at(-1)).toBe('made');
  await waitUntil(() => readdirSync(place('chunks')).length === 0);
});

test('under an engine that runs as root it is the user of chunks, where there is one', async (it) => {
  if (reason !== null) it.skip(reason);
  for (let at = directory.path; at !== '/' && at !== '/tmp'; at = join(at, '..'))
    chmodSync(at, 0o711);
  const output = await outputOf('id -u; mkdir -p a/b && echo made', {}, { chunkUser: 'nobody' });
  expect(output).toBe('65534\nmade\n');
  await waitUntil(() => readdirSync(place('chunks')).length === 0);
});

test('what is written there is kept on the host when the job asks for it', async (it) => {
  if (reason !== null) it.skip(reason);
  await outputOf('echo because | tee output/why; exit 3', { keepDirectory: 'failed' });
  await waitUntil(() => readdirSync(place('kept')).length === 1);
  const kept = join(place('kept'), readdirSync(place('kept'))[0]!);
  expect(readFileSync(join(kept, 'mount', 'output', 'why'), 'utf8')).toBe('because\n');
  expect(readdirSync(kept)).toEqual(['mount']);
});

test('what a container leaves is stored', async (it) => {
  if (reason !== null) it.skip(reason);
  const outputs = { paths: ['deep/**'], on: 'done', maxMb: 1 };
  await outputOf('mkdir deep; echo made > deep/file; echo printed', { outputs });
  await controlPlane.until(() => controlPlane.jobs.get('job-a')!.done.size === 1, 'it is done');
  const { manifest } = controlPlane.files.results.get('job-a/0')!;
  const [line] = JSON.parse(String(controlPlane.files.content(manifest)));
  expect([line.path, String(controlPlane.files.content(line.sha256))]).toEqual([
    'deep/file',
    'made\n',
  ]);
});

test('a container that is cancelled and does not listen is gone when its power is free', async (it) => {
  if (reason !== null) it.skip(reason);
  const argv = ['sh', '-c', 'trap "" TERM; touch output/here; while :; do sleep 1; done'];
  const run = { container: { image, argv, env: {}, timeoutSeconds: 60 } };
  controlPlane.addJob('job-a', { chunks: 1, run, chunkPower: 200, lastChunkPower: 200 });
  controlPlane.addJob('job-b', {
    chunks: 1,
    run: { simulate: { seconds: 0 } },
    chunkPower: 200,
    lastChunkPower: 200,
  });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => containers().length === 1);
  controlPlane.amend('edge-1', 'job-a', null);
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  const { done } = controlPlane.jobs.get('job-b')!;
  await controlPlane.until(() => done.size === 1, 'the next one had its turn');
  expect(containers()).toEqual([]);
});

test('what a container ends with is the failure, and an image that is nowhere is one', async (it) => {
  if (reason !== null) it.skip(reason);
  const runOf = (of: string, argv: string[]) => ({
    container: { image: of, argv, env: {}, timeoutSeconds: 60 },
  });
  controlPlane.addJob('job-a', { chunks: 1, run: runOf(image, ['sh', '-c', 'echo why; exit 7']) });
  const nowhere = 'localhost/edgewise-test-nowhere:1';
  controlPlane.addJob('job-b', { chunks: 1, run: runOf(nowhere, []) });
  controlPlane.addJob('job-c', { chunks: 1, run: runOf(image, ['no-such-program']) });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  const names = ['job-a', 'job-b', 'job-c'];
  for (const name of names) controlPlane.grant('edge-1', name, '0', 1);
  const failures = () => names.map((name) => controlPlane.jobs.get(name)!.failed.get(0));
  await controlPlane.until(() => failures().every((it) => it !== undefined), 'all have failed');
  const noImage = `start-failed: image ${nowhere} cannot be pulled`.slice(0, failureTextLengthMax);
  expect(failures()).toEqual([7, noImage, expect.any(Number)]);
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'its output is kept');
  expect(controlPlane.outputs.get('job-a/0')).toBe('why\n');
  expect(containers()).toEqual([]);
});

test('a container that takes more memory or processes than it may have is stopped', async (it) => {
  if (reason !== null) it.skip(reason);
  const runOf = (script: string) => ({
    container: { image, argv: ['sh', '-c', script], env: {}, timeoutSeconds: 60 },
  });
  const memory = { run: runOf('exec tail -n 1 /dev/zero'), resources: { memoryMb: 32 } };
  const forks = 'i=0; while [ $i -lt 30 ]; do sleep 30 & i=$((i+1)); done';
  controlPlane.addJob('job-a', { chunks: 1, ...memory });
  controlPlane.addJob('job-b', { chunks: 1, run: runOf(forks), resources: { processes: 10 } });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  for (const name of ['job-a', 'job-b']) controlPlane.grant('edge-1', name, '0', 1);
  const failed = (name: string) => controlPlane.jobs.get(name)!.failed.get(0);
  await controlPlane.until(() => failed('job-a') !== undefined, 'it took too much memory');
  await controlPlane.until(() => failed('job-b') !== undefined, 'it took too many processes');
  expect([failed('job-a'), failed('job-b')]).toEqual([137, 2]);
  await controlPlane.until(() => controlPlane.outputs.has('job-b/0'), 'its output is kept');
  expect(controlPlane.outputs.get('job-b/0')).toContain("can't fork");
  // Some engines leave a file where their client runs.
  expect(existsSync('oom')).toBe(false);
});

test('a container outlives an agent that is killed, and its end is known to the next one', async (it) => {
  if (reason !== null) it.skip(reason);
  const script = 'touch output/begun; while ! test -e output/go; do sleep 0.1; done; echo through';
  const argv = ['sh', '-c', script];
  const run = { container: { image, argv, env: {}, timeoutSeconds: 60 } };
  controlPlane.addJob('job-a', { chunks: 1, run, keepOutput: 'all' });
  const options = agentOptions(controlPlane, directory.path);
  const first = startAgentProcess(options);
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => mounted().some((path) => existsSync(join(path, 'begun'))));
  await first.kill();
  const [container] = containers();
  expect(container).toBeDefined();
  agent = startAgent(options);
  const { done, repeats } = controlPlane.jobs.get('job-a')!;
  const before = controlPlane.reports.length;
  await controlPlane.until(() => controlPlane.reports.length > before, 'the next agent reports');
  expect(containers()).toEqual([container]);
  writeFileSync(join(mounted()[0]!, 'go'), '');
  await controlPlane.until(() => done.size === 1, 'it is done');
  expect([controlPlane.outputs.get('job-a/0'), repeats]).toEqual(['through\n', 0]);
  await waitUntil(() => containers().length === 0);
  await waitUntil(() => readdirSync(place('chunks')).length === 0);
});

test('standard error is kept apart, also by the next agent, and as long as both may be', async (it) => {
  if (reason !== null) it.skip(reason);
  const long = 'head -c 3000000 /dev/zero | tr "\\0" x >&2';
  const script = [
    'echo out; echo begin >&2; touch output/begun',
    `while ! test -e output/go; do sleep 0.1; done; ${long}; echo end >&2; exit 3`,
  ].join('; ');
  const run = { container: { image, argv: ['sh', '-c', script], env: {}, timeoutSeconds: 60 } };
  controlPlane.addJob('job-a', { chunks: 1, run, stderr: 'apart' });
  const options = agentOptions(controlPlane, directory.path);
  const first = startAgentProcess(options);
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => mounted().some((path) => existsSync(join(path, 'begun'))));
  await first.kill();
  agent = startAgent(options);
  writeFileSync(join(mounted()[0]!, 'go'), '');
  const { failed } = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => failed.size === 1, 'it has failed');
  await controlPlane.until(() => controlPlane.outputs.size === 2, 'both arrived');
  expect(failed.get(0)).toBe(3);
  expect(controlPlane.outputs.get('job-a/0')).toBe('out\n');
  const errors = controlPlane.outputs.get('job-a/0/stderr')!;
  expect(errors).toHaveLength(64 * 1024);
  expect([errors.slice(0, 7), errors.slice(-6)]).toEqual(['begin\nx', 'xxend\n']);
});

test('a container that nobody waits for any more is removed at the start, and no other', async (it) => {
  if (reason !== null) it.skip(reason);
  const options = agentOptions(controlPlane, directory.path);
  mkdirSync(options.dataDirectory, { recursive: true });
  const own = createHash('sha256').update(realpathSync(options.dataDirectory)).digest('hex');
  const begin = (name: string, owner: string): void => {
    const marks = ['--name', `edgewise-edge-1-job-a-${name}`, '--label', `edgewise.owner=${owner}`];
    const words = ['run', '--detach', '--rm', ...alone, ...sandboxed, ...marks, image];
    const ran = spawnSync(podman!, ['--runtime', 'runc', ...words, 'sleep', '600']);
    expect(ran.status, String(ran.stderr)).toBe(0);
  };
  try {
    begin(`left-${process.pid}`, own.slice(0, 16));
    begin(`other-${process.pid}`, 'somebody-else');
    agent = startAgent(options);
    await waitUntil(() => containers().length === 1);
    expect(containers()).toEqual([`edgewise-edge-1-job-a-other-${process.pid}`]);
  } finally {
    const others = containers().filter((name) => name.endsWith(`-${process.pid}`));
    spawnSync(podman!, ['rm', '--force', '--time', '0', ...others]);
  }
});

test('an instance in a container is reached at its port, and asked inside', async (it) => {
  if (reason !== null) it.skip(reason);
  const network = ['--network', 'bridge'];
  // Any port: one that is named may be some connection's own.
  const words = ['run', '--rm', ...network, ...sandboxed, '--publish', '80', image];
  const probe = spawnSync(podman!, ['--runtime', 'runc', ...words, 'sh', '-c', 'exit 0'], {
    encoding: 'utf8',
  });
  const noNetwork = `podman gives containers no network here: ${probe.stderr.trim()}`;
  if (probe.status !== 0) it.skip(noNetwork);
  withPodman(join(directory.path, 'bin'), network);
  const script = 'echo here > index.html; touch good; exec httpd -f -p 80 -h /edgewise';
  const run = { container: { image, argv: ['sh', '-c', script], env: {}, timeoutSeconds: null } };
  const port = { name: 'http', target: 80, port: null, protocol: 'tcp' };
  const pace = { everySeconds: 1, timeoutSeconds: 5, failures: 1 };
  const restart = { policy: 'always', backoffSeconds: 1, backoffSecondsMax: 8 };
  const web = { chunks: 1, run, ports: [port], stopGraceSeconds: 1, keepOutput: 'none' };
  const service = { ...web, restart: { ...restart, resetAfterSeconds: 60 } };
  const http = { port: 'http', path: '/index.html', ...pace };
  controlPlane.addJob('job-a', { ...service, ready: { http } });
  const exec = { argv: ['test', '-e', '/edgewise/good'], ...pace };
  controlPlane.addJob('job-b', { ...service, ready: { exec } });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  const jobs = ['job-a', 'job-b'].map(jobIdOf);
  for (const job of jobs) controlPlane.grant('edge-1', job, '0', 1);
  const entryOf = (job: JobId) => controlPlane.reports.at(-1)?.jobs.get(job);
  const isReady = (job: JobId): boolean => !isEmpty(entryOf(job)?.ready ?? emptyRanges);
  await controlPlane.until(() => jobs.every(isReady), 'both are ready');
  const given = jobs.map((job) => entryOf(job)!.ports!.get(0)!.get('http')!);
  expect(new Set(given).size).toBe(2);
  for (const number of given) {
    expect(await (await fetch(`http://127.0.0.1:${number}/index.html`)).text()).toBe('here\n');
  }
  for (const job of jobs) controlPlane.amend('edge-1', job, null);
  await waitUntil(() => containers().length === 0);
});
