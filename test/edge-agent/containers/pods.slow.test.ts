import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, isEmpty } from '../../../core/model/ranges.ts';
import { waitUntil } from '../../wait-until.ts';
import {
  agentOptions,
  makeDirectory,
  type RunningAgent,
  startAgent,
  startAgentProcess,
} from '../agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from '../control-plane-double.ts';
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
} from './real-podman.ts';

/** Pods of real containers, where this host has them; everywhere else the reason is printed. */
let reason: string | null = null;
let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agent: RunningAgent | null = null;
/** An agent that is to be killed. */
let first: ReturnType<typeof startAgentProcess> | null = null;

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
  await first?.kill();
  first = null;
  await agent?.stop();
  agent = null;
  process.env.PATH = pathBefore;
  await controlPlane.stop();
  directory.remove();
});

/** Those of this file, whose jobs are called so. */
const ownContainers = (): string[] => containers('pod');
const place = (name: string): string => join(directory.path, 'edge-1', name);

/** Each container with what a shell does in it. */
function podOf(scripts: Record<string, string>): Record<string, unknown> {
  const all = Object.entries(scripts).map(([name, script]) => {
    return { name, image, argv: ['sh', '-c', script], env: { OF: name } };
  });
  return { run: { pod: { containers: all, timeoutSeconds: 60 } }, keepOutput: 'all' };
}

function submit(scripts: Record<string, string>, more: Record<string, unknown> = {}): void {
  controlPlane.addJob('pod-a', { chunks: 1, ...podOf(scripts), ...more });
  controlPlane.grant('edge-1', 'pod-a', '0', 1);
}

const job = () => controlPlane.jobs.get('pod-a')!;
const isEnded = () => job().done.size + job().failed.size === 1;
const output = async (): Promise<string[]> => {
  await controlPlane.until(() => controlPlane.outputs.has('pod-a/0'), 'the output arrived');
  return controlPlane.outputs.get('pod-a/0')!.trim().split('\n').sort();
};

const said = 'echo $OF $EDGEWISE_CONTAINER $EDGEWISE_CHUNK';
const bye = "trap 'echo bye; exit 0' TERM";
const forEver = 'while :; do sleep 0.1; done';
/** Until somebody in the same network listens at 8080. */
const listening = 'until grep -q :1F90 /proc/net/tcp*; do sleep 0.1; done';

test('containers of a pod share network, directory and fate, and each line says whose it is', async (it) => {
  if (reason !== null) it.skip(reason);
  submit({
    web: `${bye}; ${said}; httpd -p 8080; touch up; ${forEver}`,
    ask: `${listening}; until test -e up; do sleep 0.1; done; ls >&2; echo $OF`,
  });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  await controlPlane.until(isEnded, 'it ended');
  expect([[...job().failed], [...job().done]]).toEqual([[], [0]]);
  expect(await output()).toEqual([
    'ask | ask',
    'ask | input',
    'ask | output',
    'ask | up',
    'web | bye',
    'web | web web 0',
  ]);
  expect(ownContainers()).toEqual([]);
  await waitUntil(() => readdirSync(place('chunks')).length === 0);
});

test('the container that dies first is the end, by its name and code; all others stop', async (it) => {
  if (reason !== null) it.skip(reason);
  submit(
    {
      web: `${bye}; touch up; ${forEver}`,
      bad: 'until test -e up; do sleep 0.1; done; echo why >&2; exit 7',
      rude: `trap '' TERM; ${forEver}`,
    },
    { stderr: 'apart', keepDirectory: 'failed', stopGraceSeconds: 1 },
  );
  agent = startAgent(agentOptions(controlPlane, directory.path));
  await controlPlane.until(isEnded, 'it ended');
  expect(job().failed.get(0)).toBe('exit code 7 of bad');
  expect(await output()).toEqual(['web | bye']);
  await controlPlane.until(() => controlPlane.outputs.size === 2, 'standard error arrived');
  expect(controlPlane.outputs.get('pod-a/0/stderr')).toContain('bad | why\n');
  expect(ownContainers()).toEqual([]);
  await waitUntil(() => readdirSync(place('kept')).length === 1);
  // Nothing of what a job keeps secret is left in it.
  expect(readdirSync(join(place('kept'), readdirSync(place('kept'))[0]!))).toEqual(['mount']);
});

