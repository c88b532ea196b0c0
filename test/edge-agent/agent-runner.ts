import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AgentOptions } from '../../edge-agent/agent-options.ts';
import type { Clock } from '../../edge-agent/clock.ts';
import { type AgentExit, runAgent } from '../../edge-agent/run-agent.ts';
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
  dataDirectory: string,
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
    dataDirectory,
    transport: 'mqtt',
    policyFile: null,
    drawPower: false,
    quiet: false,
    ...more,
  };
}

export function startAgent(options: AgentOptions, clock?: Clock): RunningAgent {
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
