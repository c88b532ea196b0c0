import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentOptions, makeDirectory, startAgent } from '../test/edge-agent/agent-runner.ts';
import {
  type ControlPlaneDouble,
  startControlPlane,
} from '../test/edge-agent/control-plane-double.ts';
import { atOnce, command, measureBareSpawn } from './agent/bare-spawn.ts';
import { processesOf } from './product/processes.ts';

/**
 * The agent's figures: what it costs to have it there, how soon it is ready, and how fast it
 * starts processes beside bare `child_process.spawn` in the same run, also from a process with a
 * heap of a gigabyte. `AGENT_SECONDS` is how long each rate is measured; `AGENT_EDGES` how many
 * edges one process gets.
 */
const seconds = Number(process.env.AGENT_SECONDS ?? 5);
const edges = Number(process.env.AGENT_EDGES ?? 1_000);
const chunksPerJob = 20_000;
const idleMs = 10_000;

const root = join(import.meta.dirname, '..');
const binary = join(root, 'dist', `edgewise-agent-linux-${process.arch}`);
const source = [process.execPath, '--no-warnings', join(root, 'edge-agent', 'main.ts')];

export async function run(): Promise<Record<string, number | string>[]> {
  const what = existsSync(binary) ? 'binary' : 'source (npm run build:agent makes the binary)';
  const bare = measureBare();
  const viaBinary = existsSync(binary) ? await measureChunks([binary]) : Number.NaN;
  const viaSource = await measureChunks(source);
  const viaSmall = await measureChunks(null);
  const resting = await measureResting();
  const killed = await measureKilled();
  const fleet = await measureFleet();
  const heap = makeHeap();
  const bareFromHeap = await measureBareSpawn(seconds);
  const viaHeap = await measureChunks(null);
  const kept = heap.length;
  return [
    { figure: 'agent measured', value: what },
    ...resting,
    { figure: 'killed to its chunk running again, ms (median of 5)', value: Math.round(killed) },
    ...fleet,
    { figure: 'bare spawn, per second', value: Math.round(bare) },
    { figure: 'process chunks of the binary, per second', value: Math.round(viaBinary) },
    { figure: 'process chunks of the source, per second', value: Math.round(viaSource) },
    { figure: 'binary to bare, per cent', value: Math.round((viaBinary / bare) * 100) },
    { figure: 'source to bare, per cent', value: Math.round((viaSource / bare) * 100) },
    {
      figure: 'process chunks of an agent in this process, per second',
      value: Math.round(viaSmall),
    },
    { figure: `the same with a heap of ${kept} MB, per second`, value: Math.round(viaHeap) },
    { figure: `bare spawn with a heap of ${kept} MB, per second`, value: Math.round(bareFromHeap) },
  ];
}

/** One edge with nothing to do. */
async function measureResting(): Promise<Record<string, number | string>[]> {
  return withControlPlane(async (controlPlane, directory) => {
    const startMs: number[] = [];
    let agent = start(controlPlane, directory, ['--name', 'edge-1']);
    await controlPlane.until(() => controlPlane.facts.size > 0, 'enrolled and connected');
    for (let round = 0; round < 5; round++) {
      await stop(agent);
      controlPlane.facts.clear();
      const begunMs = performance.now();
      agent = start(controlPlane, directory, ['--name', 'edge-1']);
      // The first thing an edge says follows its subscriptions.
      await controlPlane.until(() => controlPlane.facts.size > 0, 'connected again');
      startMs.push(performance.now() - begunMs);
    }
    await pause(3_000);
    const cpuBefore = cpuSecondsOf(agent.pid!);
    await pause(idleMs);
    const cpu = ((cpuSecondsOf(agent.pid!) - cpuBefore) / (idleMs / 1_000)) * 100;
    const memory = memoryMbOf(agent.pid!);
    await stop(agent);
    return [
      { figure: 'start to subscribed, ms (median of 5)', value: Math.round(median(startMs)) },
      { figure: 'idle memory, MB', value: Math.round(memory) },
      { figure: 'idle CPU, per cent', value: Number(cpu.toFixed(3)) },
    ];
  });
}

/**
 * Everything of an agent is killed, as a supervisor does when its main process dies, and started
 * again after the pause of the unit in `packaging/`.
 */
async function measureKilled(): Promise<number> {
  return withControlPlane(async (controlPlane, directory) => {
    const runs = join(directory, 'runs');
    const count = (): number => (existsSync(runs) ? readFileSync(runs, 'utf8').length : 0);
    const script = `printf . >> "${runs}"; exec sleep 300`;
    const process = { argv: ['/bin/sh', '-c', script], env: {}, cwd: null, timeoutSeconds: null };
    controlPlane.addJob('job', { chunks: 1, run: { process } });
    controlPlane.grant('edge-1', 'job', '0', 1);
    let agent = start(controlPlane, directory, ['--name', 'edge-1']);
    await controlPlane.until(() => count() === 1, 'it runs');
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const begunMs = performance.now();
      const gone = new Promise((resolve) => agent.once('close', resolve));
      agent.kill('SIGKILL');
      for (const { pid } of processesOf(directory)) killQuietly(Number(pid));
      await gone;
      await pause(restartPauseMs);
      agent = start(controlPlane, directory, ['--name', 'edge-1']);
      while (count() < round + 2) await pause(1);
      times.push(performance.now() - begunMs);
    }
    await stop(agent);
    return median(times);
  });
}

