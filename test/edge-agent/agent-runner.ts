import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../edge-agent/host/clock.ts';
import type { AgentOptions } from '../../edge-agent/program/agent-options.ts';
import { type AgentExit, runAgent } from '../../edge-agent/program/run-agent.ts';
import type { ControlPlaneDouble } from './control-plane-double.ts';

/** Runs an agent inside the test process, on a directory of its own. */
export type RunningAgent = {
  readonly lines: string[];
  readonly exit: Promise<AgentExit>;
  stop(): Promise<AgentExit>;
};

export function makeDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'edgewise-agent-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function agentOptions(
  controlPlane: ControlPlaneDouble,
  root: string,
  more: Partial<AgentOptions> = {},
): AgentOptions {
  return {
    names: ['edge-1'],
    api: controlPlane.url,
    enrolToken: controlPlane.enrolToken,
    pool: null,
    power: 250,
    labels: {},
    executors: null,
    dataDirectory: join(root, (more.names ?? ['edge-1'])[0]!),
    workDirectory: null,
    cacheBytes: null,
    chunkUser: null,
    transport: 'mqtt',
    mqttEndpoint: null,
    pull: null,
    downstream: null,
    edgeSecret: null,
    address: null,
    policyFile: null,
    drawPower: false,
    quiet: false,
    log: { format: 'text', level: 'info' },
    metrics: null,
    ...more,
  };
}

/**
 * With `EDGEWISE_AGENT_BINARY` the same tests run against the compiled agent, as a process; a
 * shortened clock cannot be given to it.
 */
export function startAgent(options: AgentOptions, clock?: Clock): RunningAgent {
  const isBinary = process.env.EDGEWISE_AGENT_BINARY !== undefined;
  return isBinary && clock === undefined ? startAgentProcess(options) : startHere(options, clock);
}

function startHere(options: AgentOptions, clock?: Clock): RunningAgent {
  const stop = new AbortController();
  const lines: string[] = [];
  const runtime = { log: (line: string) => void lines.push(line) };
  const exit = runAgent(
    options,
    stop.signal,
    clock === undefined ? runtime : { ...runtime, clock },
  );
  return {
    lines,
    exit,
    stop() {
      stop.abort();
      return exit;
    },
  };
}

export type AgentProcess = RunningAgent & {
  readonly pid: number;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
};

const source = fileURLToPath(new URL('../../edge-agent/main.ts', import.meta.url));

/**
 * The agent as a process of its own: from source under this Node, or the compiled one; behind a
 * wrapper it may be another user.
 */
export function startAgentProcess(
  options: AgentOptions,
  wrapper: readonly string[] = [],
): AgentProcess {
  const binary = process.env.EDGEWISE_AGENT_BINARY;
  const program = binary === undefined ? [process.execPath, source] : [binary];
  const [file, ...args] = [...wrapper, ...program];
  const flags = flagsOf(options);
  const child = spawn(file!, [...args, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...environmentWithoutSettings(), EDGEWISE_ENROL_TOKEN: options.enrolToken ?? '' },
  });
  const lines: string[] = [];
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    lines.push(...text.split('\n').filter((line) => line !== ''));
  });
  const gone = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code));
  });
  const exit = gone.then((code): AgentExit => {
    if (code === 4) return 'revoked';
    if (code === 1) throw new Error(lines.at(-1));
    return 'stopped';
  });
  exit.catch(() => {});
  return {
    pid: child.pid!,
    lines,
    exit,
    stop() {
      child.kill('SIGTERM');
      return exit;
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

/**
 * All that it gets are its flags; what this shell says of other fleets is not meant for it. Which
 * launcher is to be tested is.
 */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
  const settings = Object.keys(process.env).filter(
    (name) => name.startsWith('EDGEWISE_') && name !== 'EDGEWISE_LAUNCHER',
  );
  return { ...process.env, ...Object.fromEntries(settings.map((name) => [name, undefined])) };
}

/** The data directory of an agent is named after it. */
function flagsOf(options: AgentOptions): string[] {
  const isFleet = options.names.length > 1 || options.names[0]!.endsWith('-0');
  const base = isFleet ? options.names[0]!.replace(/-0$/, '') : options.names[0]!;
  const flags = ['--name', base, '--api', options.api, '--data', dirname(options.dataDirectory)];
  if (isFleet) flags.push('--count', String(options.names.length));
  flags.push('--transport', options.transport, '--power', String(options.power));
  if (options.pool !== null) flags.push('--pool', options.pool);
  if (options.mqttEndpoint !== null) flags.push('--mqtt-endpoint', options.mqttEndpoint);
  if (options.policyFile !== null) flags.push('--policy', options.policyFile);
  if (options.cacheBytes !== null) flags.push('--cache-bytes', String(options.cacheBytes));
  if (options.chunkUser !== null) flags.push('--chunk-user', options.chunkUser);
  const { metrics } = options;
  if (metrics !== null) flags.push('--metrics', `${metrics.host}:${metrics.port}`);
  return flags;
}
