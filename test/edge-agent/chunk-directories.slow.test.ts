import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { jobIdOf } from '../../core/model/names.ts';
import { has } from '../../core/model/ranges.ts';
import { waitUntil } from '../wait-until.ts';
import { startAgentProcess } from './agent-runner.ts';
import { AgentStage } from './agent-stage.ts';

let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(() => stage.close());

function shell(script: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const env = { MARKS: stage.path };
  const run = {
    process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds: null, ...more },
  };
  return { chunkPower: 1, run, keepOutput: 'all' };
}

async function runAll(chunks: number, spec: Record<string, unknown>, slots = 8) {
  controlPlane.addJob('job-a', { chunks, ...spec });
  stage.start();
  controlPlane.grant('edge-1', 'job-a', `0-${chunks - 1}`, slots);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.size + job.failed.size === chunks, 'all chunks ended');
  return job;
}

const place = (name: string): string => join(stage.path, 'edge-1', name);
const listed = (name: string): string[] =>
  existsSync(place(name)) ? readdirSync(place(name)) : [];

test('a chunk says how far it is by its file, and the next report tells it', async () => {
  const script = [
    'if [ "$EDGEWISE_CHUNK" = 0 ]; then',
    'echo 10 > "$EDGEWISE_PROGRESS"; echo 50 >> "$EDGEWISE_PROGRESS"',
    'touch "$MARKS/half"; until [ -e "$MARKS/known" ]; do sleep 0.02; done; exit 0; fi',
    'until [ -e "$MARKS/half" ]; do sleep 0.02; done',
  ].join('\n');
  controlPlane.addJob('job-a', { chunks: 2, ...shell(script) });
  stage.start();
  controlPlane.grant('edge-1', 'job-a', '0-1', 2);
  const saysHalf = (): boolean => {
    const entry = controlPlane.reports.at(-1)?.jobs.get(jobIdOf('job-a'));
    return entry?.percents?.get(0) === 50 && has(entry.running, 0);
  };
  await controlPlane.until(saysHalf, 'half of it is reported');
  writeFileSync(join(stage.path, 'known'), '');
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.size === 2, 'both chunks ended');
});

test('every attempt has a fresh directory of its own, and nothing of it is left', async () => {
  const script = [
    'pwd; echo $EDGEWISE_DIR; echo $HOME; ls; cd input; cd "$EDGEWISE_OUTPUT"',
    // As a chunk may leave it: deep, and closed to its owner.
    'mkdir -p a/b; echo x > a/b/c; chmod 000 a/b; chmod 000 a; touch "$MARKS/$EDGEWISE_CHUNK"',
    'until [ -e "$MARKS/0" ] && [ -e "$MARKS/1" ]; do sleep 0.02; done',
  ].join('\n');
  await runAll(2, shell(script), 2);
  await controlPlane.until(() => controlPlane.outputs.size === 2, 'the outputs arrived');
  const seen = [0, 1].map((chunk) => controlPlane.outputs.get(`job-a/${chunk}`)!.split('\n'));
  for (const [cwd, own, home, ...inside] of seen) {
    expect([own, home]).toEqual([cwd, cwd]);
    expect(cwd!.startsWith(place('chunks'))).toBe(true);
    expect(inside).toEqual(['input', 'output', '']);
  }
  expect(seen[0]![0]).not.toBe(seen[1]![0]);
  await waitUntil(() => listed('chunks').length === 0);
});

test('a chunk sees what its job gives, what is documented, and how its host finds things', async () => {
  process.env.SOME_SETTING_OF_THE_AGENT = 'x';
  try {
    await runAll(1, shell('env | cut -d= -f1 | sort'));
  } finally {
    delete process.env.SOME_SETTING_OF_THE_AGENT;
  }
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  const names = controlPlane.outputs.get('job-a/0')!.trim().split('\n');
  const facts = [
    'CHUNK',
    'CHUNKS',
    'ATTEMPT',
    'DIR',
    'EDGE',
    'INPUT',
    'JOB',
    'OUTPUT',
    'POWER',
    'PROGRESS',
  ];
  const marks = ['LAUNCH', 'OWNER'];
  const documented = [...facts, ...marks].map((name) => `EDGEWISE_${name}`);
  const ofShell = ['PWD', 'OLDPWD', 'SHLVL', '_'];
  const allowed = [...documented, ...ofShell, 'HOME', 'LANG', 'LOGNAME', 'PATH', 'TZ', 'USER'];
  expect(names.filter((name) => !allowed.includes(name) && !name.startsWith('LC_'))).toEqual([
    'MARKS',
  ]);
  expect(names).toEqual(expect.arrayContaining(documented));
});

test('a job says where it runs and what its home is, also from its own directory on', async () => {
  const env = { HOME: '/elsewhere' };
  const script = 'echo $HOME; pwd; echo $EDGEWISE_DIR';
  await runAll(1, shell(script, { env, cwd: 'output' }));
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  const [home, cwd, own] = controlPlane.outputs.get('job-a/0')!.trim().split('\n');
  expect([home, cwd]).toEqual(['/elsewhere', `${own}/output`]);
});

