import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSynthesis } from '../scripts/setup/synthesis.mjs';
import { addBareRoutes } from './bare-route.ts';
import { type Endpoints, withCloud } from './product/local-cloud.ts';
import type { Figures } from './run.ts';

/**
 * Submitting a job against a bare function that stores one row, taken in turns in one run on one
 * local cloud: the open bare function, the bare function behind the same authorizer, and `POST
 * /v1/jobs`. Rates are medians of the rounds.
 */
const rounds = 3;
const requestsPerRound = 400;
const warmUpRequests = 400;
const atOnce = 8;

export async function run(): Promise<readonly Figures[]> {
  await ensureSynthesis();
  const home = mkdtempSync(join(tmpdir(), 'bench-api-'));
  try {
    addBareRoutes('cdk.out', join(home, 'cdk.out'));
    return await withCloud(home, join(home, 'cdk.out'), measure);
  } finally {
    rmSync(home, { recursive: true });
  }
}

type Round = { readonly perSecond: number; readonly timesMs: readonly number[] };

const sides = { bare: '/bare', bareKnown: '/bare-known', submit: '/v1/jobs' } as const;
type Side = keyof typeof sides;

async function measure(endpoints: Endpoints): Promise<readonly Figures[]> {
  const names = Object.keys(sides) as Side[];
  const results = new Map<Side, Round[]>(names.map((name) => [name, []]));
  for (const name of names) await send(endpoints, sides[name], warmUpRequests);
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      results.get(name)!.push(await send(endpoints, sides[name], requestsPerRound));
    }
  }
  const rate = (name: Side) => median(results.get(name)!.map((it) => it.perSecond));
  return names.map((name) => {
    const times = results
      .get(name)!
      .flatMap((it) => it.timesMs)
      .sort((a, b) => a - b);
    return {
      side: name,
      perSecond: Math.round(rate(name)),
      p50Ms: rounded(times[Math.floor(times.length * 0.5)]!),
      p99Ms: rounded(times[Math.floor(times.length * 0.99)]!),
      ofBarePercent: Math.round((rate(name) / rate('bare')) * 100),
      ofBareKnownPercent: Math.round((rate(name) / rate('bareKnown')) * 100),
    };
  });
}

async function send(endpoints: Endpoints, path: string, count: number): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const timesMs: number[] = [];
  let left = count;
  const startedAtMs = performance.now();
  const worker = async () => {
    while (left-- > 0) timesMs.push(await post(endpoints, path, agent));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  agent.destroy();
  return { perSecond: count / seconds, timesMs };
}

function post({ api, token }: Endpoints, path: string, agent: Agent): Promise<number> {
  const startedAtMs = performance.now();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(`${api}${path}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode !== 202) reject(new Error(`${path} answered ${answer.statusCode}`));
        else resolve(performance.now() - startedAtMs);
      });
    });
    sent.once('error', reject);
    sent.end('{"power":403}');
  });
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const rounded = (value: number): number => Math.round(value * 100) / 100;
