import type { ExecutorName } from '../../../core/model/job.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { AgentSpec } from '../../../core/protocol/agent-spec.ts';
import type { FileSystem } from '../../../edge-agent/disk/file-system.ts';
import type { Journal } from '../../../edge-agent/disk/journal.ts';
import { snapshotOf } from '../../../edge-agent/disk/journal-compaction.ts';
import { blankMemory, replay } from '../../../edge-agent/disk/replay.ts';
import { Edge } from '../../../edge-agent/edge/edge.ts';
import type {
  ChunkEnd,
  ChunkName,
  ChunkOrder,
  Executor,
} from '../../../edge-agent/executors/executor.ts';
import { keyOf } from '../../../edge-agent/executors/executor.ts';
import type { Clock } from '../../../edge-agent/host/clock.ts';
import { journalRetryMs } from '../../../edge-agent/limits.ts';
import type { ControlPlaneApi } from '../../../edge-agent/link/control-plane-api.ts';
import { makeHttpLink } from '../../../edge-agent/link/http-link.ts';
import type { Link, LinkEvents } from '../../../edge-agent/link/link.ts';
import { makeTaker, type TakerDeps } from '../../../edge-agent/link/offer-taker.ts';
import { makeReconnectPauses } from '../../../edge-agent/link/reconnect-pauses.ts';
import { type FactsTelling, makeFactsTelling } from '../../../edge-agent/report/facts-telling.ts';
import type { ShadowMessage } from '../../../local/services/iot/shadow/service.ts';
import { type Bug, epochOf } from '../bugs/bugs.ts';
import { attempt, must } from '../checks/truth.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { Timeline } from '../timeline.ts';
import { Disk } from './disk.ts';
import { openJournalOf } from './open-journal.ts';
import { type LinkWorld, SimulatedLink } from './simulated-link.ts';
import type { SimulatedResults } from './simulated-results.ts';
import { specsOf } from './simulated-specs.ts';

/** What ends within this time may be one batch. */
const togetherMsMax = 20;

type Ended = readonly [ChunkOrder, ChunkEnd];

/** How a chunk ends, and after how long: `deadly` takes the whole edge with it. */
export type ChunkFate = { readonly afterMs: number; readonly end: ChunkEnd | 'deadly' };

export type EdgeWorld = LinkWorld & {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly specOf: (job: string, hash: string) => AgentSpec | null;
  readonly fateOf: (edge: EdgeName, order: ChunkOrder) => ChunkFate;
  /** A chunk started, or came to this end, on this edge. */
  readonly started: (edge: SimulatedEdge, order: ChunkOrder) => void;
  readonly ended: (order: ChunkOrder, end: ChunkEnd | 'deadly') => void;
  /** A chunk was stopped; or the edge died, with all that it ran. */
  readonly stopped: (name: ChunkName) => void;
  readonly died: (edge: EdgeName) => void;
  readonly clockOf: (edge: EdgeName, after: Clock['after']) => Clock;
  /** Its journal was rewritten just now. */
  readonly rewrote: (edge: EdgeName) => void;
  /** Results that its journal could not write before the agent died. */
  readonly unwritten: (edge: EdgeName, chunks: Iterable<string>) => void;
  /** What it says of itself, on its way; `taken` once it has arrived. */
  readonly sendFacts: (edge: SimulatedEdge, reported: object, taken: () => void) => void;
  readonly results: SimulatedResults;
  readonly syncMsMax: () => number;
  readonly specMsMax: () => number;
  /** No two starts of an agent have the same name, whatever was copied. */
  readonly newBoot: () => string;
  readonly trace: (line: string) => void;
  readonly defect: (error: unknown) => void;
  readonly bug: Bug | null;
};

export type HttpsCalls = Pick<ControlPlaneApi, 'getWork' | 'postReport'> &
  /** Of one that takes its work by itself. */
  Partial<Pick<ControlPlaneApi, 'listOffers' | 'acceptOffers'>>;

