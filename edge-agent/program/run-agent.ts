import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import type { ExecutorName } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Facts } from '../../core/protocol/facts.ts';
import type { WorkEntry } from '../../core/protocol/work.ts';
import type { DiskRoom } from '../chunk-directory/disk-room.ts';
import { type DataDirectory, openDataDirectory } from '../disk/data-directory.ts';
import { type Journal, openJournal } from '../disk/journal.ts';
import type { OutputStore } from '../disk/output-store.ts';
import { blankMemory, replay } from '../disk/replay.ts';
import { openSpecLibrary, type SpecLibrary } from '../disk/spec-library.ts';
import { openSpecStore } from '../disk/spec-store.ts';
import { EdgeLife } from '../edge/edge-life.ts';
import type { EdgewiseExecutor } from '../executors/edgewise.ts';
import type { ChunkName, Executor } from '../executors/executor.ts';
import { type NoteBook, openNoteBook } from '../executors/executor-notes.ts';
import { makeExecutors } from '../executors/executor-set.ts';
import { queuedIn } from '../executors/queued-jobs.ts';
import { type Clock, minuteOfDay, systemClock } from '../host/clock.ts';
import { type Confinement, makeConfinement } from '../host/confinement.ts';
import { collectFacts, makeFactsBoard } from '../host/facts.ts';
import { examineHost, type Host } from '../host/host-inspection.ts';
import { findIsolation, isolationFact, sayIsolation } from '../host/isolation.ts';
import { readingsOfHost, watchLoad } from '../host/load.ts';
import type { Log } from '../host/log-lines.ts';
import { openPolicyFile, type PolicyFile, refusalByPolicy } from '../host/policy.ts';
import { realDirectory } from '../host/real-directory.ts';
import { isTakenOnHost, openPortBook, type PortBook } from '../instances/port-book.ts';
import { type Launcher, makeLauncher } from '../launcher/launcher-client.ts';
import { connectConcurrency, enrolWidths, namesLoggedMax } from '../limits.ts';
import { makeControlPlaneApi } from '../link/control-plane-api.ts';
import { EnrolmentFailed } from '../link/enrolment.ts';
import { type Limiter, makeLimiter, makeWideningLimiter } from '../link/limiter.ts';
import { type LiveOutput, type LiveOutputDeps, makeLiveOutput } from '../live/live-output.ts';
import { type EndCounts, familiesOf } from '../metrics/agent-figures.ts';
import type { MetricsServer } from '../metrics/metrics-server.ts';
import type { AgentOptions } from './agent-options.ts';
import { type ChunkPlace, openChunkPlace } from './chunk-place.ts';
import { type CollectedEnds, collectEnds } from './collected-ends.ts';
import { lookIn } from './look-in.ts';
import { maintain } from './maintenance.ts';
import { metricsOf, observe } from './observed-agent.ts';
import {
  boardOfSite,
  type Downstream,
  executorBelow,
  forEveryRun,
  hostWithoutPrograms,
  openDownstream,
  powerOf,
} from './open-downstream.ts';
import { openOutputs } from './open-outputs.ts';
import { findRegistered, type RegisteredEdge } from './registered-edge.ts';

/**
 * Runs the edges of one process until `signal` says stop, or until none of them is wanted any more.
 * They share a data directory, a journal, the executors and the specs; each has its own identity
 * and link.
 */
export type AgentRuntime = {
  readonly log: Log;
  readonly clock?: Clock;
  /** Where programs are looked for. */
  readonly path?: string;
  /** Shared with other agents of this process. */
  readonly enrolLimiter?: Limiter;
};

/** How a run ended, for the exit code of whoever started it. */
export type AgentExit = 'stopped' | 'revoked' | 'not-enrolled';

