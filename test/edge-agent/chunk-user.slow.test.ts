import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProgram } from '../../edge-agent/host/host-inspection.ts';
import { processesWith } from '../../edge-agent/host/process-table.ts';
import { waitUntil } from '../wait-until.ts';
import {
  agentOptions,
  makeDirectory,
  type RunningAgent,
  startAgent,
  startAgentProcess,
} from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';
import { makeProgramPath } from './program-path.ts';

/**
 * Chunks as another user, with real processes: only root, or an agent with the capabilities of the
 * package, may switch. Everywhere else the reason is printed.
 */
// Another one than other tests use: the kernel counts processes by user.
const user = 'bin';
const unitName = 'edgewise-agent.service';
const reason = reasonToSkip();

function reasonToSkip(): string | null {
  if (process.getuid?.() !== 0) return 'only root may start processes as another user';
  const missing = ['setpriv', 'prlimit'].find(
    (one) => findProgram(one, process.env.PATH!) === null,
  );
  return missing === undefined ? null : `${missing} is not on this host`;
}

const asUser = reason === null ? test : test.skip;
if (reason !== null) console.log(`skipped: ${reason}`);

let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agents: RunningAgent[];
const pathBefore = process.env.PATH;

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
  // The user of chunks has to pass through what is above.
  for (const path of [directory.path, process.env.TMPDIR ?? '/tmp']) openToAll(path);
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop().catch(() => {})));
  process.env.PATH = pathBefore;
  expect(chunkProcesses()).toEqual([]);
  await controlPlane.stop();
  directory.remove();
});

function openToAll(path: string): void {
  for (let at = path; at !== '/' && at !== '/tmp'; at = join(at, '..')) chmodSync(at, 0o711);
}

function start(more: Parameters<typeof agentOptions>[2] = {}): RunningAgent {
  const agent = startAgent(
    agentOptions(controlPlane, directory.path, { chunkUser: user, ...more }),
  );
  agents.push(agent);
  return agent;
}

function shell(script: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const env = { MARKS: directory.path };
  const run = { process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds: 20 } };
  return { chunkPower: 1, run, keepOutput: 'all', ...more };
}

function chunkProcesses(): number[] {
  return processesWith('MARKS', (value) => value === directory.path);
}

async function outputOf(script: string, more: Record<string, unknown> = {}): Promise<string> {
  controlPlane.addJob('job-a', { chunks: 1, ...shell(script, more) });
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  return controlPlane.outputs.get('job-a/0')!;
}

const place = (name: string): string => join(directory.path, 'edge-1', name);

asUser(
  'a chunk is another user, in its own session, without a capability or a way to one',
  async () => {
    start();
    const status = await outputOf(
      'id -un; id -Gn; ps -o sid= -p $$ | tr -d " "; echo $$; cat /proc/self/status; echo $USER',
    );
    const [name, groups, session, pid] = status.split('\n');
    expect([name, groups]).toEqual([user, groupOf(user)]);
    expect(session).toBe(pid);
    for (const set of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(status).toMatch(new RegExp(`^Cap${set}:\\s+0+$`, 'm'));
    }
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status.trim().split('\n').at(-1)).toBe(user);
    await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'facts arrived');
    expect(controlPlane.facts.get('edge-1')).toMatchObject({ facts: { isolation: 'user' } });
  },
);

