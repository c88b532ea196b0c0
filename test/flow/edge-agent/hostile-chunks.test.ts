import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Failure } from '../../../core/protocol/progress-report.ts';
import { processesWith } from '../../../edge-agent/host/process-table.ts';
import {
  type AgentProcess,
  agentOptions,
  makeDirectory,
  startAgentProcess,
} from '../../edge-agent/agent-runner.ts';
import {
  type ControlPlaneDouble,
  startControlPlane,
} from '../../edge-agent/control-plane-double.ts';
import { waitUntil } from '../../wait-until.ts';

/**
 * Five hundred chunks that behave as badly as programs do, in two halves: each has to end in its
 * own way, nothing may be left of any, and the agent may not grow with them.
 */
const signals = ['KILL', 'TERM', 'SEGV', 'ABRT', 'HUP', 'INT', 'QUIT', 'USR1', 'FPE', 'ALRM'];

type Crowd = {
  readonly chunks: number;
  readonly script: string;
  readonly timeoutSeconds: number | null;
  /** `null`: done. */
  readonly ends: (chunk: number) => Failure | null;
};

const crowds: Readonly<Record<string, Crowd>> = {
  codes: {
    chunks: 256,
    script: 'echo out $EDGEWISE_CHUNK; echo err >&2; exit $EDGEWISE_CHUNK',
    timeoutSeconds: 60,
    ends: (chunk) => (chunk === 0 ? null : chunk),
  },
  signals: {
    chunks: 60,
    script: `set -- ${signals.join(' ')}; shift $((EDGEWISE_CHUNK % 10)); ulimit -c 0; kill -$1 $$`,
    timeoutSeconds: null,
    ends: (chunk) => `signal SIG${signals[chunk % signals.length]}`,
  },
  parents: {
    chunks: 124,
    script: 'sleep 300 & setsid sleep 300 & (sleep 300 &) & exit $((EDGEWISE_CHUNK % 3))',
    timeoutSeconds: null,
    ends: (chunk) => chunk % 3 || null,
  },
  unresponsive: {
    chunks: 20,
    script: "trap '' TERM INT HUP; sleep 300 & while :; do wait; sleep 1; done",
    timeoutSeconds: 0.3,
    ends: () => 'timeout',
  },
  late: {
    chunks: 30,
    script: 'sleep 300',
    timeoutSeconds: 0.3,
    ends: () => 'timeout',
  },
  loud: {
    chunks: 10,
    script: 'head -c 100000000 /dev/zero | tr "\\0" x; echo the end; exit 9',
    timeoutSeconds: 120,
    ends: () => 9,
  },
};
const slots = 8;

/** What a heap may differ by, between two looks, without having grown. */
const noiseMb = 12;
const halfMsMax = 150_000;

let controlPlane: ControlPlaneDouble;
let directory: { path: string; remove: () => void };
let agent: AgentProcess;

beforeEach(async () => {
  controlPlane = await startControlPlane();
  directory = makeDirectory();
  agent = startAgentProcess(agentOptions(controlPlane, directory.path));
});

afterEach(async () => {
  await agent.stop().catch(() => {});
  await controlPlane.stop();
  directory.remove();
});

test('500 hostile chunks end as they should; nothing is left and nothing grows', {
  timeout: 400_000,
}, async () => {
  for (const [name, { chunks, script, timeoutSeconds }] of Object.entries(crowds)) {
    const env = { MARKS: directory.path };
    const run = { process: { argv: ['/bin/sh', '-c', script], env, cwd: null, timeoutSeconds } };
    controlPlane.addJob(name, { chunks, run });
  }
  await runHalf((chunks) => `0-${chunks / 2 - 1}`, 0.5);
  const before = memoryMb();
  await runHalf((chunks) => `${chunks / 2}-${chunks - 1}`, 1);
  const after = memoryMb();

  for (const [name, crowd] of Object.entries(crowds)) {
    expect([name, endsOf(name)]).toEqual([name, expectedEnds(crowd)]);
  }
  expect(Object.values(crowds).reduce((sum, { chunks }) => sum + chunks, 0)).toBe(500);
  expect(controlPlane.outputs.get('codes/77')).toBe('out 77\nerr\n');
  const loud = controlPlane.outputs.get('loud/9')!;
  expect([loud.length, loud.slice(-11)]).toEqual([64 * 1024, 'xxxthe end\n']);
  expect(after - before).toBeLessThan(noiseMb);
  await agent.stop();
  expect(everythingOfIt()).toEqual([]);
});

async function runHalf(ranges: (chunks: number) => string, part: number): Promise<void> {
  for (const [name, { chunks }] of Object.entries(crowds)) {
    controlPlane.grant('edge-1', name, ranges(chunks), slots);
  }
  const isOver = (): boolean =>
    Object.entries(crowds).every(([name, { chunks }]) => {
      const { done, failed } = controlPlane.jobs.get(name)!;
      return done.size + failed.size >= chunks * part;
    });
  await controlPlane.until(isOver, 'every chunk has ended', halfMsMax);
  const loudKept = (): number => [...controlPlane.outputs.keys()].filter(isLoud).length;
  await controlPlane.until(() => loudKept() === 10 * part, 'the outputs arrived', halfMsMax);
  await waitUntil(() => chunkProcesses().length === 0);
}

const isLoud = (place: string): boolean => place.startsWith('loud/');

function endsOf(name: string): Record<number, Failure | null> {
  const { done, failed } = controlPlane.jobs.get(name)!;
  return Object.fromEntries([...[...done].map((chunk) => [chunk, null]), ...failed]);
}

function expectedEnds({ chunks, ends }: Crowd): Record<number, Failure | null> {
  return Object.fromEntries(Array.from({ length: chunks }, (_, chunk) => [chunk, ends(chunk)]));
}

function chunkProcesses(): number[] {
  return processesWith('MARKS', (value) => value === directory.path);
}

/** Chunks, the launcher and the agent itself: whatever names the directory. */
function everythingOfIt(): string[] {
  const named = readdirSync('/proc').filter((entry) => {
    try {
      return readFileSync(`/proc/${entry}/cmdline`, 'latin1').includes(directory.path);
    } catch {
      return false;
    }
  });
  return [...named, ...chunkProcesses().map(String)];
}

function memoryMb(): number {
  const status = readFileSync(`/proc/${agent.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1_024;
}
