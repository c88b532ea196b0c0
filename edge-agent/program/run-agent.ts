import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { cpus } from 'node:os';
import type { ExecutorName } from '../../core/model/job.ts';
import { type DataDirectory, openDataDirectory } from '../disk/data-directory.ts';
import { type Journal, openJournal } from '../disk/journal.ts';
import { type OutputStore, openOutputStore } from '../disk/output-store.ts';
import { blankMemory, replay } from '../disk/replay.ts';
import { openSpecLibrary } from '../disk/spec-library.ts';
import { openSpecStore } from '../disk/spec-store.ts';
import { EdgeLife } from '../edge/edge-life.ts';
import type { EndedChunk, Executor } from '../executors/executor.ts';
import { type NoteBook, openNoteBook } from '../executors/executor-notes.ts';
import { makeExecutors } from '../executors/executor-set.ts';
import { type Clock, minuteOfDay, systemClock } from '../host/clock.ts';
import { collectFacts, makeFactsBoard } from '../host/facts.ts';
import { examineHost, type Host } from '../host/host-inspection.ts';
import { openPolicyFile, type PolicyFile, refusalByPolicy } from '../host/policy.ts';
import { realDirectory } from '../host/real-directory.ts';
import { type Launcher, makeLauncher } from '../launcher/launcher-client.ts';
import { connectConcurrency, enrolTurns } from '../limits.ts';
import { EnrolmentFailed } from '../link/enrolment.ts';
import { makeTurnstile, makeWideningTurnstile, type Turnstile } from '../link/limiter.ts';
import { makePlaneApi } from '../link/plane-api.ts';
import type { AgentOptions } from './agent-options.ts';
import { keepUp } from './maintenance.ts';

/**
 * Runs the edges of one process until `signal` says stop, or until none of them is wanted any more.
 * They share a data directory, a journal, the executors and the specs; each has its own identity
 * and link.
 */
export type AgentRuntime = {
  readonly log: (line: string) => void;
  readonly clock?: Clock;
  /** Where programs are looked for. */
  readonly path?: string;
  /** Shared with other agents of this process. */
  readonly enrolTurn?: Turnstile;
};

/** How a run ended, for the exit code of whoever started it. */
export type AgentExit = 'stopped' | 'revoked' | 'not-enrolled';

export async function runAgent(
  options: AgentOptions,
  signal: AbortSignal,
  runtime: AgentRuntime,
): Promise<AgentExit> {
  const policy = openPolicyFile(options.policyFile, runtime.log);
  const directory = openDataDirectory(options.dataDirectory);
  try {
    const path = runtime.path ?? process.env.PATH ?? '';
    const { software } = policy.current();
    const host = await examineHost({ wanted: options.executors, path, software });
    for (const name of options.executors ?? []) {
      if (![...host.executors.keys()].some((found) => found === name)) {
        runtime.log(`${name} is not on this host, so it is not offered.`);
      }
    }
    return await runOn(host, policy, directory, options, signal, runtime);
  } finally {
    directory.release();
  }
}

type Parts = {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly notes: NoteBook;
  readonly policy: PolicyFile;
  readonly outputs: OutputStore;
  readonly executors: ReadonlyMap<ExecutorName, Executor>;
  readonly launcher: Launcher;
  readonly lives: ReadonlyMap<string, EdgeLife>;
};

async function runOn(
  host: Host,
  policy: PolicyFile,
  directory: DataDirectory,
  options: AgentOptions,
  signal: AbortSignal,
  runtime: AgentRuntime,
): Promise<AgentExit> {
  const ending = new AbortController();
  const allSignals = AbortSignal.any([signal, ending.signal]);
  // Every edge of the process listens.
  setMaxListeners(0, allSignals);
  const changed = (): void => {
    if ([...parts.lives.values()].every((life) => life.state === 'revoked')) ending.abort();
  };
  const parts = assemble({ host, policy, directory, options, runtime, changed }, allSignals);
  await recover(parts);
  const cancelUpkeep = keepUp(parts);
  let failure: unknown = null;
  const begun = Promise.all([...parts.lives.values()].map((life) => life.begin())).catch(
    (error: unknown) => {
      failure = error;
      ending.abort();
    },
  );
  await aborted(allSignals);
  const isRevoked = !signal.aborted && failure === null;
  await Promise.all([...parts.lives.values()].map((life) => life.stop()));
  await begun;
  cancelUpkeep();
  await Promise.all([...parts.executors.values()].map((executor) => executor.close()));
  await parts.launcher.close();
  parts.outputs.close();
  await parts.journal.sync();
  parts.journal.close();
  if (failure === null) return isRevoked ? 'revoked' : 'stopped';
  if (!(failure instanceof EnrolmentFailed)) throw failure;
  runtime.log(failure.message);
  return 'not-enrolled';
}