export async function runAgent(
  options: AgentOptions,
  signal: AbortSignal,
  runtime: AgentRuntime,
): Promise<AgentExit> {
  const policy = openPolicyFile(options.policyFile, runtime.log);
  const path = runtime.path ?? process.env.PATH ?? '';
  const directory = openDataDirectory(options.dataDirectory, options.workDirectory);
  let metrics: MetricsServer | null = null;
  try {
    metrics = await metricsOf(options, runtime.log);
    const isolation = findIsolation(options.chunkUser, path, directory);
    const { software } = policy.current();
    const below = await downstreamOf(options, runtime, signal);
    const host =
      below !== null || options.downstream !== null
        ? hostWithoutPrograms
        : await examineHost({ wanted: options.executors, path, software });
    for (const name of options.executors ?? []) {
      if (![...host.executors.keys()].some((found) => found === name)) {
        runtime.log(`${name} is not on this host, so it is not offered.`, 'warning');
      }
    }
    sayIsolation(isolation, host, runtime.log, options.quiet);
    const confinement = makeConfinement(isolation, path);
    const registered = await registeredAs(options, directory, runtime, signal);
    const place = { host, below, policy, directory, confinement };
    const plan = { ...place, options, registered, runtime, metrics };
    return await runOn(plan, signal);
  } catch (error) {
    if (!(error instanceof EnrolmentFailed)) throw error;
    runtime.log(error.message, 'error');
    return 'not-enrolled';
  } finally {
    await metrics?.close();
    directory.release();
  }
}

function downstreamOf(
  { downstream }: AgentOptions,
  { log, clock = systemClock }: AgentRuntime,
  signal: AbortSignal,
): Promise<Downstream | null> {
  if (downstream === null) return Promise.resolve(null);
  return openDownstream(downstream, { clock, log }, signal);
}

/** Only one edge can have the secret of one. */
async function registeredAs(
  { api, names: [name], edgeSecret }: AgentOptions,
  directory: DataDirectory,
  { log, clock = systemClock }: AgentRuntime,
  signal: AbortSignal,
): Promise<RegisteredEdge | null> {
  if (name === undefined || edgeSecret === null) return null;
  const place = { name, secret: edgeSecret, directory: directory.edge(name) };
  return findRegistered(place, { api: makeControlPlaneApi(api), clock, log, signal });
}

type Parts = {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly notes: NoteBook;
  readonly policy: PolicyFile;
  readonly outputs: OutputStore;
  readonly live: LiveOutput;
  readonly executors: ReadonlyMap<ExecutorName, Executor>;
  readonly ends: CollectedEnds;
  readonly launcher: Launcher;
  readonly lives: ReadonlyMap<string, EdgeLife>;
  readonly ports: PortBook;
  readonly endCounts: EndCounts;
  readonly capacityPower: () => number;
} & ChunkPlace;

async function runOn(plan: Omit<Plan, 'changed'>, signal: AbortSignal): Promise<AgentExit> {
  const ending = new AbortController();
  const allSignals = AbortSignal.any([signal, ending.signal]);
  // Every edge of the process listens.
  setMaxListeners(0, allSignals);
  const changed = (): void => {
    if ([...parts.lives.values()].every((life) => life.state === 'revoked')) ending.abort();
  };
  const parts = assemble({ ...plan, changed }, allSignals);
  await recover(parts);
  plan.metrics?.show(() => familiesOf(observe(parts, plan.options)));
  const cancelMaintenance = maintain(parts);
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
  cancelMaintenance();
  await Promise.all([...parts.executors.values()].map((executor) => executor.close()));
  // What has to be removed as the user of chunks is removed by the launcher.
  await parts.directories.settled();
  await parts.launcher.close();
  parts.ends.take();
  await parts.directories.settled();
  parts.outputs.close();
  parts.live.close();
  await parts.journal.sync();
  parts.journal.close();
  if (failure !== null) throw failure;
  return isRevoked ? 'revoked' : 'stopped';
}

type Plan = {
  readonly host: Host;
  /** What is handed over to; `null`: this host runs it. */
  readonly below: Downstream | null;
  readonly policy: PolicyFile;
  readonly directory: DataDirectory;
  readonly confinement: Confinement;
  readonly options: AgentOptions;
  readonly registered: RegisteredEdge | null;
  readonly runtime: AgentRuntime;
  readonly metrics: MetricsServer | null;
  readonly changed: () => void;
};