test('an image that is nowhere and a program that is none are failed starts', async (it) => {
  if (reason !== null) it.skip(reason);
  const none = 'localhost/edgewise-none:1';
  const good = { name: 'good', image, argv: ['sh', '-c', forEver], env: {} };
  const runOf = (bad: object) => ({
    pod: { containers: [good, { name: 'bad', image, argv: [], env: {}, ...bad }] },
  });
  controlPlane.addJob('pod-a', { chunks: 1, run: runOf({ image: none }) });
  controlPlane.addJob('pod-b', { chunks: 1, run: runOf({ argv: ['no-such-program'] }) });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  for (const name of ['pod-a', 'pod-b']) controlPlane.grant('edge-1', name, '0', 1);
  const failure = (name: string) => controlPlane.jobs.get(name)!.failed.get(0);
  await controlPlane.until(() => failure('pod-a') !== undefined, 'no image');
  await controlPlane.until(() => failure('pod-b') !== undefined, 'no program');
  expect(failure('pod-a')).toMatch(/^start-failed: image localhost\/edgewise-none:1 cannot be/);
  expect(failure('pod-b')).toMatch(/^exit code \d+ of bad$/);
  expect(ownContainers()).toEqual([]);
});

test('a pod that is taken away and does not listen is gone when its power is free', async (it) => {
  if (reason !== null) it.skip(reason);
  const power = { chunkPower: 200, lastChunkPower: 200 };
  const rude = `trap '' TERM; ${forEver}`;
  submit({ web: rude, log: rude }, { ...power, stopGraceSeconds: 1 });
  controlPlane.addJob('pod-b', { chunks: 1, run: { simulate: { seconds: 0 } }, ...power });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  await waitUntil(() => ownContainers().length === 2);
  controlPlane.amend('edge-1', 'pod-a', null);
  controlPlane.grant('edge-1', 'pod-b', '0', 1);
  const { done } = controlPlane.jobs.get('pod-b')!;
  await controlPlane.until(() => done.size === 1, 'the next one had its turn');
  expect(ownContainers()).toEqual([]);
});

const mounted = (name: string): boolean =>
  existsSync(place('chunks')) &&
  readdirSync(place('chunks')).some((it) => existsSync(join(place('chunks'), it, 'mount', name)));

function put(name: string): void {
  const [chunk] = readdirSync(place('chunks'));
  writeFileSync(join(place('chunks'), chunk!, 'mount', name), '');
}

const until = (name: string): string => `until test -e ${name}; do sleep 0.1; done`;

test('a pod outlives an agent that is killed, and its end is known to the next one', async (it) => {
  if (reason !== null) it.skip(reason);
  submit({ web: `${bye}; touch web; ${forEver}`, log: `touch log; ${until('go')}; echo through` });
  const options = agentOptions(controlPlane, directory.path);
  first = startAgentProcess(options);
  await waitUntil(() => mounted('web') && mounted('log'));
  await first.kill();
  const running = ownContainers().sort();
  expect(running).toHaveLength(2);
  agent = startAgent(options);
  const before = controlPlane.reports.length;
  await controlPlane.until(() => controlPlane.reports.length > before, 'the next agent reports');
  expect(ownContainers().sort()).toEqual(running);
  put('go');
  await controlPlane.until(isEnded, 'it ended');
  expect([await output(), [...job().done], job().repeats]).toEqual([
    ['log | through', 'web | bye'],
    [0],
    0,
  ]);
  await waitUntil(() => ownContainers().length === 0);
  await waitUntil(() => readdirSync(place('chunks')).length === 0);
});

test('containers share their fate while no agent runs, and the next one hears of it', async (it) => {
  if (reason !== null) it.skip(reason);
  submit({ web: `touch web; ${until('go')}; exit 3`, log: `${bye}; touch log; ${forEver}` });
  const options = agentOptions(controlPlane, directory.path);
  first = startAgentProcess(options);
  await waitUntil(() => mounted('web') && mounted('log'));
  await first.kill();
  put('go');
  await waitUntil(() => ownContainers().length === 0);
  agent = startAgent(options);
  await controlPlane.until(isEnded, 'it ended');
  expect(job().failed.get(0)).toBe('exit code 3 of web');
  expect(await output()).toEqual(['log | bye']);
});

