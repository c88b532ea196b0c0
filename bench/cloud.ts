/**
 * What the local cloud costs a developer: time from `cdk.out` to ready, processor time when nothing
 * happens, and the time of an API call whose function does nothing.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureSynthesis } from '../scripts/setup/synthesis.mjs';
import { processesOf, processorSeconds } from './product/processes.ts';
import type { Figures } from './run.ts';

const starts = 3;
const calls = 400;
const idleSettleMs = 3_000;
const idleMs = 10_000;

export async function run(): Promise<readonly Figures[]> {
  await ensureSynthesis();
  const stateDir = mkdtempSync(join(tmpdir(), 'bench-cloud-'));
  try {
    return await measure(stateDir);
  } finally {
    rmSync(stateDir, { recursive: true });
  }
}

async function measure(stateDir: string): Promise<readonly Figures[]> {
  const startMs: number[] = [];
  for (let i = 0; i < starts; i += 1) {
    const { cloud, readyMs } = await start(stateDir);
    startMs.push(readyMs);
    if (i < starts - 1) await stop(cloud);
    else {
      const figures = await measureRunning(stateDir).finally(() => stop(cloud));
      return [
        { startMs: Math.round(median(startMs)), firstStartMs: Math.round(startMs[0]!), ...figures },
      ];
    }
  }
  return [];
}

async function measureRunning(stateDir: string): Promise<Figures> {
  const { api } = JSON.parse(readFileSync(join(stateDir, 'endpoints.json'), 'utf8'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const first = await call(`${api}/v1/health`, agent);
  const times: number[] = [];
  for (let i = 0; i < calls; i += 1) times.push(await call(`${api}/v1/health`, agent));
  agent.destroy();
  times.sort((a, b) => a - b);
  await delay(idleSettleMs);
  const before = processorSeconds(pidsOf(stateDir));
  await delay(idleMs);
  const idlePercent = ((processorSeconds(pidsOf(stateDir)) - before) / idleMs) * 100_000;
  return {
    coldCallMs: Math.round(first),
    callP50Ms: rounded(times[Math.floor(calls * 0.5)]!),
    callP99Ms: rounded(times[Math.floor(calls * 0.99)]!),
    idlePercentOfOneCore: rounded(idlePercent),
    memoryMb: Math.round(memoryMb(stateDir)),
  };
}

async function start(stateDir: string): Promise<{ cloud: ChildProcess; readyMs: number }> {
  const portBase = await freePort();
  const startedAtMs = performance.now();
  const args = ['--stack', 'Edgewise', '--state', stateDir, '--port-base', String(portBase)];
  const cloud = spawn(process.execPath, ['local/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(cloud.stdout!, 'data');
  return { cloud, readyMs: performance.now() - startedAtMs };
}

async function stop(cloud: ChildProcess): Promise<void> {
  const ended = once(cloud, 'exit');
  cloud.kill('SIGTERM');
  await ended;
}

function call(url: string, agent: Agent): Promise<number> {
  const startedAtMs = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(performance.now() - startedAtMs));
    }).on('error', reject);
  });
}

const pidsOf = (stateDir: string): string[] => processesOf(stateDir).map(({ pid }) => pid);

function memoryMb(stateDir: string): number {
  return processesOf(stateDir).reduce((sum, { memoryKb }) => sum + memoryKb, 0) / 1024;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
