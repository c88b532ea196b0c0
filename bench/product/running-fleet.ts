import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureSynthesis } from '../../scripts/setup/synthesis.mjs';
import { type Endpoints, withCloud } from './local-cloud.ts';

/** The whole product for a benchmark: a local cloud, edges, and a client that submits one job. */
export type Product = { readonly place: Endpoints; readonly home: string };

export const agentBinary = join('dist', `edgewise-agent-linux-${process.arch}`);

export async function withProduct<T>(use: (product: Product) => Promise<T>): Promise<T> {
  await ensureSynthesis();
  const home = mkdtempSync(join(tmpdir(), 'bench-'));
  try {
    return await withCloud(home, 'cdk.out', (place) => use({ place, home }));
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** So many edges in one process, each with a directory of its own, as `edgewise fleet` has them. */
export function withFleet<T>(
  product: Product,
  { edges, power }: { readonly edges: number; readonly power: number },
  use: () => Promise<T>,
): Promise<T> {
  const words = ['cli/main.ts', 'fleet', '10', String(10 + edges), '--power', String(power)];
  const data = ['--data', join(product.home, 'edges')];
  return withProgram(product, [process.execPath, '--no-warnings', ...words, ...data], edges, use);
}

/** One agent as it is shipped, or from source where it was not built; so many edges share it. */
export function withAgent<T>(
  product: Product,
  { edges, power }: { readonly edges: number; readonly power: number },
  use: (agent: ChildProcess) => Promise<T>,
): Promise<T> {
  const source = [process.execPath, '--no-warnings', join('edge-agent', 'main.ts')];
  const program = existsSync(agentBinary) ? [agentBinary] : source;
  const names = edges === 1 ? ['--name', 'agent'] : ['--name', 'agent', '--count', String(edges)];
  const words = ['--data', join(product.home, 'agent'), '--power', String(power)];
  return withProgram(product, [...program, ...names, ...words], edges, use);
}

async function withProgram<T>(
  { place }: Product,
  [file, ...args]: readonly string[],
  edges: number,
  use: (program: ChildProcess) => Promise<T>,
): Promise<T> {
  const secrets = { EDGEWISE_TOKEN: place.token, EDGEWISE_ENROL_TOKEN: place.token };
  const env = { ...process.env, EDGEWISE_API: place.api, ...secrets };
  const before = await connectedEdges(place);
  const program = spawn(file!, args, { env, stdio: 'ignore' });
  const ended = once(program, 'exit');
  try {
    await until(async () => (await connectedEdges(place)) >= before + edges);
    return await use(program);
  } finally {
    program.kill('SIGTERM');
    await ended;
    await until(async () => (await connectedEdges(place)) <= before);
  }
}

export type Run = {
  readonly seconds: number;
  /** The longest time in which the count of what is done did not move. */
  readonly stallSeconds: number;
  /** What the job says of itself that it cost, by the price table. */
  readonly usd: number;
};

/** Submits a job and watches it until it is done. */
export async function runJob(place: Endpoints, body: object, watchEveryMs = 50): Promise<Run> {
  const startedAtMs = performance.now();
  const { id } = (await call(place, '/v1/jobs', body)) as { id: string };
  let seen = -1;
  let movedAtMs = startedAtMs;
  let stallMs = 0;
  let usd = 0;
  for (;;) {
    const { status } = (await call(place, `/v1/jobs/${id}`)) as JobAnswer;
    const nowMs = performance.now();
    if (status.state === 'failed') throw new Error(`job ${id} failed`);
    if (status.chunks.done !== seen) {
      if (seen > 0) stallMs = Math.max(stallMs, nowMs - movedAtMs);
      seen = status.chunks.done;
      movedAtMs = nowMs;
    }
    usd = status.receipt.usd;
    if (status.state === 'done') break;
    if (nowMs - movedAtMs > patienceMs) throw new Error(`job ${id} stands still`);
    await delay(watchEveryMs);
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { seconds, stallSeconds: stallMs / 1_000, usd };
}

type JobAnswer = {
  readonly status: {
    readonly state: string;
    readonly chunks: { readonly done: number };
    readonly receipt: { readonly usd: number };
  };
};

const patienceMs = 60_000;
/** Thousands of edges enrol at some tens a second. */
const arrivalMsMax = 600_000;

async function connectedEdges(place: Endpoints): Promise<number> {
  const { edges } = (await call(place, '/v1/stats')) as { edges: Record<string, number> };
  return edges.connected ?? 0;
}

async function call({ api, token }: Endpoints, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${api}${path}`, { headers, ...post });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
  return answer.json();
}

async function until(look: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + arrivalMsMax;
  while (!(await look())) {
    if (performance.now() > endMs) throw new Error('the edges did not come, or did not go');
    await delay(100);
  }
}

export const rounded = (value: number): number => Math.round(value * 100) / 100;