type Plan = {
  readonly host: Host;
  readonly policy: PolicyFile;
  readonly directory: DataDirectory;
  readonly options: AgentOptions;
  readonly runtime: AgentRuntime;
  readonly changed: () => void;
};

function assemble(plan: Plan, signal: AbortSignal): Parts {
  const { host, policy, directory, options, runtime } = plan;
  const { log } = runtime;
  const clock = runtime.clock ?? systemClock;
  const opened = openJournal(directory.journal);
  if (opened.damagedLines > 0) {
    const damaged = `The journal has ${opened.damagedLines} damaged lines`;
    log(`${damaged}; the work that they recorded is done again.`);
  }
  const memory = replay(opened.records);
  const { journal } = opened;
  const api = makePlaneApi(options.api);
  const specs = openSpecLibrary({ api, store: openSpecStore(directory.specs), clock, signal });
  const notes = openNoteBook(journal, memory.notes);
  const lives = new Map<string, EdgeLife>();
  const secretOf = (edge: string): string | null => lives.get(edge)?.secret ?? null;
  const outputs = openOutputStore({ directory: directory.outputs, api, clock, secretOf });
  const launcher = makeLauncher(directory.path, log);
  const executors = makeExecutors({
    host,
    launcher,
    notes,
    clock,
    clusterDirectory: directory.cluster,
    drawPower: options.drawPower,
    ended: (chunk: EndedChunk) => lives.get(chunk.name.edge)?.edge.ended(chunk),
    log,
  });
  const power = options.power ?? cpus().length * powerPerCore;
  const shared = {
    boot: randomBytes(6).toString('base64url'),
    clock,
    journal,
    specs,
    executors,
    capacityPower: power,
    powerMax: () => policy.current().maxPower ?? Number.POSITIVE_INFINITY,
    refusal: (spec: Parameters<typeof refusalByPolicy>[1], chunkPower: number) =>
      refusalByPolicy(policy.current(), spec, {
        power: chunkPower,
        minuteOfDay: minuteOfDay(clock),
        directoryOf: realDirectory,
      }),
    keepOutput: outputs.keep,
    log: options.names.length > namesLoggedMax || options.quiet ? () => {} : log,
    api,
    enrolToken: options.enrolToken,
    pool: options.pool,
    transport: options.transport,
    facts: makeFactsBoard(clock, () =>
      collectFacts({
        power,
        labels: options.labels,
        host,
        dataDirectory: directory.path,
        health: journal.state(),
      }),
    ),
    enrolTurn: runtime.enrolTurn ?? makeWideningTurnstile(enrolTurns),
    connectTurn: makeTurnstile(connectConcurrency),
    signal,
    changed: plan.changed,
  };
  for (const name of options.names) {
    const own = { ...shared, name, directory: directory.edge(name) };
    lives.set(name, new EdgeLife(own, memory.edges.get(name) ?? blankMemory));
  }
  return { clock, journal, notes, policy, outputs, executors, launcher, lives };
}

/** What `--power measured` counts for a core. */
const powerPerCore = 100;
/** With more edges than this in one process, only what concerns all of them is worth a line. */
const namesLoggedMax = 20;

async function recover({ launcher, lives, executors }: Parts): Promise<void> {
  const names = [...lives.keys()];
  // First of all: nothing may be started while what an earlier life left is being looked for.
  await launcher.recover();
  const found = await Promise.all([...executors.values()].map((one) => one.recover(names)));
  const survivors = found.flat();
  for (const [name, life] of lives) {
    life.edge.begin(survivors.filter(({ edge }) => edge === name));
  }
  for (const executor of executors.values()) executor.resume();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
