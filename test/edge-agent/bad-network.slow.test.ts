import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Clock } from '../../edge-agent/host/clock.ts';
import { processesWith } from '../../edge-agent/host/process-table.ts';
import { waitUntil } from '../wait-until.ts';
import { agentOptions, makeDirectory, type RunningAgent, startAgent } from './agent-runner.ts';
import { type ControlPlaneDouble, startControlPlane } from './control-plane-double.ts';
import { type NetworkDouble, startNetwork } from './network-double.ts';

let controlPlane: ControlPlaneDouble;
let network: NetworkDouble;
let directory: { path: string; remove: () => void };
let agents: RunningAgent[];

beforeEach(async () => {
  controlPlane = await startControlPlane();
  network = await startNetwork(controlPlane.shadows.port);
  controlPlane.mqttEndpoint = `127.0.0.1:${network.port}`;
  directory = makeDirectory();
  agents = [];
});

afterEach(async () => {
  await Promise.all(agents.map((agent) => agent.stop()));
  await network.stop();
  await controlPlane.stop();
  directory.remove();
});

function start(clock?: Clock): RunningAgent {
  const agent = startAgent(agentOptions(controlPlane, directory.path), clock);
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
  controlPlane.addJob('job-a', countedJob(1_000));
  start();
  const job = controlPlane.jobs.get('job-a')!;
  let granted = 0;
  while (granted < 150 || network.connections() < 4) {
    controlPlane.grant('edge-1', 'job-a', `${granted}-${granted + 9}`, 4);
    granted += 10;
    await controlPlane.until(() => job.done.size === granted, `${granted} chunks done`);
  }
  expect(job.failed.size).toBe(0);
  expect(runsCounted()).toEqual(numbers(granted));
});

test('half an hour offline: it works on, and reports all once the link is back', async () => {
  controlPlane.addJob('job-a', countedJob(200));
  const clock = shortened(600);
  start(clock);
  controlPlane.grant('edge-1', 'job-a', '0-199', 4);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(() => job.done.size > 0, 'the first are reported');
  network.setDown(true);
  controlPlane.setHttpDown(true);
  const reportedBefore = job.done.size;
  const downAtMs = clock.nowMs();
  await new Promise<void>((resolve) => {
    clock.after(30 * 60_000, resolve);
  });
  expect(clock.nowMs() - downAtMs).toBeGreaterThanOrEqual(30 * 60_000);
  expect(job.done.size).toBe(reportedBefore);
  network.setDown(false);
  controlPlane.setHttpDown(false);
  await controlPlane.until(() => job.done.size === 200, 'all is reported');
  expect(runsCounted()).toEqual(numbers(200));
});

test('past its offline limit a job is stopped, and taken up again', async () => {
  const env = { RUNS: join(directory.path, 'runs') };
  const argv = ['/bin/sh', '-c', 'echo $EDGEWISE_CHUNK >> $RUNS; sleep 300'];
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  const isRunning = (): boolean => processesWith('RUNS', (value) => value === env.RUNS).length > 0;
  controlPlane.addJob('job-a', { chunks: 1, offlineSeconds: 600, run });
  start(shortened(600));
  controlPlane.grant('edge-1', 'job-a', '0', 1);
  await waitUntil(() => runsCounted().length === 1);
  network.setDown(true);
  controlPlane.setHttpDown(true);
  await waitUntil(() => !isRunning());
  expect(controlPlane.jobs.get('job-a')!.failed.size).toBe(0);
  network.setDown(false);
  controlPlane.setHttpDown(false);
  await waitUntil(() => runsCounted().length === 2);
  expect(isRunning()).toBe(true);
});

test('after a restart without uplink it goes on with what it holds', async () => {
  controlPlane.addJob('job-a', countedJob(60));
  controlPlane.addJob('job-b', { chunks: 1, run: { simulate: { seconds: 600 } } });
  const first = start();
  controlPlane.grant('edge-1', 'job-b', '0', 1);
  const job = controlPlane.jobs.get('job-a')!;
  await controlPlane.until(
    () => controlPlane.reports.some(({ jobs }) => jobs.size > 0),
    'it is at work',
  );
  controlPlane.grant('edge-1', 'job-a', '0-59', 1);
  await controlPlane.until(() => job.done.size > 0, 'the first are reported');
  network.setDown(true);
  controlPlane.setHttpDown(true);
  await first.stop();
  const reported = job.done.size;
  start();
  // The chunk that was under way when the agent stopped may have been reported just before its end.
  await waitUntil(() => new Set(runsCounted()).size === 60);
  expect(job.done.size).toBe(reported);
  network.setDown(false);
  controlPlane.setHttpDown(false);
  await controlPlane.until(() => job.done.size === 60, 'all is reported');
});

test('a certificate near its end is renewed while work goes on', async () => {
  controlPlane.certificateLifeMs = 1_000;
  controlPlane.addJob('job-a', countedJob(4));
  const agent = start();
  await waitUntil(() => agent.lines.some((line) => line.includes('certificate renewed')));
  controlPlane.certificateLifeMs = 24 * 3_600_000;
  controlPlane.grant('edge-1', 'job-a', '0-3', 2);
  await controlPlane.until(() => controlPlane.jobs.get('job-a')!.done.size === 4, 'the job ends');
});
