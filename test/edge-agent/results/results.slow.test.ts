import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentOptions } from '../../../edge-agent/program/agent-options.ts';
import { waitUntil } from '../../wait-until.ts';
import { type RunningAgent, startAgentProcess } from '../agent-runner.ts';
import { AgentStage } from '../agent-stage.ts';

let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(async () => {
  await stage.stopAgents();
  expect(controlPlane.unsafe).toEqual([]);
  await stage.close();
});

const options = (): AgentOptions => stage.options({ executors: ['process'] });
const start = (): RunningAgent => stage.start({ executors: ['process'] });

const shell = (script: string) => ({
  process: { argv: ['/bin/sh', '-c', script], env: {}, cwd: null, timeoutSeconds: null },
});

type More = { readonly chunks?: number; readonly on?: 'done' | 'always'; readonly maxMb?: number };

function give(id: string, script: string, paths: readonly string[], more: More = {}): void {
  const { chunks = 1, on = 'done', maxMb = 10 } = more;
  const outputs = { paths, on, maxMb };
  controlPlane.addJob(id, { chunks, chunkPower: 1, run: shell(script), outputs });
  controlPlane.grant('edge-1', id, `0-${chunks - 1}`, chunks);
}

async function ended(id: string, chunks = 1): Promise<ReadonlyMap<number, unknown>> {
  const job = controlPlane.jobs.get(id)!;
  await controlPlane.until(() => job.done.size + job.failed.size === chunks, `${id} ended`);
  return job.failed;
}

type Line = { readonly path: string; readonly sha256: string; readonly mode: string };

/** Path and content of each file that the chunk left, links with an arrow. */
function left(id: string, chunk = 0): Record<string, string> {
  const { manifest } = controlPlane.files.results.get(`${id}/${chunk}`)!;
  const lines: readonly (Line & { link?: string })[] = JSON.parse(
    String(controlPlane.files.content(manifest)),
  );
  return Object.fromEntries(
    lines.map(({ path, sha256, link }) => {
      return [path, link === undefined ? String(controlPlane.files.content(sha256)) : `→ ${link}`];
    }),
  );
}

const directories = (): string[] => readdirSync(join(stage.path, 'edge-1', 'chunks'));

test('what the patterns mean is stored before the chunk is done', async () => {
  start();
  const script = [
    'mkdir -p result/deep other .hidden && echo a > result/a && echo b > result/deep/b.txt',
    'echo c > c.csv && echo no > other/no && echo no > .hidden/no && ln -s a result/link',
    'echo d > "$EDGEWISE_OUTPUT/d.csv" && echo e > "$EDGEWISE_OUTPUT/c.csv"',
  ].join(' && ');
  give('job-a', script, ['result/**', '*.csv']);
  expect([...(await ended('job-a'))]).toEqual([]);
  expect(left('job-a')).toEqual({
    'c.csv': 'c\n',
    'd.csv': 'd\n',
    'output/c.csv': 'e\n',
    'result/a': 'a\n',
    'result/deep/b.txt': 'b\n',
    'result/link': '→ a',
  });
  expect(controlPlane.files.results.get('job-a/0')).toMatchObject({
    files: 6,
    bytes: 10,
    done: true,
  });
});

test('a content travels once, whoever left it', async () => {
  start();
  give('job-a', 'echo same > x; cp x y; echo $EDGEWISE_CHUNK > z', ['*'], { chunks: 4 });
  await ended('job-a', 4);
  for (const chunk of [0, 1, 2, 3]) {
    expect(left('job-a', chunk)).toEqual({ x: 'same\n', y: 'same\n', z: `${chunk}\n` });
  }
  // One that is the same, four that are not, and four lists.
  const { puts } = controlPlane.files;
  expect(new Set(puts).size).toBe(9);
});

test('a job that wants them of failures too gets them, and its failure stays', async () => {
  start();
  give('job-a', 'echo why > core; exit 3', ['core'], { on: 'always' });
  give('job-b', 'echo why > core; exit 3', ['core']);
  expect([...(await ended('job-a'))]).toEqual([[0, 3]]);
  expect(left('job-a')).toEqual({ core: 'why\n' });
  expect(controlPlane.files.results.get('job-a/0')).toMatchObject({ done: false });
  expect([...(await ended('job-b'))]).toEqual([[0, 3]]);
  expect(controlPlane.files.results.has('job-b/0')).toBe(false);
});

