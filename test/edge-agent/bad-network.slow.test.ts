import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../edge-agent/host/clock.ts';
import { processesWith } from '../../edge-agent/host/process-table.ts';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type NetworkDouble, startNetwork } from './network-double.ts';
import { type PlaneDouble, startPlane } from './plane-double.ts';

let plane: PlaneDouble;
let network: NetworkDouble;
let directory: { path: string; remove: () => void };
let agents: RunningAgent[];

beforeEach(async () => {
  plane = await startPlane();
  network = await startNetwork(plane.shadows.port);
  plane.mqttEndpoint = `127.0.0.1:${network.port}`;
  directory = makeDirectory();
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await network.stop();
  await plane.stop();
  directory.remove();
});

function start(clock?: Clock): RunningAgent {
  const agent = startAgent(agentOptions(plane, directory.path), clock);
  agents.push(agent);
  return agent;
}

/** A clock on which everything is so many times faster. */
function shortened(times: number): Clock {
  const begin = Date.now();
  const now = (): number => (Date.now() - begin) * times;
  return {
    nowMs: () => begin + now(),
    monotonicMs: now,
    after(delayMs, run) {
      // A timer may fire a millisecond before its time.
      const timer = setTimeout(run, delayMs / times + 1);
      return () => clearTimeout(timer);
    },
  };
}

/** Each chunk leaves one line, so that the file counts the runs. */
function countedJob(chunks: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  const argv = ['/bin/sh', '-c', 'echo $EDGEWISE_CHUNK >> $RUNS'];
  const env = { RUNS: join(directory.path, 'runs') };
  return { chunks, run: { process: { argv, env, cwd: null, timeoutSeconds: null } }, ...more };
}

function runsCounted(): number[] {
  const file = join(directory.path, 'runs');
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  return text
    .trim()
    .split('\n')
    .map(Number)
    .sort((a, b) => a - b);
}

const numbers = (n: number): number[] => Array.from({ length: n }, (_, index) => index);

test('on a slow network, cut again and again, the job ends and nothing is doubled', async () => {
  network.delayMs = 20;
  network.dropAfterBytes = 6_000;
  plane.addJob('job-a', countedJob(1_000));
  start();
  const job = plane.jobs.get('job-a')!;
  let granted = 0;
  while (granted < 150 || network.connections() < 4) {
    plane.grant('edge-1', 'job-a', `${granted}-${granted + 9}`, 4);
    granted += 10;
    await plane.until(() => job.done.size === granted, `${granted} chunks done`);
  }
  expect(job.failed.size).toBe(0);
  expect(runsCounted()).toEqual(numbers(granted));
});

test('half an hour offline: it works on, and tells all once the link is back', async () => {
  plane.addJob('job-a', countedJob(200));
  const clock = shortened(600);
  start(clock);
  plane.grant('edge-1', 'job-a', '0-199', 4);
  const job = plane.jobs.get('job-a')!;
  await plane.until(() => job.done.size > 0, 'the first are told');
  network.setDown(true);
  plane.setHttpDown(true);
  const toldBefore = job.done.size;
  const downAtMs = clock.nowMs();
  await new Promise<void>((resolve) => {
    clock.after(30 * 60_000, resolve);
  });
  expect(clock.nowMs() - downAtMs).toBeGreaterThanOrEqual(30 * 60_000);
  expect(job.done.size).toBe(toldBefore);
  network.setDown(false);
  plane.setHttpDown(false);
  await plane.until(() => job.done.size === 200, 'all is told');
  expect(runsCounted()).toEqual(numbers(200));
});

test('past its offline limit a job is stopped, and taken up again', async () => {
  const env = { RUNS: join(directory.path, 'runs') };
  const argv = ['/bin/sh', '-c', 'echo $EDGEWISE_CHUNK >> $RUNS; sleep 300'];
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  const isRunning = (): boolean => processesWith('RUNS', (value) => value === env.RUNS).length > 0;
  plane.addJob('job-a', { chunks: 1, offlineSeconds: 600, run });
  start(shortened(600));
  plane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => runsCounted().length === 1);
  network.setDown(true);
  plane.setHttpDown(true);
  await waitUntil(() => !isRunning());
  expect(plane.jobs.get('job-a')!.failed.size).toBe(0);
  network.setDown(false);
  plane.setHttpDown(false);
  await waitUntil(() => runsCounted().length === 2);
  expect(isRunning()).toBe(true);
});

test('after a restart without uplink it goes on with what it holds', async () => {
  plane.addJob('job-a', countedJob(60));
  plane.addJob('job-b', { chunks: 1, run: { simulate: { seconds: 600 } } });
  const first = start();
  plane.grant('edge-1', 'job-b', '0', 1);
  const job = plane.jobs.get('job-a')!;
  await plane.until(() => plane.reports.some(({ jobs }) => jobs.size > 0), 'it is at work');
  plane.grant('edge-1', 'job-a', '0-59', 1);
  await plane.until(() => job.done.size > 0, 'the first are told');
  network.setDown(true);
  plane.setHttpDown(true);
  await first.stop();
  const told = job.done.size;
  start();
  // The chunk that was under way when the agent stopped may have been told so just before its end.
  await waitUntil(() => new Set(runsCounted()).size === 60);
  expect(job.done.size).toBe(told);
  network.setDown(false);
  plane.setHttpDown(false);
  await plane.until(() => job.done.size === 60, 'all is told');
});

test('a certificate near its end is renewed while work goes on', async () => {
  plane.certificateLifeMs = 1_000;
  plane.addJob('job-a', countedJob(4));
  const agent = start();
  await waitUntil(() => agent.lines.some((line) => line.includes('certificate renewed')));
  plane.certificateLifeMs = 24 * 3_600_000;
  plane.grant('edge-1', 'job-a', '0-3', 2);
  await plane.until(() => plane.jobs.get('job-a')!.done.size === 4, 'the job ends');
});

/** For what sends no event. */
async function waitUntil(holds: () => boolean): Promise<void> {
  const deadlineMs = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > deadlineMs) throw new Error('never happened');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
