/**
 * The two database engines of the local cloud under our own workload, one after the other in one
 * run: start, a hundred jobs one by one and then a hundred at once on simulated edges, until the
 * last is done, and the memory of the database. Needs Java for the second engine.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureSynthesis } from '../scripts/setup/synthesis.mjs';
import type { Figures } from './run.ts';

const engines = ['dynoxide', 'dynamodb-local'] as const;
const jobs = 100;
const edges = 10;
const waitMsMax = 120_000;
const stopGraceMs = 10_000;

type Endpoints = { readonly api: string; readonly token: string };
type Stats = {
  readonly edges: { readonly connected: number };
  readonly jobs: { readonly done: number };
};

export async function run(): Promise<readonly Figures[]> {
  await ensureSynthesis();
  const figures: Figures[] = [];
  for (const engine of engines) figures.push(await measure(engine));
  return figures;
}

async function measure(engine: string): Promise<Figures> {
  const state = mkdtempSync(join(tmpdir(), 'bench-engines-'));
  const programs: ChildProcess[] = [];
  try {
    const startedAtMs = performance.now();
    const where = ['--state', state, '--port-base', String(await freePort())];
    const words = ['local/main.ts', '--stack', 'Edgewise', '--database', engine, ...where];
    const cloud = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    programs.push(cloud);
    await once(cloud.stdout!, 'data');
    const startMs = Math.round(performance.now() - startedAtMs);
    const endpoints = JSON.parse(readFileSync(join(state, 'endpoints.json'), 'utf8')) as Endpoints;
    programs.push(startFleet(endpoints, state));
    await until(endpoints, (stats) => stats.edges.connected === edges);
    await submit(endpoints);
    await until(endpoints, (stats) => stats.jobs.done === 1);
    const submitMs = await submitOneByOne(endpoints);
    const atOnceMs = performance.now();
    await Promise.all(Array.from({ length: jobs }, () => submit(endpoints)));
    await until(endpoints, (stats) => stats.jobs.done === 2 * jobs + 1);
    const hundredAtOnceMs = Math.round(performance.now() - atOnceMs);
    return { engine, startMs, ...submitMs, hundredAtOnceMs, databaseMb: databaseMb(state) };
  } finally {
    for (const program of programs.reverse()) await stop(program);
    rmSync(state, { recursive: true, force: true });
  }
}

function startFleet({ api, token }: Endpoints, state: string): ChildProcess {
  const range = ['10', String(10 + edges)];
  return spawn(
    process.execPath,
    ['cli/main.ts', 'fleet', ...range, '--data', join(state, 'edges')],
    {
      env: { ...process.env, EDGEWISE_API: api, EDGEWISE_TOKEN: token },
      stdio: 'ignore',
    },
  );
}

async function submitOneByOne(endpoints: Endpoints): Promise<Figures> {
  const times: number[] = [];
  const startedAtMs = performance.now();
  for (let i = 0; i < jobs; i += 1) times.push(await submit(endpoints));
  await until(endpoints, (stats) => stats.jobs.done === jobs + 1);
  const hundredInTurnMs = Math.round(performance.now() - startedAtMs);
  times.sort((a, b) => a - b);
  return {
    submitP50Ms: rounded(times[jobs / 2]!),
    submitMaxMs: rounded(times.at(-1)!),
    hundredInTurnMs,
  };
}

/** A job of four short chunks; how long the answer took. */
async function submit(endpoints: Endpoints): Promise<number> {
  const startedAtMs = performance.now();
  const body = JSON.stringify({ chunks: 4, chunkPower: 20, run: { simulate: { seconds: 0.05 } } });
  const response = await intent(endpoints, '/v1/jobs', { method: 'POST', body });
  if (response.status !== 202) throw new Error(await response.text());
  await response.text();
  return performance.now() - startedAtMs;
}

async function until(endpoints: Endpoints, is: (stats: Stats) => boolean): Promise<void> {
  const endMs = performance.now() + waitMsMax;
  for (;;) {
    const response = await intent(endpoints, '/v1/stats', {});
    const stats = (await response.json()) as Stats;
    if (response.ok && is(stats)) return;
    if (performance.now() > endMs) throw new Error(`Still only: ${JSON.stringify(stats)}`);
    await delay(50);
  }
}

function intent({ api, token }: Endpoints, path: string, init: RequestInit): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(`${api}${path}`, { ...init, headers });
}

/** The database is the only program of the state directory that is neither the cloud nor Node. */
function databaseMb(state: string): number {
  const lines = execFileSync('ps', ['-ww', '-eo', 'rss=,args='], { encoding: 'utf8' }).split('\n');
  const own = lines.filter(
    (line) =>
      line.includes(state) && !line.includes('main.ts') && /dynoxide|DynamoDBLocal/i.test(line),
  );
  const kilobytes = own.map((line) => Number(line.trim().split(/\s+/)[0]));
  return Math.round(kilobytes.reduce((sum, each) => sum + each, 0) / 1024);
}

async function stop(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  const timer = setTimeout(() => program.kill('SIGKILL'), stopGraceMs);
  await ended;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? Math.min(address.port, 64_000) : 0;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