test('containers of a pod that nobody waits for are removed at the start, and no others', async (it) => {
  if (reason !== null) it.skip(reason);
  const options = agentOptions(controlPlane, directory.path);
  mkdirSync(options.dataDirectory, { recursive: true });
  const own = createHash('sha256').update(realpathSync(options.dataDirectory)).digest('hex');
  const nameOf = (which: string) => `edgewise-edge-1-pod-${which}-${process.pid}.web`;
  const begin = (name: string, owner: string): void => {
    const marks = ['--name', name, '--label', `edgewise.pod-owner=${owner}`];
    const words = ['run', '--detach', '--rm', ...alone, ...sandboxed, ...marks, image];
    const ran = spawnSync(podman!, ['--runtime', 'runc', ...words, 'sleep', '600']);
    expect(ran.status, String(ran.stderr)).toBe(0);
  };
  try {
    begin(nameOf('left'), own.slice(0, 16));
    begin(nameOf('other'), 'somebody-else');
    agent = startAgent(options);
    await waitUntil(() => ownContainers().length === 1);
    expect(ownContainers()).toEqual([nameOf('other')]);
  } finally {
    const others = ownContainers().filter((name) => name.endsWith(`-${process.pid}.web`));
    spawnSync(podman!, ['rm', '--force', '--time', '0', ...others]);
  }
});

test('an instance that is a pod is reached at the port of any container, and asked in the first', async (it) => {
  if (reason !== null) it.skip(reason);
  const network = ['--network', 'bridge'];
  const words = ['run', '--rm', ...network, ...sandboxed, '--publish', '80', image];
  const probe = spawnSync(podman!, ['--runtime', 'runc', ...words, 'sh', '-c', 'exit 0'], {
    encoding: 'utf8',
  });
  const noNetwork = `podman gives containers no network here: ${probe.stderr.trim()}`;
  if (probe.status !== 0) it.skip(noNetwork);
  withPodman(join(directory.path, 'bin'), network);
  const scripts = {
    first: `${bye}; touch /tmp/good; ${forEver}`,
    web: 'echo $EDGEWISE_PORT_HTTP > index.html; exec httpd -f -p 80 -h /edgewise',
  };
  const port = { name: 'http', target: 80, port: null, protocol: 'tcp' };
  const pace = { everySeconds: 1, timeoutSeconds: 5, failures: 1 };
  const restart = { policy: 'always', backoffSeconds: 1, backoffSecondsMax: 8 };
  const service = { restart: { ...restart, resetAfterSeconds: 60 }, stopGraceSeconds: 1 };
  const http = { port: 'http', path: '/index.html', ...pace };
  const exec = { argv: ['test', '-e', '/tmp/good'], ...pace };
  const common = { chunks: 1, ...podOf(scripts), ...service, ports: [port] };
  controlPlane.addJob('pod-a', { ...common, ready: { http } });
  controlPlane.addJob('pod-b', { ...common, ready: { exec } });
  agent = startAgent(agentOptions(controlPlane, directory.path));
  const jobs = ['pod-a', 'pod-b'].map(jobIdOf);
  for (const one of jobs) controlPlane.grant('edge-1', one, '0', 1);
  const entryOf = (of: (typeof jobs)[0]) => controlPlane.reports.at(-1)?.jobs.get(of);
  const isReady = (of: (typeof jobs)[0]) => !isEmpty(entryOf(of)?.ready ?? emptyRanges);
  await controlPlane.until(() => jobs.every(isReady), 'both are ready');
  for (const one of jobs) {
    const number = entryOf(one)!.ports!.get(0)!.get('http')!;
    const answer = await fetch(`http://127.0.0.1:${number}/index.html`);
    expect(await answer.text()).toBe(`${number}\n`);
  }
  for (const one of jobs) controlPlane.amend('edge-1', one, null);
  await waitUntil(() => ownContainers().length === 0);
});
