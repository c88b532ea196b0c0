import { createHash } from 'node:crypto';
import type { EdgeConfig } from '../../core/model/cell.ts';
import { isFinal } from '../../core/model/job.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import {
  type CellId,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
  makeCellId,
} from '../../core/model/names.ts';
import { chunksOf, emptyRanges, parseRanges } from '../../core/model/ranges.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import type { EdgeIdentity } from '../../core/ports/edges.ts';
import { type AgentSpec, agentSpec } from '../../core/protocol/agent-spec.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import type { ChunkOrder } from '../../edge-agent/executors/executor.ts';
import { plainConfig } from '../core/cell-fixture.ts';
import { changeEdge, nothingStored, type Stored } from '../memory/stored.ts';
import { createMemoryStores } from '../memory/stores.ts';
import { SimulatedApi } from './api.ts';
import type { Bug } from './bugs.ts';
import { StreamedCells } from './change-stream.ts';
import { drawFaults, type Faults } from './faults.ts';
import { createForgery, type Forgery } from './forgery.ts';
import { Functions } from './functions.ts';
import { checkCommit } from './safety.ts';
import { hashText, type SeededRandom, seededRandom } from './seeded-random.ts';
import { SimulatedShadows } from './shadows.ts';
import { type ChunkFate, SimulatedEdge } from './simulated-edge.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { createTruth, must, Violation } from './truth.ts';
import { createUserBook } from './user-safety.ts';
import { Users } from './users.ts';

/** What becomes of the chunks of a job, by the name of the job. */
export type JobFate = {
  readonly chunkMs: number;
  /** Chunks with these numbers fail this often before they succeed; 99 is always. */
  readonly failing: ReadonlyMap<number, number>;
  /** This chunk takes its edge down, always. */
  readonly deadly: number | null;
};

const startMs = 1_700_000_000_000;

/** The whole system on a simulated clock. One seed reproduces everything. */
export class World {
  readonly seed: number;
  readonly timeline: Timeline;
  readonly stored: Stored = {
    ...nothingStored(),
    cells: new StreamedCells((cell) => this.functions.wake(cell)),
  };
  readonly stores = createMemoryStores(this.stored);
  readonly truth = createTruth();
  readonly book = createUserBook(this.stored, this.truth);
  readonly api: SimulatedApi;
  readonly users: Users;
  readonly edges = new Map<EdgeName, SimulatedEdge>();
  readonly fates = new Map<string, JobFate>();
  readonly functions: Functions;
  readonly shadows: SimulatedShadows;
  readonly bug: Bug | null;
  readonly random: SeededRandom;
  readonly plannedFaults: Faults;
  faults: Faults;
  isUp = true;
  violation: Error | null = null;
  /** Edges that report, and never hear of their work again. */
  readonly unresponsive = new Set<EdgeName>();
  readonly #forgery: Forgery;
  readonly #network: SeededRandom;
  readonly #fates: SeededRandom;
  readonly #links = new Map<EdgeName, { isUp: boolean; connection: number; isKnown: boolean }>();
  /** What each edge has done, by job and chunk, and with which attempt. */
  readonly #kept = new Map<EdgeName, Map<string, number>>();
  /** What each edge has reported as done: that it remembers without power, too. */
  readonly #told = new Map<EdgeName, Set<string>>();
  readonly #hash = createHash('sha256');
  readonly #trace: ((line: string) => void) | null;

