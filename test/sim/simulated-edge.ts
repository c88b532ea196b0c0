import type { ExecutorName } from '../../core/model/job.ts';
import type { EdgeName } from '../../core/model/names.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import { openJournal } from '../../edge-agent/disk/journal.ts';
import { snapshotOf } from '../../edge-agent/disk/journal-compaction.ts';
import { blankMemory, replay } from '../../edge-agent/disk/replay.ts';
import type { SpecLibrary } from '../../edge-agent/disk/spec-library.ts';
import { Edge } from '../../edge-agent/edge/edge.ts';
import { type SpecKnowledge, specKey } from '../../edge-agent/edge/next-steps.ts';
import type { ChunkEnd, ChunkOrder, Executor } from '../../edge-agent/executors/executor.ts';
import { keyOf } from '../../edge-agent/executors/executor.ts';
import type { Clock } from '../../edge-agent/host/clock.ts';
import { journalRetryMs } from '../../edge-agent/limits.ts';
import type { ShadowMessage } from '../../local/services/iot/shadow/service.ts';
import { type Bug, epochOf } from './bugs.ts';
import { Disk } from './disk.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type LinkWorld, SimulatedLink } from './simulated-link.ts';
import type { Timeline } from './timeline.ts';

const journalPath = '/var/lib/edgewise/journal.log';
/** Small, so that the journal is rewritten while a seed lasts. */
const rewriteBytesMin = 1_500;

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
  readonly syncMsMax: () => number;
  readonly specMsMax: () => number;
  readonly trace: (line: string) => void;
  readonly bug: Bug | null;
};

/** A host with the real agent on it: its disk outlives the agent's lives. */
export class SimulatedEdge {
  readonly name: EdgeName;
  readonly power: number;
  readonly disk = new Disk();
  readonly #world: EdgeWorld;
  #life = 0;
  #epoch = 0;
  #isAlive = false;
  #link: SimulatedLink | null = null;

  constructor(name: EdgeName, power: number, world: EdgeWorld) {
    this.name = name;
    this.power = power;
    this.#world = world;
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
    const clock: Clock = {
      nowMs: () => timeline.nowMs,
      monotonicMs: () => timeline.nowMs,
      after: (delayMs, run) =>
        timeline.after(delayMs, `${this.name} timer`, () => {
          if (isAlive()) run();
        }),
    };
    const pause = () =>
      timeline.pause(random.between(1, this.#world.syncMsMax()), `${this.name} sync`);
    const { bug } = this.#world;
    const mounted = this.disk.mount(isAlive, pause);
    const files = bug?.disk?.(mounted) ?? mounted;
    const { journal: written, records } = openJournal(journalPath, files, rewriteBytesMin);
    const journal = bug?.journal?.(written) ?? written;
    let edge: Edge;
    const simulate = this.#executor(clock, (order, end) => {
      edge.ended({ name: order, end, output: null, durationMs: 1_000 });
    });
    edge = new Edge(
      {
        name: this.name,
        boot: `${this.name}-${life}`,
        clock,
        journal,
        specs: this.#specs(clock),
        executors: new Map<ExecutorName, Executor>([['simulate', simulate]]),
        capacityPower: this.power,
        secret: () => '',
        transport: 'mqtt',
        powerMax: () => this.power,
        refusal: () => null,
        keepOutput: () => {},
        log: (line) => this.#world.trace(line),
      },
      replay(records).edges.get(this.name) ?? blankMemory,
    );
    const keepUp = () => {
      journal.compactIfGrown(() => snapshotOf(this.name, edge.memory()));
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
    this.#link = new SimulatedLink(this.name, living, { ...edge.linkEvents, revoked: () => {} });
    edge.attach(this.#link);
    edge.begin([]);
    this.#link.start();
  }

  /** kill -9, or worse: the power is gone. */
  die(withPower: boolean): void {
    if (!this.#isAlive) return;
    this.#isAlive = false;
    this.#link = null;
    if (!withPower) this.disk.losePower(this.#world.random);
  }

  disconnect(): void {
    this.#link?.disconnect();
  }

  hear(message: ShadowMessage): void {
    const hear = this.#world.bug?.hear;
    const heard = hear === undefined ? message : hear(message, this.#epoch);
    if (heard === null) return;
    this.#epoch = Math.max(this.#epoch, epochOf(heard) ?? 0);
    this.#link?.hear(heard);
  }

  #executor(clock: Clock, ended: (order: ChunkOrder, end: ChunkEnd) => void): Executor {
    const running = new Map<string, () => void>();
    const finish = (order: ChunkOrder, end: ChunkEnd | 'deadly') => {
      running.delete(keyOf(order));
      this.#world.ended(order, end);
      if (end === 'deadly') this.die(false);
      else ended(order, end);
    };
    return {
      name: 'simulate',
      outlivesAgent: false,
      start: (orders) => {
        for (const order of orders) {
          this.#world.started(this, order);
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
        running.delete(keyOf(name));
        const order = name as ChunkOrder;
        clock.after(1, () => ended(order, { kind: 'stopped' }));
      },
      recover: () => Promise.resolve([]),
      resume: () => {},
      close: () => Promise.resolve(),
    };
  }

  #specs(clock: Clock): SpecLibrary {
    const known = new Map<string, SpecKnowledge>();
    for (const [key, spec] of this.disk.specs) known.set(key, { kind: 'ready', spec });
    return {
      known,
      fetch: (job, hash, _secret, changed) => {
        const key = specKey(job, hash);
        if (known.has(key)) return;
        known.set(key, { kind: 'fetching' });
        clock.after(this.#world.random.between(5, this.#world.specMsMax()), () => {
          const spec = this.#world.specOf(job, hash);
          if (spec === null) {
            known.set(key, { kind: 'unavailable', reason: 'no such spec' });
          } else {
            known.set(key, { kind: 'ready', spec });
            this.disk.specs.set(key, spec);
          }
          changed();
        });
      },
      find: (job, hash) => this.disk.specs.get(specKey(job, hash)) ?? null,
    };
  }
}