test.each([
  ['a link that leads out', 'ln -s /etc/passwd x', /"x" is a link that leads out/],
  ['a link upwards', 'mkdir d && ln -s ../../.. d/x', /"d\/x" is a link that leads out/],
  ['a pipe', 'mkfifo x', /"x" is no file/],
  [
    'a path too long',
    'p=d; for i in 1 2 3 4 5 6; do p=$p/$(printf %0200d $i); done; mkdir -p $p; echo > $p/x',
    /has more than 1024 bytes/,
  ],
  ['a name that is no text', 'printf x > "$(printf "a\\377")"', /is no UTF-8/],
  ['more than was said', 'head -c 2000000 /dev/zero > x', /more than 1 MB/],
  ['a file without rights', 'echo x > x; chmod 0 x', /"x" (cannot be read|is|belongs)/],
] as const)('%s is a failed attempt with a reason', async (_, script, reason) => {
  // Whoever is root may read what has no rights.
  const isRead = script.includes('chmod') && process.getuid?.() === 0;
  start();
  give('job-a', script, ['**'], { maxMb: 1 });
  const [failure] = (await ended('job-a')).values();
  if (isRead) expect(failure).toBeUndefined();
  else expect(failure).toMatch(/^outputs: /);
  if (!isRead) expect(failure).toMatch(reason);
});

test('nothing is followed out of the directory, whatever lies there', async () => {
  writeFileSync(join(stage.path, 'secret'), 'secret');
  start();
  give('job-a', `ln -s '${stage.path}' way; mkdir r; echo x > r/x`, ['way/secret', 'r/']);
  expect([...(await ended('job-a'))]).toEqual([]);
  expect(left('job-a')).toEqual({ 'r/x': 'x\n' });
});

test.each(['gone', 'cut', 'flipped'] as const)('a store that is %s is waited for', async (how) => {
  const agent = start();
  controlPlane.files.taking = how;
  give('job-a', 'echo x > x', ['x']);
  const said = /^Results of chunk 0 of job-a: /;
  await controlPlane.until(() => agent.lines.some((line) => said.test(line)), 'it says why');
  expect(controlPlane.jobs.get('job-a')!.done.size).toBe(0);
  expect(controlPlane.reports.at(-1)!.jobs.size).toBe(1);
  controlPlane.files.taking = 'well';
  expect([...(await ended('job-a'))]).toEqual([]);
  expect(left('job-a')).toEqual({ x: 'x\n' });
});

test('a file that goes on changing is a failed attempt, one that stops is sent', async () => {
  const changed = { 'job-a': 99, 'job-b': 1 };
  controlPlane.files.beforeUploads = (job) => {
    const left = changed[job as 'job-a']--;
    const file = directories().find((name) => name.includes(`_${job}_`));
    if (left <= 0 || file === undefined) return;
    writeFileSync(join(stage.path, 'edge-1', 'chunks', file, 'x'), String(left).padStart(4));
  };
  start();
  for (const id of ['job-a', 'job-b']) give(id, 'echo 100 > x', ['x']);
  expect([...(await ended('job-a'))]).toEqual([[0, 'outputs: x changes while it is read']]);
  expect([...(await ended('job-b'))]).toEqual([]);
  expect(left('job-b')).toEqual({ x: '   1' });
});

test('while results wait the next chunks run', async () => {
  start();
  controlPlane.files.resultsRefused = true;
  const outputs = { paths: ['x'], on: 'done', maxMb: 1 };
  const run = shell('echo $EDGEWISE_CHUNK > x');
  controlPlane.addJob('job-a', { chunks: 5, chunkPower: 1, run, outputs });
  controlPlane.grant('edge-1', 'job-a', '0-4', 1);
  const asked = () => controlPlane.requests.filter((one) => one.endsWith('/files/uploads')).length;
  await controlPlane.until(() => asked() >= 5, 'all five have run');
  expect(controlPlane.jobs.get('job-a')!.done.size).toBe(0);
  controlPlane.files.resultsRefused = false;
  await ended('job-a', 5);
});

test('a chunk that is taken away leaves nothing, and is not done', async () => {
  start();
  controlPlane.files.resultsRefused = true;
  give('job-a', 'echo x > x', ['x']);
  const asked = () => controlPlane.requests.some((one) => one.endsWith('/chunks/0/files'));
  await controlPlane.until(asked, 'it is asked to take them');
  controlPlane.amend('edge-1', 'job-a', null);
  await waitUntil(() => directories().length === 0);
  controlPlane.files.resultsRefused = false;
  give('job-b', 'true', ['x']);
  await ended('job-b');
  expect(controlPlane.jobs.get('job-a')!.done.size).toBe(0);
});

test.each(['killed', 'stopped in order'])(
  'an agent that is %s sends them in the next life',
  async (how) => {
    const first = startAgentProcess(options());
    stage.add(first);
    controlPlane.files.resultsRefused = true;
    const ran = join(stage.path, 'ran');
    give('job-a', `echo once >> '${ran}'; echo x > x`, ['x', 'y']);
    const asked = () => controlPlane.requests.some((one) => one.endsWith('/chunks/0/files'));
    await controlPlane.until(asked, 'it is asked to take them');
    if (how === 'killed') await first.kill();
    else await first.stop();
    controlPlane.files.resultsRefused = false;
    start();
    expect([...(await ended('job-a'))]).toEqual([]);
    expect(left('job-a')).toEqual({ x: 'x\n' });
    expect(readFileSync(ran, 'utf8')).toBe('once\n');
  },
);
