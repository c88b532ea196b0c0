import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentOptions } from '../../edge-agent/program/agent-options.ts';
import { type RunningAgent, startAgent, startAgentProcess } from './agent-runner.ts';
import { AgentStage } from './agent-stage.ts';

let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(() => stage.close());

const options = (): AgentOptions => stage.options({ executors: ['process'] });
const start = (more: Partial<AgentOptions> = {}): RunningAgent =>
  stage.start({ executors: ['process'], ...more });

const shell = (script: string) => ({
  process: { argv: ['/bin/sh', '-c', script], env: {}, cwd: null, timeoutSeconds: null },
});

type Input = {
  path: string;
  sha256?: string;
  manifest?: string;
  url?: string;
  writable?: boolean;
  executable?: boolean;
  unpack?: string;
};

/** Hands in a job of one chunk, and gives it to the edge. */
function give(id: string, script: string, inputs: readonly Input[], chunks = 1): void {
  const spec = { chunks, chunkPower: 1, run: shell(script), inputs, keepOutput: 'all' };
  controlPlane.addJob(id, spec);
  controlPlane.grant('edge-1', id, `0-${chunks - 1}`, chunks);
}

async function ended(id: string, chunks = 1): Promise<string> {
  const job = controlPlane.jobs.get(id)!;
  await controlPlane.until(() => job.done.size + job.failed.size === chunks, `${id} ended`);
  await controlPlane.until(() => controlPlane.outputs.has(`${id}/0`), `output of ${id}`);
  expect([...job.failed]).toEqual([]);
  return controlPlane.outputs.get(`${id}/0`)!;
}

async function refusal(id: string): Promise<string> {
  const job = controlPlane.jobs.get(id)!;
  await controlPlane.until(() => job.refusals.has('edge-1'), `${id} is refused`);
  expect(job.failed.size).toBe(0);
  return job.refusals.get('edge-1')!;
}

const cached = (): string[] => readdirSync(join(stage.path, 'edge-1', 'cache', 'files'));

function manifestOf(files: Record<string, string>, more: object[] = []): string {
  const entries = Object.entries(files).map(([path, content]) => {
    const sha256 = controlPlane.files.add(content);
    return {
      path,
      sha256,
      bytes: Buffer.byteLength(content),
      mode: content[0] === '#' ? '755' : '644',
    };
  });
  return controlPlane.files.add(JSON.stringify([...entries, ...more]));
}

test('a file and a tree lie in the directory of each chunk, and cannot be changed', async () => {
  const scene = controlPlane.files.add('scene\n');
  const manifest = manifestOf({ 'a/x': 'x\n', 'a/run': '#!/bin/sh\necho it runs\n' }, [
    { path: 'b', link: 'a/x' },
  ]);
  const script = [
    'cat d/scene t/a/x t/b && t/a/run && ls -R d t | sort | tr "\\n" " "',
    'for file in d/scene t/a/x t/a/run; do stat -c %a $file; done',
  ].join('\n');
  start();
  give('job-a', script, [
    { path: 'd/scene', sha256: scene },
    { path: 't/', manifest },
  ]);
  const output = await ended('job-a');
  expect(output).toMatch(/^scene\nx\nx\nit runs\n/);
  expect(output).toMatch(/444\n444\n555\n$/);
});

test('a copy of its own a chunk may change, and the next one finds it as it was', async () => {
  const sha256 = controlPlane.files.add('one\n');
  start();
  const inputs = [{ path: 'input/x', sha256, writable: true }];
  for (const id of ['job-a', 'job-b']) {
    give(id, 'echo two >> input/x; cat input/x', inputs);
    expect(await ended(id)).toBe('one\ntwo\n');
  }
});

test('a file that may be run is run, and the same bytes elsewhere are none', async () => {
  const sha256 = controlPlane.files.add('#!/bin/sh\necho it runs\n');
  start();
  give('job-a', './run && stat -c %a run data mine', [
    { path: 'run', sha256, executable: true },
    { path: 'data', sha256 },
    { path: 'mine', sha256, executable: true, writable: true },
  ]);
  expect(await ended('job-a')).toBe('it runs\n555\n444\n755\n');
});

test('each file comes once, however many chunks and jobs wait for it', async () => {
  const sha256 = controlPlane.files.add(randomBytes(300_000));
  start();
  give('job-a', 'wc -c < x', [{ path: 'x', sha256 }], 8);
  expect((await ended('job-a', 8)).trim()).toBe('300000');
  give('job-b', 'wc -c < y', [{ path: 'y', sha256 }]);
  await ended('job-b');
  expect(controlPlane.files.reads).toEqual([{ digest: sha256, start: 0 }]);
});

