import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../edge-agent/host/clock.ts';
import type { AgentOptions } from '../../edge-agent/program/agent-options.ts';
import { type AgentExit, runAgent } from '../../edge-agent/program/run-agent.ts';
import type { PlaneDouble } from './plane-double.ts';

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
  plane: PlaneDouble,
  root: string,
  more: Partial<AgentOptions> = {},
): AgentOptions {
  return {
    names: ['edge-1'],
    api: plane.url,
    enrolToken: plane.enrolToken,
    pool: null,
    power: 250,
    labels: {},
    executors: null,
    dataDirectory: join(root, (more.names ?? ['edge-1'])[0]!),
    transport: 'mqtt',
    policyFile: null,
    drawPower: false,
    quiet: false,
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

/** The agent as a process of its own: from source under this Node, or the compiled one. */
export function startAgentProcess(options: AgentOptions): AgentProcess {
  const binary = process.env.EDGEWISE_AGENT_BINARY;
  const [file, ...args] = binary === undefined ? [process.execPath, source] : [binary];
  const flags = flagsOf(options);
  const child = spawn(file!, [...args, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environmentWithoutSettings(),
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

/** All that it is told are its flags; what this shell says of other fleets is not meant for it. */
function environmentWithoutSettings(): NodeJS.ProcessEnv {
  const settings = Object.keys(process.env).filter((name) => name.startsWith('EDGEWISE_'));
  return { ...process.env, ...Object.fromEntries(settings.map((name) => [name, undefined])) };
}

/** The data directory of an agent is named after it. */
function flagsOf(options: AgentOptions): string[] {
  const isFleet = options.names.length > 1 || options.names[0]!.endsWith('-0');
  const base = isFleet ? options.names[0]!.replace(/-0$/, '') : options.names[0]!;
  const flags = ['--name', base, '--api', options.api, '--data', dirname(options.dataDirectory)];
  if (isFleet) flags.push('--count', String(options.names.length));
  flags.push('--transport', options.transport, '--power', String(options.power));
  if (options.enrolToken !== null) flags.push('--enrol-token', options.enrolToken);
  if (options.policyFile !== null) flags.push('--policy', options.policyFile);
  return flags;
}