asUser(
  'the identity, the memory and the environment of its agent are out of its reach',
  async () => {
    const agent = startAgentProcess(
      agentOptions(controlPlane, directory.path, { chunkUser: user }),
    );
    agents.push(agent);
    const script = [
      'cd "$EDGEWISE_DIR/../.."; data=$(pwd); try() { "$@" > out 2>&1 && echo "could $*"; }',
      'cd "$EDGEWISE_OUTPUT"',
      'for file in edges/edge-1/key.pem edges/edge-1/identity.json journal.log lock; do',
      '  try cat "$data/$file"; try cp /etc/hostname "$data/$file"; try rm -f "$data/$file"; done',
      'for place in . chunks edges specs outputs cluster kept; do try ls "$data/$place"; done',
      'for file in environ mem maps cwd/x fd; do try ls "/proc/$AGENT/fd"',
      '  try head -c 10 "/proc/$AGENT/$file"; done',
      'launcher=$(cut -d" " -f4 /proc/$$/stat)',
      'for pid in $AGENT $launcher; do try kill -0 $pid; try kill -9 $pid; done',
      'try head -c 10 "/proc/$launcher/environ"',
      'echo x > /dev/stderr && echo tried',
    ].join('\n');
    const env = { MARKS: directory.path, AGENT: String(agent.pid) };
    const run = {
      process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds: 20 },
    };
    await controlPlane.until(() => existsSync(place('edges/edge-1/identity.json')), 'enrolled');
    expect(await outputOf('', { run })).toBe('x\ntried\n');
    const mode = (path: string): string => (statSync(place(path)).mode & 0o777).toString(8);
    expect(['edges', 'edges/edge-1', 'edges/edge-1/key.pem'].map(mode)).toEqual([
      '700',
      '700',
      '600',
    ]);
  },
);

asUser('its directory is its own, and is gone however it was left', async () => {
  const victim = join(directory.path, 'victim');
  mkdirSync(join(victim, 'output'), { recursive: true });
  writeFileSync(join(victim, 'output', 'file'), 'precious');
  start();
  const script = [
    'mkdir -p a/b && echo x > a/b/c && chmod 000 a/b a',
    `rmdir input output && ln -s '${victim}/output' output && ln -s '${victim}' input`,
    'ls -ld . | cut -d" " -f1,3',
  ].join('\n');
  expect(await outputOf(script)).toBe(`drwx------ ${user}\n`);
  await waitUntil(() => readdirSync(place('chunks')).length === 0);
  expect(readFileSync(join(victim, 'output', 'file'), 'utf8')).toBe('precious');
});

asUser('a fork bomb ends at its limit, and others work on', async () => {
  start();
  const bomb = 'bomb() { bomb | bomb & }; bomb; sleep 2';
  controlPlane.addJob('job-b', { chunks: 1, ...shell(bomb, { resources: { processes: 40 } }) });
  const count = 'i=0; while :; do i=$((i + 1)); echo $i; sleep 30 & done';
  controlPlane.addJob('job-d', { chunks: 1, ...shell(count, { resources: { processes: 40 } }) });
  controlPlane.addJob('job-c', { chunks: 20, ...shell('sleep 0.05') });
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  controlPlane.grant('edge-1', 'job-c', '0-19', 2);
  const ended = ['job-b', 'job-c', 'job-d'].map((id) => controlPlane.jobs.get(id)!);
  const all = (): number =>
    ended.reduce((sum, { done, failed }) => sum + done.size + failed.size, 0);
  await controlPlane.until(() => all() === 21, 'the bomb and the others ended');
  // Not beside the bomb: both are one user's, and it would leave nothing to count.
  await waitUntil(() => chunkProcesses().length === 0);
  controlPlane.grant('edge-1', 'job-d', '0', 1);
  await controlPlane.until(() => all() === 22 && controlPlane.outputs.has('job-d/0'), 'all ended');
  expect(ended[1]!.done.size).toBe(20);
  const started = controlPlane.outputs.get('job-d/0')!.match(/^\d+$/gm)!.map(Number).at(-1)!;
  expect(started).toBeGreaterThan(1);
  expect(started).toBeLessThan(100);
  await waitUntil(() => chunkProcesses().length === 0);
});

asUser('what it may write and remember is what its job asked for', async () => {
  start();
  const big = 'head -c 100000000 /dev/zero > big; echo $?; ls -l big | cut -d" " -f5';
  const written = await outputOf(big, { resources: { diskMb: 1 } });
  expect(written.trim().split('\n').at(-1)).toBe(String(1024 * 1024));
  controlPlane.addJob('job-b', {
    chunks: 1,
    ...shell('head -c 300000000 /dev/zero | tail > /dev/null', { resources: { memoryMb: 64 } }),
  });
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  const b = controlPlane.jobs.get('job-b')!;
  await controlPlane.until(() => b.done.size + b.failed.size === 1, 'it ended');
  expect(b.done.size).toBe(0);
});

