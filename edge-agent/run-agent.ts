import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import type { ExecutorName } from '../core/job.ts';
import type { AgentOptions } from './agent-options.ts';
import { type Clock, systemClock } from './clock.ts';
import { type DataDirectory, openDataDirectory } from './data-directory.ts';
import { EdgeLife } from './edge-life.ts';
import { EnrolmentFailed } from './enrolment.ts';
import type { EndedChunk, Executor } from './executor.ts';
import { makeProcess } from './executors/process.ts';
import { makeSimulate } from './executors/simulate.ts';
import { collectFacts, makeFactsBoard } from './facts.ts';
import { type Journal, openJournal } from './journal.ts';
import type { JournalRecord } from './journal-record.ts';
import { type Launcher, makeLauncher } from './launcher/launcher-client.ts';
import { connectConcurrency, enrolConcurrency, journalRetryMs } from './limits.ts';
import { type NoteBook, openNoteBook } from './notes.ts';
import { type OutputStore, openOutputStore } from './output-store.ts';
import { makePlaneApi } from './plane-api.ts';
import { blankMemory, replay } from './replay.ts';
import { snapshotOf } from './snapshot.ts';
import { openSpecLibrary } from './spec-library.ts';
import { openSpecStore } from './spec-store.ts';
import { makeTurnstile } from './turnstile.ts';

/**
 * Runs the edges of one process until `signal` says stop, or until none of them is wanted any more.
 * They share a data directory, a journal, the executors and the specs; each has its own identity and link.
 */
export type AgentRuntime = {
  readonly log: (line: string) => void;
  readonly clock?: Clock;
};

/** How a run ended, for the exit code of whoever started it. */
export type AgentExit = 'stopped' | 'revoked' | 'not-enrolled';

export async function runAgent(
  options: AgentOptions,
  signal: AbortSignal,
  runtime: AgentRuntime,
): Promise<AgentExit> {
  const directory = openDataDirectory(options.dataDirectory);
  try {
    return await runIn(directory, options, signal, runtime);
  } finally {
    directory.release();
  }
}

type Parts = {
  readonly journal: Journal;
  readonly notes: NoteBook;
  readonly outputs: OutputStore;
  readonly executors: ReadonlyMap<ExecutorName, Executor>;
  readonly launcher: Launcher;
  readonly lives: ReadonlyMap<string, EdgeLife>;
};

async function runIn(
  directory: DataDirectory,
  options: AgentOptions,
  signal: AbortSignal,
  runtime: AgentRuntime,
): Promise<AgentExit> {
  const clock = runtime.clock ?? systemClock;
  const ending = new AbortController();
  const allSignals = AbortSignal.any([signal, ending.signal]);
  const parts = assemble(directory, options, allSignals, { ...runtime, clock }, () => {
    if ([...parts.lives.values()].every((life) => life.state === 'revoked')) ending.abort();
  });
  const { lives, executors, journal } = parts;
  await recover(lives, executors);
  const cancelUpkeep = keepUp(parts, clock);
  let exit: AgentExit = 'stopped';
  const begun = Promise.all([...lives.values()].map((life) => life.begin())).catch((error) => {
    if (!(error instanceof EnrolmentFailed)) throw error;
    runtime.log(error.message);
    exit = 'not-enrolled';
    ending.abort();
  });
  await aborted(allSignals);
  if (!signal.aborted && exit === 'stopped') exit = 'revoked';
  await Promise.all([...lives.values()].map((life) => life.stop()));
  await begun;
  cancelUpkeep();
  await Promise.all([...executors.values()].map((executor) => executor.close()));
  await parts.launcher.close();
  parts.outputs.close();
  await journal.sync();
  journal.close();
  return exit;
}