/** A host with the real agent on it: its disk outlives the agent's lives. */
export class SimulatedEdge {
  readonly name: EdgeName;
  readonly power: number;
  readonly disk = new Disk();
  readonly #world: EdgeWorld;
  readonly #https: HttpsCalls | null;
  #life = 0;
  #epoch = 0;
  #isAlive = false;
  #journal: Journal | null = null;
  /** Results that a full disk did not take, and those that it took a moment ago. */
  readonly #unwritten = new Set<string>();
  readonly #unsynced = new Set<string>();
  /**
   * It died and had not written down which work it had given back: what it starts before it hears
   * of its work may be another's, and nobody counts it.
   */
  #isBehind = false;
  #hasReceived = false;
  /**
   * As the agent tells them, but not anew at each of its starts: what was lost on the way has to
   * heal without one.
   */
  readonly #telling: FactsTelling<object>;
  readonly #facts = new Map<string, object>();
  #link: SimulatedLink | null = null;

  /** `https`: how an edge without MQTT reaches the API. */
  constructor(name: EdgeName, power: number, world: EdgeWorld, https: HttpsCalls | null = null) {
    this.#https = https;
    this.name = name;
    this.power = power;
    this.#world = world;
    const { timeline } = world;
    const clock = world.clockOf(name, (ms, run) => timeline.after(ms, `${name} timer`, run));
    const send = (facts: object) =>
      new Promise<boolean>((resolve) => world.sendFacts(this, facts, () => resolve(true)));
    this.#telling = makeFactsTelling(clock, send);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  boot(): void {
    if (this.#isAlive) return;
    this.#life += 1;
    this.#isAlive = true;
    const life = this.#life;
    const isAlive = () => this.#isAlive && this.#life === life;
    const { timeline, random } = this.#world;
    const after: Clock['after'] = (delayMs, run) =>
      timeline.after(delayMs, `${this.name} timer`, () => {
        if (isAlive()) run();
      });
    const ownClock = this.#world.clockOf(this.name, after);
    const clock = this.#world.bug?.clock?.(ownClock) ?? ownClock;
    const pause = () =>
      timeline.pause(random.between(1, this.#world.syncMsMax()), `${this.name} sync`);
    const { bug } = this.#world;
    const files = this.#files(this.disk.mount(isAlive, pause));
    const { journal: written, records } = openJournalOf(this, files, this.#world);
    const journal = bug?.journal?.(written) ?? written;
    this.#journal = written;
    const sender = this.#world.results.senderOf(this.name, this.disk.directories, clock);
    let edge: Edge;
    const simulate = this.#executor(clock, (ends) => {
      edge.ended(ends.map(([name, end]) => ({ name, end, output: null, durationMs: 1_000 })));
      this.#keepDirectories(ends, edge);
      if (written.state() === 'ok') return;
      for (const [{ job, chunk }] of ends) this.#unwritten.add(`${job}/${chunk}`);
    });
    edge = new Edge(
      {
        name: this.name,
        boot: this.#world.newBoot(),
        clock,
        journal,
        specs: specsOf(this.#world, this.disk, clock),
        executors: new Map<ExecutorName, Executor>([['simulate', simulate]]),
        capacityPower: () => this.power,
        secret: () => '',
        transport: this.#https === null ? 'mqtt' : 'http',
        powerMax: () => this.power,
        refusal: () => null,
        obstacle: () => null,
        inputs: { of: () => () => ({ kind: 'ready' }), fetch: () => {} },
        percentOf: () => null,
        parameters: { of: () => () => ({ known: new Map(), reason: null }), fetch: () => false },
        results: bug?.results?.(sender) ?? sender,
        keepOutput: () => {},
        log: (line) => this.#world.trace(line),
      },
      replay(records).edges.get(this.name) ?? blankMemory,
    );
    const keepUp = () => {
      const before = journal.state();
      const state = before === 'ok' ? before : journal.retry();
      if (written.state() === 'ok') this.#noteWritten(before === 'ok');
      journal.compactIfGrown(() => snapshotOf(this.name, edge.memory()));
      if (state !== before) edge.decide();
      this.#tellHealth(state);
      clock.after(journalRetryMs, keepUp);
    };
    clock.after(journalRetryMs, keepUp);
    const living: LinkWorld = {
      ...this.#world,
      after: (delayMs, name, run) =>
        timeline.after(delayMs, `${this.name} ${name}`, () => {
          if (isAlive()) run();
        }),
    };
    const events = this.#events(edge);
    const link =
      this.#https === null
        ? this.#overMqtt(clock, living, events)
        : this.#overHttps(clock, events, isAlive);
    this.#sweepDirectories(edge);
    edge.attach(link);
    edge.begin([]);
    link.start();
  }

  /** Of what is to be sent; of what is being stopped nothing is kept, and it may run again. */
  #keepDirectories(ends: readonly Ended[], edge: Edge): void {
    const sending = new Set(edge.results.names().map(keyOf));
    for (const [order, end] of ends) {
      if (sending.has(keyOf(order))) this.disk.directories.add(keyOf(order));
      else if (order.spec?.outputs !== undefined && end.kind === 'done') {
        this.#world.unwritten(this.name, [`${order.job}/${order.chunk}`]);
      }
    }
  }

  /** As the agent does at its start. */
  #sweepDirectories(edge: Edge): void {
    const sending = new Set(edge.results.names().map(keyOf));
    for (const key of [...this.disk.directories]) {
      if (!sending.has(key)) this.disk.directories.delete(key);
    }
  }

  #files(mounted: FileSystem): FileSystem {
    const { bug, rewrote } = this.#world;
    const files = bug?.disk?.(mounted) ?? mounted;
    const rename = (from: string, to: string) => {
      files.rename(from, to);
      rewrote(this.name);
    };
    return { ...files, rename };
  }