test('what is here already is not read by a job whose pool does not have it', async () => {
  const sha256 = controlPlane.files.add('secret');
  start();
  give('job-a', 'cat x', [{ path: 'x', sha256 }]);
  await ended('job-a');
  controlPlane.files.remove(sha256);
  give('job-b', 'cat x', [{ path: 'x', sha256 }]);
  expect(await refusal('job-b')).toMatch(/^input-missing: /);
});

test.each([
  ['flipped', /^input-corrupt: /],
  ['gone', /^input-missing: /],
] as const)('an input that is %s is a refusal, and no attempt', async (how, reason) => {
  const sha256 = controlPlane.files.add('precious');
  controlPlane.files.spoil(sha256, how);
  start();
  give('job-a', 'cat x', [{ path: 'x', sha256 }]);
  expect(await refusal('job-a')).toMatch(reason);
  expect(cached()).toEqual([]);
  controlPlane.files.spoil(sha256, 'well');
  expect(await ended('job-a')).toBe('precious');
});

/** A server of somebody else: what it has, by path. */
async function withServer(
  answers: Readonly<Record<string, { status: number; location?: string; body?: string }>>,
  use: (base: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const { status, location, body } = answers[url] ?? { status: 404 };
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a file from elsewhere is fetched by its address, once, and held against its digest', async () => {
  const sha256 = createHash('sha256').update('model').digest('hex');
  const answers = {
    '/model': { status: 302, location: '/moved' },
    '/moved': { status: 200, body: 'model' },
    '/other': { status: 200, body: 'forged' },
  };
  await withServer(answers, async (base, asked) => {
    start();
    const inputs = [{ path: 'm/model.bin', sha256, url: `${base}/model` }];
    give('job-a', 'cat m/model.bin', inputs, 4);
    expect(await ended('job-a', 4)).toBe('model');
    give('job-b', 'cat m/model.bin', inputs);
    expect(await ended('job-b')).toBe('model');
    expect(asked).toEqual(['/model', '/moved']);
    expect(controlPlane.files.reads).toEqual([]);
    give('job-c', 'true', [{ path: 'x', sha256, url: `${base}/other` }]);
    expect(await refusal('job-c')).toMatch(/^input-corrupt: /);
    give('job-d', 'true', [{ path: 'x', sha256, url: `${base}/gone` }]);
    expect(await refusal('job-d')).toMatch(/^input-missing: /);
  });
});

test('to know a digest is no way to what another job brought', async () => {
  const sha256 = controlPlane.files.add('secret');
  start();
  give('job-a', 'cat x', [{ path: 'x', sha256 }]);
  await ended('job-a');
  await withServer({}, async (base) => {
    give('job-b', 'cat x', [{ path: 'x', sha256, url: `${base}/nothing` }]);
    expect(await refusal('job-b')).toMatch(/^input-missing: /);
  });
});

test('a hostile list leads nowhere', async () => {
  const manifest = manifestOf({ '../../escaped': 'x' });
  start();
  give('job-a', 'true', [{ path: 't', manifest }]);
  expect(await refusal('job-a')).toMatch(/^input-corrupt: a list: /);
  expect(existsSync(join(stage.path, 'edge-1', 'chunks', 'escaped'))).toBe(false);
});

test('what is in an archive lies below its path, and the archive does not', async () => {
  const tree = join(stage.path, 'tree');
  mkdirSync(join(tree, 'deep'), { recursive: true });
  writeFileSync(join(tree, 'deep', 'run'), '#!/bin/sh\necho ran\n', { mode: 0o755 });
  writeFileSync(join(tree, 'b'), 'in b\n');
  const packed = spawnSync('tar', ['-cz', '-C', tree, '.']).stdout;
  const sha256 = controlPlane.files.add(packed);
  start();
  const inputs = [{ path: 'data/', sha256, unpack: 'tar.gz' }];
  give('job-a', 'ls; find data -type f | sort; data/deep/run; cat data/b', inputs);
  expect(await ended('job-a')).toBe('data\ninput\noutput\ndata/b\ndata/deep/run\nran\nin b\n');
  give('job-b', 'ls -l data', [{ path: 'data', sha256 }]);
  expect(await ended('job-b')).toMatch(/^-r--r--r-- /);
  expect(controlPlane.files.reads).toHaveLength(1);
});

test('an archive that is none is refused with its reason', async () => {
  const sha256 = controlPlane.files.add('no archive');
  start();
  give('job-a', 'true', [{ path: 'data', sha256, unpack: 'tar.gz' }]);
  expect(await refusal('job-a')).toBe('input-corrupt: an archive: it is not packed by gzip');
});