function assemble(
  directory: DataDirectory,
  options: AgentOptions,
  signal: AbortSignal,
  runtime: AgentRuntime & { clock: Clock },
  changed: () => void,
): Parts {
  const { clock, log } = runtime;
  const opened = openJournal(directory.journal);
  if (opened.damagedLines > 0) {
    log(`The journal has ${opened.damagedLines} damaged lines; what they said will be done again.`);
  }
  const memory = replay(opened.records);
  const { journal } = opened;
  const api = makePlaneApi(options.api);
  const specs = openSpecLibrary({ api, store: openSpecStore(directory.specs), clock });
  const notes = openNoteBook(journal, memory.notes);
  const lives = new Map<string, EdgeLife>();
  const secretOf = (edge: string): string | null => lives.get(edge)?.secret ?? null;
  const outputs = openOutputStore({ directory: directory.outputs, api, clock, secretOf });
  const ended = (chunk: EndedChunk): void => lives.get(chunk.name.edge)?.edge.ended(chunk);
  const executors = new Map<ExecutorName, Executor>();
  executors.set(
    'simulate',
    makeSimulate({ ended, notes: notes.of('simulate'), clock }, { drawPower: options.drawPower }),
  );
  const launcher = makeLauncher(directory.path, log);
  executors.set('process', makeProcess({ ended, notes: notes.of('process'), launcher }));
  const power = options.power ?? cpus().length * powerPerCore;
  const offered = new Map<ExecutorName, string>([
    ['simulate', '1'],
    ['process', '1'],
  ]);
  const facts = makeFactsBoard(clock, () =>
    collectFacts({
      power,
      labels: options.labels,
      executors: offered,
      software: {},
      gpus: 0,
      dataDirectory: directory.path,
      health: journal.state(),
    }),
  );
  const boot = randomBytes(6).toString('base64url');
  const enrolTurn = makeTurnstile(enrolConcurrency);
  const connectTurn = makeTurnstile(connectConcurrency);
  const edgeLog = options.names.length > namesLoggedMax || options.quiet ? () => {} : log;
  for (const name of options.names) {
    const life = new EdgeLife(
      {
        name,
        boot,
        clock,
        journal,
        specs,
        executors,
        capacityPower: power,
        refusal: () => null,
        keepOutput: (chunk, output) => outputs.keep(chunk, output),
        log: edgeLog,
        api,
        directory: directory.edge(name),
        enrolToken: options.enrolToken,
        pool: options.pool,
        transport: options.transport,
        facts,
        enrolTurn,
        connectTurn,
        signal,
        changed,
      },
      memory.edges.get(name) ?? blankMemory,
    );
    lives.set(name, life);
  }
  return { journal, notes, outputs, executors, launcher, lives };
}

/** What `--power measured` counts for a core. */
const powerPerCore = 100;
/** With more edges than this in one process, only what concerns all of them is worth a line. */
const namesLoggedMax = 20;

async function recover(
  lives: ReadonlyMap<string, EdgeLife>,
  executors: ReadonlyMap<ExecutorName, Executor>,
): Promise<void> {
  const names = [...lives.keys()];
  const found = await Promise.all([...executors.values()].map((one) => one.recover(names)));
  const survivors = found.flat();
  for (const [name, life] of lives) {
    life.edge.begin(survivors.filter(({ edge }) => edge === name));
  }
  for (const executor of executors.values()) executor.resume();
}

/** Brings back a disk that had stopped taking writes, and keeps the journal short. */
function keepUp({ journal, lives, notes }: Parts, clock: Clock): () => void {
  let cancel: () => void = () => {};
  const snapshot = function* (): Iterable<JournalRecord> {
    for (const [name, life] of lives) yield* snapshotOf(name, life.edge.memory());
    yield* notes.records();
  };
  const look = (): void => {
    const before = journal.state();
    const after = before === 'ok' ? before : journal.retry();
    journal.compactIfGrown(snapshot);
    for (const life of lives.values()) {
      if (before !== after) life.edge.decide();
      void life.tellFacts();
    }
    cancel = clock.after(journalRetryMs, look);
  };
  cancel = clock.after(journalRetryMs, look);
  return () => cancel();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
