import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { systemClock } from '../edge-agent/host/clock.ts';
import { download } from '../edge-agent/inputs/download.ts';
import { ensureSynthesis } from '../scripts/setup/synthesis.mjs';
import { type Endpoints, withCloud } from './product/local-cloud.ts';
import type { Figures } from './run.ts';

/**
 * One large file up and down beside `aws s3 cp`, against the buckets of one local cloud and in
 * turns, so that what else the machine does is shared: `edgewise submit --input`, `edgewise pull`,
 * and what an edge does to fetch it. Each is a whole process but the last. `FILES_MB` for another
 * size, `FILES_ROUNDS` for more rounds; of each figure the best round counts.
 */
const megabytes = Number(process.env.FILES_MB ?? 1_024);
const rounds = Number(process.env.FILES_ROUNDS ?? 2);
/** The least that is promised beside the other. */
const goal = 0.8;

export async function run(): Promise<readonly Figures[]> {
  await ensureSynthesis();
  const version = spawnSync('aws', ['--version'], { encoding: 'utf8' });
  if (version.status !== 0) return [{ figure: 'aws s3 cp', value: 'not here: there is no "aws"' }];
  const home = mkdtempSync(join(tmpdir(), 'bench-files-'));
  try {
    return await withCloud(home, 'cdk.out', (place) => withAgent(home, place));
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function withAgent(home: string, place: Endpoints): Promise<readonly Figures[]> {
  const words = ['agent', '--name', 'bench', '--data', join(home, 'agent'), '--quiet'];
  const agent = spawn(process.execPath, [client, ...words], {
    ...optionsOf(home, place),
    stdio: 'ignore',
  });
  try {
    return await measure(home, place);
  } finally {
    const ended = new Promise((resolve) => agent.once('exit', resolve));
    agent.kill('SIGTERM');
    await ended;
  }
}

const client = join(import.meta.dirname, '..', 'bin', 'edgewise.mjs');

const optionsOf = (home: string, { api, token }: Endpoints) => ({
  cwd: home,
  env: {
    ...process.env,
    ...{ EDGEWISE_API: api, EDGEWISE_TOKEN: token },
    ...{ AWS_CONFIG_FILE: join(home, 'state', 'aws-config'), AWS_PROFILE: 'local' },
  },
});

async function measure(home: string, place: Endpoints): Promise<readonly Figures[]> {
  const best = new Map<string, number>();
  const timed = async <T>(figure: string, what: () => Promise<T>): Promise<T> => {
    // Nobody pays for what the one before left to be written.
    spawnSync('sync');
    const startedAtMs = performance.now();
    const result = await what();
    const rate = megabytes / ((performance.now() - startedAtMs) / 1_000);
    best.set(figure, Math.max(best.get(figure) ?? 0, rate));
    return result;
  };
  const ours = (...words: string[]) => output(process.execPath, [client, ...words], home, place);
  const aws = (...words: string[]) => output('aws', ['s3', 'cp', '--quiet', ...words], home, place);
  const bucket = bucketOf(await output('aws', ['s3', 'ls'], home, place));
  for (let round = 0; round < rounds; round++) {
    const [name, copy] = [`large-${round}`, `copy-${round}`];
    spawnSync('sh', ['-c', `head -c ${megabytes}M /dev/urandom > ${name}`], { cwd: home });
    const object = `s3://${bucket}/bench/${name}`;
    await timed('aws s3 cp, up', () => aws(name, object));
    await timed('aws s3 cp, down', () => aws(object, 'down'));
    const job = await timed('edgewise submit --input', () =>
      ours('submit', '--chunks', '1', '--input', name, '--outputs', copy, '--', 'cp', name, copy),
    );
    await ours('job', 'wait', job);
    await timed('edgewise pull', () => ours('pull', job, '--to', 'pulled'));
    const digest = await digestOf(join(home, name));
    const pulled = await digestOf(join(home, 'pulled', '0', copy));
    if (pulled !== digest) throw new Error('what came back is not what was sent');
    const url = await addressOf(place, digest);
    const path = join(home, 'fetched');
    const signal = new AbortController().signal;
    const wanted = { url, digest, path, clock: systemClock, signal, makeRoom: () => true };
    await timed('an edge fetches it', () => download(wanted));
    for (const left of [name, 'down', 'fetched', 'pulled']) {
      rmSync(join(home, left), { recursive: true });
    }
  }
  return figuresOf(best);
}

function figuresOf(best: ReadonlyMap<string, number>): readonly Figures[] {
  const rates = [...best].map(([figure, value]) => {
    return { figure: `${figure}, MB/s`, value: Math.round(value) };
  });
  const part = (figure: string, ours: string, theirs: string) => {
    const value = (best.get(ours) ?? 0) / (best.get(theirs) ?? 0);
    return { figure, value: Math.round(value * 100) / 100, goal };
  };
  return [
    ...rates,
    part('up, part of aws s3 cp', 'edgewise submit --input', 'aws s3 cp, up'),
    part('down, part of aws s3 cp', 'edgewise pull', 'aws s3 cp, down'),
    part('to an edge, part of aws s3 cp', 'an edge fetches it', 'aws s3 cp, down'),
  ];
}

async function output(
  program: string,
  words: readonly string[],
  home: string,
  place: Endpoints,
): Promise<string> {
  const child = spawn(program, words, optionsOf(home, place));
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`${program} ${words.join(' ')}: ${err}`);
  return out.trim();
}

/** The one in which the files of jobs are. */
function bucketOf(list: string): string {
  const names = list.split('\n').map((line) => line.split(' ').at(-1) ?? '');
  const found = names.find((name) => /outputs/.test(name));
  if (found === undefined) throw new Error(`there is no bucket of outputs among ${names}`);
  return found;
}

async function addressOf({ api, token }: Endpoints, digest: string): Promise<string> {
  const answer = await fetch(`${api}/v1/files/${digest}`, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'manual',
  });
  return answer.headers.get('location') ?? '';
}

async function digestOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return sum.digest('hex');
}