function assemble(plan: Plan, signal: AbortSignal): Parts {
  const { below, policy, directory, confinement, options, registered, runtime } = plan;
  const { isolation } = confinement;
  const { log, clock = systemClock } = runtime;
  const { journal, memory } = readMemory(directory, log);
  const api = makeControlPlaneApi(options.api);
  const specs = openSpecLibrary({ api, store: openSpecStore(directory.specs), clock, signal });
  const notes = openNoteBook(journal, memory.notes);
  const lives = new Map<string, EdgeLife>();
  const secretOf = (edge: string): string | null => lives.get(edge)?.secret ?? null;
  const outputs = openOutputs({ directory, api, clock, secretOf, signal });
  const launcher = makeLauncher(directory.path, log);
  const needed = { isolation, launcher, clock, log, api, signal };
  const place = openChunkPlace({ ...plan, ...needed });
  const { directories, room, inputs, parameters, results } = place;
  const endCounts = { done: 0, failed: 0, stopped: 0 };
  const ends = collectEnds({
    directories,
    added(chunk) {
      endCounts[chunk.end.kind] += 1;
      ports.giveBack(chunk.name);
      live.ended(chunk);
    },
    needs: (chunk) => lives.get(chunk.name.edge)?.edge.results.needs(chunk) ?? false,
    take(edge, chunks) {
      lives.get(edge)?.edge.ended(chunks);
      for (const { name, mayBeWhole } of chunks) if (mayBeWhole === true) outputs.discard(name);
    },
  });
  const ports = openPortBook({
    notes: notes.of('ports'),
    isTaken: isTakenOnHost,
    begin: Math.random(),
  });
  const running = { ...place, ports, notes, clock, ends, launcher, specs, lives, log, signal };
  const { executors, federated } = openExecutors(plan, running);
  const live = openLiveOutput({ api, clock, secretOf }, lives, executors);
  const { enrolToken, pool, transport, mqttEndpoint, pull } = options;
  const power = powerOf(options, registered?.capacity.power, below);
  const shared = {
    boot: randomBytes(6).toString('base64url'),
    clock,
    journal,
    specs,
    executors,
    capacityPower: power,
    handover: federated,
    powerMax: () => policy.current().maxPower ?? Number.POSITIVE_INFINITY,
    refusal: (spec: AgentSpec, { chunkPower, ranges }: WorkEntry) =>
      refusalByPolicy(policy.current(), spec, {
        power: chunkPower,
        chunks: ranges,
        minuteOfDay: minuteOfDay(clock),
        directoryOf: (cwd) => realDirectory(cwd, join(directory.chunks, 'chunk')),
      }) ??
      federated?.refusalOf(spec.id) ??
      null,
    obstacle: (spec: AgentSpec) =>
      policy.current().signers?.obstacleOf(spec, clock.nowMs()) ??
      below?.site.trouble() ??
      room.obstacle(spec),
    percentOf: percentsBy(executors, directories),
    look: (chunk: ChunkName, from: number) => lookIn(executors, chunk, from),
    ...{ inputs, parameters, results, ports, keepOutput: outputs.keep },
    log: options.names.length > namesLoggedMax || options.quiet ? () => {} : log,
    ...{ api, live, enrolToken, pool, transport, mqttEndpoint, pull },
    facts: openFacts(plan, { ...running, executors, power, health: () => healthOf(journal, room) }),
    enrolLimiter: runtime.enrolLimiter ?? makeWideningLimiter(enrolWidths),
    connectLimiter: makeLimiter(connectConcurrency),
    signal,
    changed: plan.changed,
  };
  for (const name of options.names) {
    const own = { ...shared, name, directory: directory.edge(name) };
    lives.set(name, new EdgeLife(own, memory.edges.get(name) ?? blankMemory));
  }
  return { ...shared, notes, policy, outputs, ends, endCounts, launcher, lives, ...place };
}

/** What somebody follows is asked of whoever runs it. */
function openLiveOutput(
  deps: Pick<LiveOutputDeps, 'api' | 'clock' | 'secretOf'>,
  lives: ReadonlyMap<string, EdgeLife>,
  executors: Parts['executors'],
): LiveOutput {
  return makeLiveOutput({
    ...deps,
    attemptOf: (edge, job, chunk) =>
      lives.get(edge)?.edge.running.get(job)?.get(chunk)?.attempt ?? null,
    look: (chunk, from) => lookIn(executors, chunk, from),
  });
}