test('of failed attempts the last ten are kept for a look, when the job asks for it', async () => {
  const script = 'echo $EDGEWISE_CHUNK > left; exit $((EDGEWISE_CHUNK < 12))';
  const job = await runAll(14, { ...shell(script), keepDirectory: 'failed' }, 1);
  expect([job.done.size, job.failed.size]).toEqual([2, 12]);
  const kept = (): string[] =>
    listed('kept').map((name) => readFileSync(join(place('kept'), name, 'left'), 'utf8').trim());
  await waitUntil(() => listed('kept').length === 10 && listed('chunks').length === 0);
  expect(
    kept()
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('what a killed agent left is removed at its next start, except of chunks that run', async () => {
  const release = join(stage.path, 'release');
  const script = `echo mine > mine; while [ ! -e '${release}' ]; do sleep 0.05; done; cat mine`;
  controlPlane.addJob('job-a', { chunks: 1, ...shell(script) });
  const first = startAgentProcess(stage.options());
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => ownFiles().length === 1);
  await first.kill();
  const stale = join(place('chunks'), 'edge-1_job-old_7_1_x00');
  mkdirSync(join(stale, 'input'), { recursive: true });
  writeFileSync(join(stale, 'input', 'big'), 'left behind');
  stage.start();
  await waitUntil(() => listed('chunks').length === 1);
  expect(ownFiles()).toHaveLength(1);
  writeFileSync(release, '');
  await controlPlane.until(() => controlPlane.outputs.has('job-a/0'), 'the output arrived');
  expect(controlPlane.outputs.get('job-a/0')).toBe('mine\n');
  await waitUntil(() => listed('chunks').length === 0);
});

test("an owner's rule about directories holds for what a job says and for what it leaves out", async () => {
  const allowed = join(stage.path, 'allowed');
  mkdirSync(join(allowed, 'inside'), { recursive: true });
  symlinkSync('/etc', join(allowed, 'link'));
  const policyFile = join(stage.path, 'policy.json');
  const runIn = (cwd: string | null) => shell('exit 0', { cwd });
  const own = join(place('chunks'), '*');
  const forbidden = {
    absent: null,
    relative: 'output',
    climbing: `${allowed}/../..`,
    doubled: '//etc',
    linked: `${allowed}/link`,
    above: '../../..',
    broken: `${allowed}/inside\n/etc`,
  };
  for (const [name, cwd] of Object.entries({ ...forbidden, fine: `${allowed}/inside` })) {
    controlPlane.addJob(name, { chunks: 1, ...runIn(cwd) });
    controlPlane.grant('edge-1', name, '0', 1);
  }
  writeFileSync(policyFile, JSON.stringify({ allow: { cwd: [`${realpathSync(allowed)}/*`] } }));
  const first = stage.start({ policyFile });
  const refused = (name: string) => controlPlane.jobs.get(name)!.refusals.get('edge-1') ?? '';
  const names = Object.keys(forbidden);
  await controlPlane.until(() => names.every((name) => refused(name) !== ''), 'all are refused');
  await controlPlane.until(() => controlPlane.jobs.get('fine')!.done.size === 1, 'one is done');
  expect(names.map((name) => controlPlane.jobs.get(name)!.done.size)).toEqual(names.map(() => 0));
  expect(refused('absent')).toBe(`not allowed here: working directory ${join(own, '..', 'chunk')}`);
  expect(refused('linked')).toBe('not allowed here: working directory /etc');
  await first.stop();
  // Their own directories are one more that an owner may allow.
  writeFileSync(policyFile, JSON.stringify({ allow: { cwd: [own] } }));
  stage.start({ policyFile });
  for (const name of names) controlPlane.grant('edge-1', name, '0', 1);
  const isDone = (name: string) => controlPlane.jobs.get(name)!.done.size === 1;
  await controlPlane.until(() => isDone('absent') && isDone('relative'), 'both are done');
  expect(['climbing', 'doubled', 'linked', 'above', 'broken'].map(isDone)).not.toContain(true);
});

test('an edge whose disk takes no directory says so, and spends no attempt', async () => {
  controlPlane.addJob('job-a', { chunks: 1, ...shell('exit 0') });
  stage.start();
  await controlPlane.until(() => controlPlane.facts.size > 0, 'connected');
  rmSync(place('chunks'), { recursive: true });
  writeFileSync(place('chunks'), 'a file in its place');
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.refusals.has('edge-1'), 'refused');
  expect(job.refusals.get('edge-1')).toBe('no directory: ENOTDIR');
  expect(job.failed.size).toBe(0);
});

/** What the chunk of the test above has written, wherever it is. */
function ownFiles(): string[] {
  return listed('chunks').filter((name) => {
    try {
      return readFileSync(join(place('chunks'), name, 'mine'), 'utf8') === 'mine\n';
    } catch {
      return false;
    }
  });
}