asUser(
  'a program that is not there is said as ever; what is left in other sessions is killed',
  async () => {
    start();
    controlPlane.addJob('job-b', {
      chunks: 1,
      ...shell('setsid sleep 300 & setsid sleep 300 & exit 3'),
    });
    const run = { process: { argv: ['no-such'], env: {}, cwd: null, timeoutSeconds: null } };
    controlPlane.addJob('job-c', { chunks: 1, run });
    controlPlane.grant('edge-1', 'job-b', '0', 1);
    controlPlane.grant('edge-1', 'job-c', '0', 1);
    const [b, c] = [controlPlane.jobs.get('job-b')!, controlPlane.jobs.get('job-c')!];
    await controlPlane.until(() => b.failed.size + c.failed.size === 2, 'both ended');
    expect([b.failed.get(0), c.failed.get(0)]).toEqual([3, 'start-failed: no program no-such']);
    await waitUntil(() => chunkProcesses().length === 0);
  },
);

asUser('an agent with the capabilities of the package, and no more, does the same', async () => {
  const unit = readFileSync(join(import.meta.dirname, '../../packaging', unitName), 'utf8');
  const listed = (set: string): string[] =>
    [...unit.matchAll(new RegExp(`^${set}=(.*)$`, 'gm'))].flatMap((line) => line[1]!.split(' '));
  const capabilities = listed('AmbientCapabilities');
  expect(capabilities).toEqual(listed('CapabilityBoundingSet'));
  const names = capabilities.map((name) => `+${name.replace('CAP_', '').toLowerCase()}`);
  const sets = ['inh-caps', 'ambient-caps', 'bounding-set'];
  const wrapper = [
    ...['setpriv', '--reuid=daemon', '--regid=daemon', '--clear-groups', '--no-new-privs'],
    ...sets.map((set) => `--${set}=-all,${names.join(',')}`),
  ];
  spawnSync('chown', ['daemon', directory.path]);
  const options = agentOptions(controlPlane, directory.path, { chunkUser: user });
  const agent = startAgentProcess(options, wrapper);
  agents.push(agent);
  const script = 'id -un; grep CapEff /proc/self/status; mkdir a; touch a/b; chmod 0 a';
  const stray = 'setsid sleep 300 & exit 3';
  expect(await outputOf(`${script}; ${stray}`)).toMatch(/^bin\nCapEff:\s+0+\n$/);
  await waitUntil(() => chunkProcesses().length === 0 && readdirSync(place('chunks')).length === 0);
  expect(readFileSync(`/proc/${agent.pid}/status`, 'utf8')).toMatch(/^Uid:\s+1\b/m);
});

asUser('without the means to switch an agent that has to does not start', async () => {
  process.env.PATH = makeProgramPath(join(directory.path, 'bin'), ['id', 'sh']);
  await expect(start().exit).rejects.toThrow('Chunks cannot run as bin: setpriv of util-linux');
  await expect(start({ chunkUser: 'no-such-user' }).exit).rejects.toThrow('there is no user');
  await expect(start({ chunkUser: 'root' }).exit).rejects.toThrow('root may do everything');
  agents = [];
});

test('where chunks run as the agent it says so, at the start and in its facts', async () => {
  const agent = start({ chunkUser: 'none' });
  await controlPlane.until(() => controlPlane.facts.has('edge-1'), 'facts arrived');
  expect(controlPlane.facts.get('edge-1')).toMatchObject({ facts: { isolation: 'none' } });
  expect(agent.lines).toContain(
    "Chunks run as the agent's own user and can read what it can: its owner wants it so.",
  );
});

function groupOf(name: string): string {
  const passwd = readFileSync('/etc/passwd', 'utf8');
  const gid = new RegExp(`^${name}:[^:]*:\\d+:(\\d+):`, 'm').exec(passwd)![1];
  return new RegExp(`^([^:]*):[^:]*:${gid}:`, 'm').exec(readFileSync('/etc/group', 'utf8'))![1]!;
}