test('a download that breaks goes on where it was', async () => {
  // More than a runtime holds back: Bun drops what it has not handed over when a connection ends.
  const sha256 = controlPlane.files.add(randomBytes(16_000_000));
  controlPlane.files.spoil(sha256, 'cut');
  start();
  give('job-a', 'sha256sum < x', [{ path: 'x', sha256 }]);
  await controlPlane.until(
    () => controlPlane.files.reads.some(({ start: at }) => at > 0),
    'it is asked for the rest',
  );
  controlPlane.files.spoil(sha256, 'well');
  expect(await ended('job-a')).toMatch(sha256);
  const starts = controlPlane.files.reads.map(({ start: at }) => at);
  expect(starts.filter((at) => at === 0)).toHaveLength(1);
});

test('a killed agent goes on with the part that it has', async () => {
  // Half of it is more than what is written at once.
  const sha256 = controlPlane.files.add(randomBytes(4_000_000));
  controlPlane.files.spoil(sha256, 'stalled');
  const first = startAgentProcess(options());
  give('job-a', 'sha256sum < x', [{ path: 'x', sha256 }]);
  const part = join(stage.path, 'edge-1', 'cache', 'parts', sha256);
  await controlPlane.until(() => controlPlane.files.reads.length > 0, 'it is asked for');
  await partOf(part);
  controlPlane.files.spoil(sha256, 'well');
  await first.kill();
  start();
  expect(await ended('job-a')).toMatch(sha256);
  expect(controlPlane.files.reads[1]?.start).toBeGreaterThan(0);
});

/** Resolves when something of it is on the disk; the store sends half of it and then nothing. */
function partOf(path: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
      watcher.close();
      resolve();
    };
    const watcher = watch(dirname(path), look);
    look();
  });
}

test('a part that was damaged meanwhile is fetched anew, and is no refusal', async () => {
  const bytes = randomBytes(100_000);
  const sha256 = controlPlane.files.add(bytes);
  const parts = join(stage.path, 'edge-1', 'cache', 'parts');
  mkdirSync(parts, { recursive: true });
  // As a loss of power leaves it: of the right length, and without what was in it.
  writeFileSync(join(parts, sha256), Buffer.concat([bytes.subarray(0, 10), Buffer.alloc(5_000)]));
  start();
  give('job-a', 'sha256sum < x', [{ path: 'x', sha256 }]);
  expect(await ended('job-a')).toMatch(sha256);
  expect(controlPlane.files.reads.map(({ start: at }) => at)).toEqual([5_010, 0]);
});

test('an input that somebody changed in the cache is fetched again', async () => {
  const sha256 = controlPlane.files.add('true\n');
  start();
  give('job-a', 'cat x', [{ path: 'x', sha256 }]);
  await ended('job-a');
  const file = join(stage.path, 'edge-1', 'cache', 'files', sha256);
  chmodSync(file, 0o644);
  appendFileSync(file, 'false\n');
  give('job-b', 'cat x', [{ path: 'x', sha256 }]);
  expect(await ended('job-b')).toBe('true\n');
  expect(controlPlane.files.reads).toHaveLength(2);
});

test('the cache has an end: what was used longest ago goes, and what does not fit is said', async () => {
  const [a, b, c] = [40_000, 41_000, 200_000].map((size) =>
    controlPlane.files.add(randomBytes(size)),
  ) as [string, string, string];
  start({ cacheBytes: 100_000 });
  for (const [id, sha256] of [
    ['job-a', a],
    ['job-b', b],
    ['job-a2', a],
  ] as const) {
    give(id, 'wc -c < x', [{ path: 'x', sha256 }]);
    await ended(id);
  }
  const d = controlPlane.files.add(randomBytes(45_000));
  give('job-d', 'wc -c < x', [{ path: 'x', sha256: d }]);
  await ended('job-d');
  expect(cached().sort()).toEqual([a, d].sort());
  give('job-c', 'wc -c < x', [{ path: 'x', sha256: c }]);
  expect(await refusal('job-c')).toMatch(/^no-free-disk: /);
});

test('what an earlier life left is read through before it counts', async () => {
  const sha256 = controlPlane.files.add('kept\n');
  const first = startAgent(options());
  give('job-a', 'cat x', [{ path: 'x', sha256 }]);
  await ended('job-a');
  await first.stop();
  start();
  give('job-b', 'cat x', [{ path: 'x', sha256 }]);
  expect(await ended('job-b')).toBe('kept\n');
  expect(controlPlane.files.reads).toHaveLength(1);
});