/** All that this host has, or one that hands everything over. */
function openExecutors(
  { host, below, confinement, directory, options }: Plan,
  deps: Pick<Parts, 'clock' | 'notes' | 'ends' | 'launcher' | 'directories' | 'lives' | 'ports'> & {
    readonly specs: SpecLibrary;
    readonly log: Log;
    readonly signal: AbortSignal;
  },
): { readonly executors: Parts['executors']; readonly federated: EdgewiseExecutor | null } {
  const ended = deps.ends.add;
  if (below !== null) {
    const notes = deps.notes.of('edgewise');
    const federated = executorBelow(below, { ...deps, ended, notes, options });
    return { executors: forEveryRun(federated), federated };
  }
  const executors = makeExecutors({
    ...{ ...deps, host, confinement, ended },
    clusterDirectory: directory.cluster,
    drawPower: options.drawPower,
  });
  return { executors, federated: null };
}

function openFacts(
  { host, below, registered, options, confinement, directory }: Plan,
  own: Pick<ChunkPlace, 'cacheBytes' | 'held'> & {
    readonly clock: Clock;
    readonly executors: Parts['executors'];
    readonly power: () => number;
    readonly health: () => string;
  },
): () => Facts {
  const labels = { ...registered?.labels, ...options.labels };
  const { clock, cacheBytes, held, power, health, executors } = own;
  if (below !== null) return boardOfSite(below, clock, health, labels);
  const readings = { ...readingsOfHost(directory.path), queued: () => queuedIn(executors) };
  // What many edges share says nothing of one of them.
  const load = options.names.length === 1 ? watchLoad(readings) : null;
  return makeFactsBoard(clock, () =>
    collectFacts({
      load: load?.() ?? null,
      power: power(),
      capacity: registered?.capacity ?? null,
      ...{ host, cacheBytes, cached: held.text(), labels, address: options.address },
      isolation: isolationFact(confinement.isolation, host),
      dataDirectory: directory.path,
      chunksDirectory: directory.chunks,
      health: health(),
    }),
  );
}

/** What an executor knows by itself, else what the chunk wrote down. */
function percentsBy(executors: Parts['executors'], directories: Parts['directories']) {
  return (name: ChunkName): number | null =>
    executors.get('simulate')?.percentOf?.(name) ?? directories.progressOf(name);
}

function readMemory({ journal: path }: DataDirectory, log: Log) {
  const { journal, records, damagedLines } = openJournal(path);
  if (damagedLines > 0) {
    const damaged = `The journal has ${damagedLines} damaged lines`;
    log(`${damaged}; the work that they recorded is done again.`, 'warning');
  }
  return { journal, memory: replay(records) };
}

/** The worse of the two disks, which are one where no other place was given to chunks. */
function healthOf(journal: Journal, room: DiskRoom): string {
  const state = journal.state();
  return state === 'ok' && room.isTroubled() ? 'disk-full' : state;
}

async function recover(parts: Parts): Promise<void> {
  const { launcher, lives, executors, directories, ports, outputs } = parts;
  const names = [...lives.keys()];
  // First of all: nothing may be started while what an earlier life left is being looked for.
  await launcher.recover();
  const all = [...new Set(executors.values())];
  const startsPrograms = ({ name }: Executor) => name !== 'simulate' && name !== 'edgewise';
  if (all.some(startsPrograms)) launcher.prepare();
  const found = await Promise.all(all.map((one) => one.recover(names)));
  const survivors = found.flat();
  const sending = [...lives.values()].flatMap(({ edge }) => edge.results.names());
  ports.keepOnly(survivors);
  outputs.keepOnly(survivors);
  directories.sweep([...survivors, ...sending]);
  for (const [name, life] of lives) {
    life.edge.begin(survivors.filter(({ edge }) => edge === name));
  }
  for (const executor of all) executor.resume();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