/** `RestartSec` of the unit. */
const restartPauseMs = 100;

function killQuietly(pid: number): void {
  try {
    globalThis.process.kill(pid, 'SIGKILL');
  } catch {
    // It went by itself.
  }
}

async function measureFleet(): Promise<Record<string, number | string>[]> {
  return withControlPlane(async (controlPlane, directory) => {
    const begunMs = performance.now();
    const agent = start(controlPlane, directory, ['--name', 'fleet', '--count', String(edges)]);
    await controlPlane.until(() => controlPlane.facts.size === edges, 'all connected', 120_000);
    const readyMs = performance.now() - begunMs;
    controlPlane.addJob('job', { chunks: edges * 10, run: { simulate: { seconds: 0.5 } } });
    for (let edge = 0; edge < edges; edge++) {
      controlPlane.grant(`fleet-${edge}`, 'job', `${edge * 10}-${edge * 10 + 9}`, 2);
    }
    const job = controlPlane.jobs.get('job')!;
    await controlPlane.until(() => job.done.size === edges * 10, 'all worked', 120_000);
    const memory = memoryMbOf(agent.pid!);
    await stop(agent);
    return [
      { figure: `${edges} edges enrolled and connected, ms`, value: Math.round(readyMs) },
      { figure: `${edges} edges in one process after work, MB`, value: Math.round(memory) },
    ];
  });
}

/** In a fresh small process. */
function measureBare(): number {
  const program = join(root, 'bench', 'agent', 'bare-spawn.ts');
  const words = ['--no-warnings', program, String(seconds)];
  return Number(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

/**
 * The same command as chunks, from the first that ran to the last, through leases, journal and
 * reports. `null`: the agent runs inside this process, beside the control plane and the broker.
 */
async function measureChunks(program: readonly string[] | null): Promise<number> {
  return withControlPlane(async (controlPlane, directory) => {
    const process = { argv: command, env: {}, cwd: null, timeoutSeconds: null };
    controlPlane.addJob('job', { chunks: chunksPerJob, run: { process }, keepOutput: 'none' });
    const flags = ['--name', 'edge-1'];
    const child = program === null ? null : start(controlPlane, directory, flags, program);
    const agent = child === null ? startAgent(agentOptions(controlPlane, directory)) : null;
    await controlPlane.until(() => controlPlane.facts.size > 0, 'connected');
    controlPlane.grant('edge-1', 'job', `0-${chunksPerJob - 1}`, atOnce);
    const job = controlPlane.jobs.get('job')!;
    await controlPlane.until(() => job.done.size > 200, 'warm');
    const before = job.done.size;
    const begunMs = performance.now();
    const isLong = (): boolean => performance.now() - begunMs > seconds * 1_000;
    await controlPlane.until(() => isLong() || job.done.size === chunksPerJob, 'measured');
    const rate = (job.done.size - before) / ((performance.now() - begunMs) / 1_000);
    if (child !== null) await stop(child);
    await agent?.stop();
    return rate;
  });
}

/** About a gigabyte of small objects, so that every page of it is really there. */
function makeHeap(): unknown[] {
  const blockBytes = 1024 * 1024;
  return Array.from({ length: 1_024 }, (_, index) => Buffer.alloc(blockBytes, index % 251));
}

async function withControlPlane<T>(
  use: (controlPlane: ControlPlaneDouble, directory: string) => Promise<T>,
): Promise<T> {
  const controlPlane = await startControlPlane();
  const directory = makeDirectory();
  try {
    return await use(controlPlane, directory.path);
  } finally {
    await controlPlane.stop();
    directory.remove();
  }
}

function start(
  controlPlane: ControlPlaneDouble,
  directory: string,
  flags: readonly string[],
  [file, ...first]: readonly string[] = existsSync(binary) ? [binary] : source,
): ChildProcess {
  const where = [
    '--api',
    controlPlane.url,
    '--data',
    directory,
    '--enrol-token',
    controlPlane.enrolToken,
  ];
  return spawn(file!, [...first, ...where, ...flags], { stdio: 'ignore' });
}

async function stop(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  await gone;
}

function memoryMbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}

/** By thread, because there the kernel counts in nanoseconds. */
function cpuSecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const spent = threads.map((thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds);
  });
  return spent.reduce((sum, one) => sum + one, 0) / 1e9;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