  /** What waited is written, and a loss of power may still take it until it is synced. */
  #noteWritten(isSynced: boolean): void {
    if (isSynced) this.#unsynced.clear();
    for (const chunk of this.#unwritten) this.#unsynced.add(chunk);
    this.#unwritten.clear();
  }

  /** The same object as long as nothing changed; what it enrolled with was sent then. */
  #factsOf(health: string): object {
    const facts = { health, sendsFiles: true, services: true };
    const known = this.#facts.get(health) ?? { capacity: { power: this.power }, labels: {}, facts };
    this.#facts.set(health, known);
    return known;
  }

  #tellHealth(health: string): void {
    if (this.#facts.size > 0 || health !== 'ok') void this.#telling.tell(this.#factsOf(health));
  }

  /** What follows from a contact and is wrong ends the seed, whoever else catches it. */
  #events({ linkEvents }: Edge): LinkEvents {
    const { defect } = this.#world;
    this.#hasReceived = false;
    return {
      work: (document, isCurrent) => {
        this.#hasReceived = true;
        attempt(() => linkEvents.work(document, isCurrent), defect);
      },
      connected: () => attempt(linkEvents.connected, defect),
      disconnected: (reason) => attempt(() => linkEvents.disconnected(reason), defect),
      revoked: () => {},
    };
  }

  #overMqtt({ monotonicMs }: Clock, world: LinkWorld, events: LinkEvents): Link {
    const pauses = makeReconnectPauses(monotonicMs, () => this.#world.random.next());
    this.#link = new SimulatedLink(this.name, world, events, pauses);
    return this.#link;
  }

  #overHttps(clock: Clock, events: LinkEvents, isAlive: () => boolean): Link {
    const { random, reported } = this.#world;
    // Who is dead hears no answer.
    const alive = async <T>(answer: Promise<T>): Promise<T> => {
      try {
        const value = await answer;
        return isAlive() ? value : await new Promise(() => {});
      } catch (error) {
        if (isAlive()) throw error;
        return await new Promise(() => {});
      }
    };
    const https = this.#https!;
    const api = {
      getWork: (...args: Parameters<HttpsCalls['getWork']>) => alive(https.getWork(...args)),
      postReport: (...args: Parameters<HttpsCalls['postReport']>) => {
        reported(this.name, args[2]);
        return alive(https.postReport(...args));
      },
    } as ControlPlaneApi;
    return makeHttpLink({
      ...this.#taker(clock, https, alive),
      api,
      clock,
      events,
      edge: this.name,
      secret: () => '',
      random: () => random.next(),
    });
  }

  #taker(
    clock: Clock,
    { listOffers, acceptOffers }: HttpsCalls,
    alive: <T>(answer: Promise<T>) => Promise<T>,
  ) {
    if (listOffers === undefined || acceptOffers === undefined) return {};
    const api: TakerDeps['api'] = {
      listOffers: (...args) => alive(listOffers(...args)),
      acceptOffers: (...args) => alive(acceptOffers(...args)),
    };
    const log = (line: string) => this.#world.trace(line);
    return { take: makeTaker({ api, clock, edge: this.name, log, max: 10, everyMs: 5_000 }) };
  }

  /** kill -9, or worse: the power is gone. */
  die(withPower: boolean): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#world.died(this.name);
    this.#link = null;
    const hasCaughtUp = this.#hasReceived && withPower;
    this.#isBehind = this.#journal?.state() !== 'ok' || (this.#isBehind && !hasCaughtUp);
    const lost = withPower ? this.#unwritten : [...this.#unwritten, ...this.#unsynced];
    this.#world.unwritten(this.name, lost);
    this.#unwritten.clear();
    this.#unsynced.clear();
    if (withPower) return;
    this.disk.losePower(this.#world.random);
    this.#world.results.losePower(this.disk.directories);
  }

  disconnect(): void {
    this.#link?.disconnect();
  }

  hear(message: ShadowMessage): void {
    const hear = this.#world.bug?.hear;
    const received = hear === undefined ? message : hear(message, this.#epoch);
    if (received === null) return;
    this.#epoch = Math.max(this.#epoch, epochOf(received) ?? 0);
    this.#link?.hear(received);
  }

  /** Ends that come close to each other are taken in together, now few of them and now many. */
  #executor(clock: Clock, take: (ends: readonly Ended[]) => void): Executor {
    const running = new Map<string, () => void>();
    const strays = new Set<ChunkOrder>();
    let collected: Ended[] = [];
    const takeAll = () => {
      const ends = collected;
      collected = [];
      for (const [order, end] of ends) if (end.kind !== 'stopped') this.#world.ended(order, end);
      for (const [{ job, chunk }] of ends.filter(([order]) => strays.delete(order))) {
        this.#world.unwritten(this.name, [`${job}/${chunk}`]);
      }
      take(ends);
    };
    const ended = (order: ChunkOrder, end: ChunkEnd) => {
      collected.push([order, end]);
      const { random } = this.#world;
      if (collected.length === 1) clock.after(random.between(0, togetherMsMax), takeAll);
    };
    const finish = (order: ChunkOrder, end: ChunkEnd | 'deadly') => {
      running.delete(keyOf(order));
      if (end !== 'deadly') return ended(order, end);
      this.#world.ended(order, end);
      this.die(false);
    };
    return {
      name: 'simulate',
      outlivesAgent: false,
      start: (orders) => {
        const isWritten = this.#journal?.state() === 'ok';
        must(isWritten, () => `${this.name} starts chunks whose ends it could not write down`);
        for (const order of orders) {
          this.#world.started(this, order);
          if (this.#isBehind && !this.#hasReceived) strays.add(order);
          const fate = this.#world.fateOf(this.name, order);
          running.set(
            keyOf(order),
            clock.after(fate.afterMs, () => finish(order, fate.end)),
          );
        }
      },
      stop: (name) => {
        const cancel = running.get(keyOf(name));
        if (cancel === undefined) return;
        cancel();
        if (this.#world.bug?.stopsNothing !== true) this.#world.stopped(name);
        running.delete(keyOf(name));
        const order = name as ChunkOrder;
        clock.after(1, () => ended(order, { kind: 'stopped' }));
      },
      recover: () => Promise.resolve([]),
      resume: () => {},
      close: () => Promise.resolve(),
    };
  }
}
