import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitUntil } from '../wait-until.ts';
import { AgentStage } from './agent-stage.ts';

/** Agents of one process share one launcher, as the edges of `edgewise fleet` are. */
let stage: AgentStage;
let controlPlane: AgentStage['controlPlane'];
beforeEach(async () => {
  stage = await AgentStage.open();
  controlPlane = stage.controlPlane;
});
afterEach(() => stage.close());

const oneAgent = 'a binary is one agent a process';
const edges = ['edge-1', 'edge-2', 'edge-3', 'edge-4'];
const launcherBytesMax = 20 * 1024 * 1024;

test('agents of one process have one launcher, small, which goes with the last of them', async (it) => {
  if (process.env.EDGEWISE_AGENT_BINARY !== undefined) {
    return it.skip(oneAgent);
  }
  const env = { DIRECTORY: stage.path };
  const argv = ['/bin/sh', '-c', 'echo $EDGEWISE_EDGE'];
  const run = { process: { argv, env, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('job-a', { chunks: edges.length, run, keepOutput: 'all' });
  const agents = edges.map((name) => stage.start({ names: [name] }));
  for (const [at, name] of edges.entries()) controlPlane.grant(name, 'job-a', String(at), 1);
  const { outputs } = controlPlane;
  await controlPlane.until(() => outputs.size === edges.length, 'all outputs arrived');
  expect([...outputs.values()].sort()).toEqual(edges.map((name) => `${name}\n`));
  const [launcher, ...others] = launchers();
  expect(others).toEqual([]);
  expect(residentBytes(launcher!)).toBeLessThan(launcherBytesMax);

  // The one that it was started for goes; those that remain are served on.
  await agents[0]!.stop();
  controlPlane.addJob('job-b', { chunks: 1, run, keepOutput: 'all' });
  controlPlane.grant('edge-3', 'job-b', '0', 1);
  await controlPlane.until(() => outputs.has('job-b/0'), 'another chunk ran');
  expect(launchers()).toEqual([launcher]);

  await stage.stopAgents();
  await waitUntil(() => launchers().length === 0);
});

test('when their launcher is killed they get another one together', async (it) => {
  if (process.env.EDGEWISE_AGENT_BINARY !== undefined) {
    return it.skip(oneAgent);
  }
  const argv = ['/bin/sh', '-c', '[ $EDGEWISE_ATTEMPT = 9 ] || exec sleep 300'];
  const run = { process: { argv, env: {}, cwd: null, timeoutSeconds: null } };
  controlPlane.addJob('job-a', { chunks: edges.length, run });
  for (const [at, name] of edges.entries()) {
    stage.start({ names: [name] });
    controlPlane.grant(name, 'job-a', String(at), 1);
  }
  const isEachRunning = (): boolean => sleepers() === edges.length;
  await waitUntil(isEachRunning);
  const [first] = launchers();
  process.kill(first!, 'SIGKILL');
  await waitUntil(() => launchers().length === 1 && launchers()[0] !== first && isEachRunning());
  expect(launchers()).toHaveLength(1);
});

/** Processes of launchers that name our directory. */
function launchers(): number[] {
  return pids().filter((pid) => {
    const line = textOf(`/proc/${pid}/cmdline`);
    return line.includes('launcher') && line.includes(stage.path);
  });
}

function sleepers(): number {
  return pids().filter((pid) => {
    const isSleep = textOf(`/proc/${pid}/cmdline`) === 'sleep\x00300\x00';
    return isSleep && textOf(`/proc/${pid}/environ`).includes(stage.path);
  }).length;
}

const pids = (): number[] => readdirSync('/proc').map(Number).filter(Number.isInteger);

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function residentBytes(pid: number): number {
  const pages = /VmRSS:\s+(\d+) kB/.exec(textOf(`/proc/${pid}/status`))?.[1];
  return Number(pages) * 1024;
}