  constructor(seed: number, options: { bug?: Bug; trace?: (line: string) => void } = {}) {
    this.seed = seed;
    this.bug = options.bug ?? null;
    this.#trace = options.trace ?? null;
    const random = seededRandom(seed);
    this.random = random.stream('world');
    this.#network = random.stream('network');
    this.#fates = random.stream('fates');
    this.plannedFaults = drawFaults(random.stream('faults'));
    this.faults = this.plannedFaults;
    this.timeline = createTimeline(
      startMs,
      (line) => this.note(line),
      (error) => this.fail(error),
    );
    this.#forgery = createForgery({
      random: random.stream('forgery'),
      truth: this.truth,
      faults: () => this.faults,
      jobs: () => this.jobs(),
    });
    const shared = { timeline: this.timeline, faults: () => this.faults };
    this.shadows = new SimulatedShadows({
      ...shared,
      random: random.stream('shadows'),
      tell: (edge, message) => {
        if (this.unresponsive.has(edge) && message.topic.includes('/name/work/')) return;
        this.#carry(edge, 'down', () => this.edges.get(edge)?.hear(message));
      },
      rule: (message) => this.functions.queue(message),
    });
    this.functions = new Functions({
      ...shared,
      random: random.stream('functions'),
      stored: this.stored,
      stores: this.stores,
      bug: this.bug,
      shadows: () => this.shadows,
      isUp: () => this.isUp,
      defect: (error) => this.fail(error),
      loaded: (cell) => this.users.meets(cell),
      committed: (seen, before, after, plan) => {
        this.#forgery.committed(before, after, plan);
        checkCommit(this.truth, seen, before, after, plan);
      },
      folded: (before, after) => this.#folded(before, after),
      trace: (line) => this.note(line),
    });
    this.api = new SimulatedApi({
      ...shared,
      random: random.stream('api'),
      stored: this.stored,
      stores: this.stores,
      bug: this.bug,
      isUp: () => this.isUp,
      defect: (error) => this.fail(error),
      created: (job) => this.book.created(job),
      changed: (done) => this.book.changed(done),
    });
    this.users = new Users({
      timeline: this.timeline,
      random: random.stream('users'),
      request: (request) => this.api.request(request),
      jobs: () => this.jobs(),
      stored: (id) => this.stored.jobs.get(id)?.job ?? undefined,
      trace: (line) => this.note(line),
      defect: (error) => this.fail(error),
    });
  }

  note(line: string): void {
    this.#hash.update(line);
    this.#trace?.(line);
  }

  hash(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  fail(error: unknown): void {
    this.violation ??= error instanceof Error ? error : new Violation(String(error));
  }

  addCell(index: number): CellId {
    const { nowMs } = this.timeline;
    this.stores.pools.ensureCell('default', index, nowMs).catch((error) => this.fail(error));
    return makeCellId('default', index);
  }

  addEdge(cell: CellId, name: EdgeName, power: number): void {
    const capacity = { power };
    const identity = newIdentity(name, cell, this.timeline.nowMs);
    const facts = { capacity, labels: {}, flat: {} };
    const enrolment = { identity, config: plainConfig, facts, allFacts: {} };
    this.stores.edges.enrol(enrolment).catch((error) => this.fail(error));
    this.#links.set(name, { isUp: true, connection: 0, isKnown: false });
    const edge = new SimulatedEdge(name, power, {
      timeline: this.timeline,
      random: this.#network,
      after: (delayMs, label, run) => this.timeline.after(delayMs, label, run),
      send: (from, deliver) => this.#carry(from, 'up', deliver),
      getWork: (from) => this.shadows.getWork(from),
      updateProg: (from, body) => this.shadows.updateProg(from, body),
      forge: (from, report) => this.#forgery.forge(from, report),
      syncMsMax: () => this.faults.syncMsMax,
      specMsMax: () => this.faults.specMsMax,
      reported: (from, document) => this.#reported(from, document),
      reconnectMs: () => this.#network.between(200, 3_000),
      admit: (from) => this.#admit(from),
      specOf: (job, hash) => this.#specOf(jobIdOf(job), hash),
      fateOf: (from, order) => this.#fateOf(from, order),
      started: (on, order) => this.#started(on, order),
      ended: (order, end) => this.#ended(order, end),
      trace: (line) => this.note(line),
      bug: this.bug,
    });
    this.edges.set(name, edge);
    edge.boot();
  }

  configure(name: EdgeName, change: Partial<EdgeConfig>): void {
    const cell = this.stored.identities.get(name)?.cell;
    if (cell === undefined) return;
    changeEdge(this.stored, cell, name, (edge) => ({
      ...edge,
      config: { ...edge.config, ...change },
    }));
  }

  setLink(edge: EdgeName, isUp: boolean): void {
    const link = this.#links.get(edge)!;
    if (link.isUp === isUp) return;
    link.isUp = isUp;
    this.note(`link ${edge} ${isUp ? 'up' : 'down'}`);
    if (!isUp) this.#vanish(edge);
  }

  kill(edge: EdgeName, withPower: boolean): void {
    const host = this.edges.get(edge)!;
    if (!host.isAlive) return;
    this.note(`${edge} ${withPower ? 'killed' : 'without power'}`);
    host.die(withPower);
    if (!withPower) this.#forget(edge);
    this.#vanish(edge);
  }

  /** Killed, or worse; it is started again a while later. */
  crash(edge: EdgeName, withPower: boolean): void {
    this.kill(edge, withPower);
    const delayMs = this.#network.between(500, 40_000);
    this.timeline.after(delayMs, 'boot', () => this.edges.get(edge)!.boot());
  }

  /** Runs until `until` says so, time is up, or something is wrong. */
  async run(untilMs: number, until: () => boolean = () => false): Promise<boolean> {
    while (this.violation === null && this.timeline.nowMs < untilMs) {
      if (until()) return true;
      if (!(await this.timeline.step())) return until();
    }
    return this.violation === null && until();
  }

  jobs(): StoredJob[] {
    return [...this.stored.jobs.values()].flatMap(({ job }) => job ?? []);
  }

  openJobs(): JobId[] {
    const states = [...this.stored.jobs].map(([id, { status }]) => ({ id, state: status!.state }));
    return states.filter(({ state }) => !isFinal(state)).map(({ id }) => id);
  }

  #folded(before: JobStatus, after: JobStatus): void {
    this.book.folded(before, after);
    this.users.sees(after, before);
  }

  #carry(edge: EdgeName, way: string, deliver: () => void): void {
    const link = this.#links.get(edge)!;
    const copies = this.#network.chance(this.faults.duplicateMessage) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (this.#network.chance(this.faults.dropMessage)) continue;
      const delayMs = this.#network.between(1, this.faults.delayMsMax);
      const { connection } = link;
      this.timeline.after(delayMs, `${edge} ${way}`, () => {
        // A message to a session that is over is gone; one to the broker may still arrive.
        const arrives = way === 'up' || (link.isUp && link.connection === connection);
        if (arrives) deliver();
      });
    }
  }

  #admit(edge: EdgeName): boolean {
    const link = this.#links.get(edge)!;
    if (!link.isUp) return false;
    link.connection += 1;
    link.isKnown = true;
    this.#presence(edge, 'connected', link.connection);
    return true;
  }

  /** The broker notices at once, or only when the keep-alive runs out. */
  #vanish(edge: EdgeName): void {
    const link = this.#links.get(edge)!;
    this.edges.get(edge)!.disconnect();
    if (!link.isKnown) return;
    link.isKnown = false;
    const { connection } = link;
    const noticedMs = this.#network.chance(0.5) ? 5 : this.#network.between(1_000, 45_000);
    this.timeline.after(noticedMs, `${edge} noticed`, () => {
      this.#presence(edge, 'disconnected', connection);
    });
  }

  #presence(edge: EdgeName, kind: 'connected' | 'disconnected', version: number): void {
    const atMs = this.timeline.nowMs;
    this.functions.queue({ kind, edge, at: atMs, version });
  }

  #specOf(job: JobId, hash: string): AgentSpec | null {
    const known = this.stored.jobs.get(job)?.job ?? null;
    if (known === null || known.specHash !== hash) return null;
    return agentSpec(job, hash, known.spec, known.chunking, known.createdBy);
  }

  #fateOf(edge: EdgeName, order: ChunkOrder): ChunkFate {
    const { id, spec } = this.stored.jobs.get(jobIdOf(order.job))!.job!;
    const job = this.fates.get(spec.name!)!;
    // Edges differ in speed, so that leases are stolen from the slow ones.
    const slowness = 1 + (Math.abs(hashText(edge)) % 5);
    const afterMs = Math.max(1, Math.round(job.chunkMs * slowness * (0.5 + this.#fates.next())));
    if (order.chunk === job.deadly) return { afterMs, end: 'deadly' };
    const failures = job.failing.get(order.chunk) ?? 0;
    if (this.truth.failuresOf(id, order.chunk) < failures) {
      return { afterMs, end: { kind: 'failed', failure: 1 + (order.chunk % 200) } };
    }
    return { afterMs, end: { kind: 'done' } };
  }

  #reported(edge: EdgeName, { w }: ProgressReportJson): void {
    const told = this.#told.get(edge) ?? new Set();
    this.#told.set(edge, told);
    for (const [job, entry] of Object.entries(w)) {
      const done = parseRanges(entry?.d ?? '') ?? emptyRanges;
      for (const chunk of chunksOf(done)) told.add(`${job}/${chunk}`);
    }
    if (!this.#network.chance(this.faults.powerLossOnReport)) return;
    const delayMs = this.#network.between(0, 300);
    this.timeline.after(delayMs, 'power loss', () => this.crash(edge, false));
  }

  /** A result that an edge has written down is never made again there. */
  #started(on: SimulatedEdge, order: ChunkOrder): void {
    const { id, spec } = this.stored.jobs.get(jobIdOf(order.job))!.job!;
    const open = spec.dependsOn.filter(
      (parent) => this.stored.jobs.get(parent)?.status?.state !== 'done',
    );
    must(open.length === 0, () => `job ${id} runs and job ${open[0]} is not done`);
    // What died elsewhere in the meantime may have been brought back by a user.
    const { retryEpoch } = this.stored.jobs.get(id)!.job!;
    const attempt = this.#kept.get(on.name)?.get(`${order.job}/${order.chunk}`);
    must(
      attempt === undefined || (retryEpoch > 0 && order.attempt > attempt),
      () => `${on.name} runs chunk ${order.chunk} of ${order.job} again`,
    );
  }

  /** A loss of power may take the last lines of the journal, of which nobody was told. */
  #forget(edge: EdgeName): void {
    const told = this.#told.get(edge);
    const kept = [...(this.#kept.get(edge) ?? [])].filter(([key]) => told?.has(key));
    this.#kept.set(edge, new Map(kept));
  }

  #ended(order: ChunkOrder, end: ChunkFate['end']): void {
    this.note(`${order.edge} ended ${order.job}/${order.chunk}`);
    if (end === 'deadly') {
      this.truth.tookItsEdgeDown(order.job, order.chunk);
      this.#vanish(edgeNameOf(order.edge));
      this.#forget(edgeNameOf(order.edge));
    } else if (end.kind === 'done') {
      this.truth.completed(order.job, order.chunk);
      const kept = this.#kept.get(edgeNameOf(order.edge)) ?? new Map();
      this.#kept.set(edgeNameOf(order.edge), kept);
      kept.set(`${order.job}/${order.chunk}`, order.attempt);
    }
    if (end !== 'deadly' && end.kind === 'failed') this.truth.failed(order.job, order.chunk);
  }
}

function newIdentity(edge: EdgeName, cell: CellId, nowMs: number): EdgeIdentity {
  return {
    edge,
    cell,
    keyHash: null,
    certificateId: null,
    certificate: null,
    previousCertificateId: null,
    renewedAtMs: null,
    credentials: [],
    enrolledAtMs: nowMs,
    removingSinceMs: null,
  };
}
