import { createHash } from 'node:crypto';
import type { EdgeConfig } from '../../core/model/cell.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import {
  type CellId,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
} from '../../core/model/names.ts';
import type { StoredJob } from '../../core/model/stored-job.ts';
import { type AgentSpec, agentSpec } from '../../core/protocol/agent-spec.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';
import type { ChunkOrder } from '../../edge-agent/executors/executor.ts';
import { plainConfig } from '../core/cell-fixture.ts';
import { SimulatedApi } from './api.ts';
import type { Bug } from './bugs/bugs.ts';
import { ChunkBook } from './checks/chunk-book.ts';
import { createIdleReads } from './checks/idle-reads.ts';
import { checkCommit } from './checks/safety.ts';
import { createTruth, must, Violation } from './checks/truth.ts';
import { createUserBook } from './checks/user-safety.ts';
import { type Clocks, createClocks } from './clocks.ts';
import { checkDemands, createContactBook } from './demands.ts';
import { createFactsPost } from './edge/facts-post.ts';
import { createForgery, type Forgery } from './edge/forgery.ts';
import { Hosts } from './edge/hosts.ts';
import { mayLosePower } from './edge/power-cuts.ts';
import { SimulatedShadows } from './edge/shadows.ts';
import type { ChunkFate, SimulatedEdge } from './edge/simulated-edge.ts';
import { SimulatedResults } from './edge/simulated-results.ts';
import { drawFaults, type Faults } from './faults.ts';
import { Functions } from './functions.ts';
import { HttpsApi, overMqtt } from './https/https-api.ts';
import { Membership, newIdentity } from './membership.ts';
import { SimulatedNetwork } from './network.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';
import { InstanceBook } from './services/instance-book.ts';
import { checkServices } from './services/service-checks.ts';
import { drawShortPasses } from './short-passes.ts';
import { ChangeStream } from './table/change-stream.ts';
import { batchJobsIn } from './table/jobs-in.ts';
import { drawShelf, storesThrough } from './table/simulated-stores.ts';
import { SimulatedTable } from './table/simulated-table.ts';
import { createStoredView, jobIn } from './table/stored-view.ts';
import { createTimeline, startMs, type Timeline } from './timeline.ts';
import { Users } from './users.ts';
import { createVersions, type Versions } from './versions.ts';

/** The whole system on a simulated clock. One seed reproduces everything. */
export class World {
  readonly seed: number;
  readonly timeline: Timeline;
  readonly table = new SimulatedTable((record) => this.stream.add(record));
  readonly stored = createStoredView(this.table);
  /** On the table at once, for what is not the trouble of a function. */
  readonly stores = storesThrough(this.table, async (_, run) => run());
  readonly stream: ChangeStream;
  readonly truth = createTruth();
  readonly #idleRead = createIdleReads((error) => this.fail(error));
  readonly book = createUserBook(this.stored, this.truth, () => this.instances);
  readonly api: SimulatedApi;
  readonly users: Users;
  readonly hosts: Hosts;
  readonly chunks: ChunkBook;
  readonly instances: InstanceBook;
  readonly network: SimulatedNetwork;
  readonly clocks: Clocks;
  readonly versions: Versions;
  readonly #contacts = createContactBook((edge) => this.network.isConnected(edge));
  readonly functions: Functions;
  readonly shadows: SimulatedShadows;
  readonly bug: Bug | null;
  readonly random: SeededRandom;
  readonly transports: SeededRandom;
  readonly plannedFaults: Faults;
  faults: Faults;
  isUp = true;
  #upAtMs = 0;
  /** Somebody is gone for good, or will never do what it is asked. */
  isMaimed = false;
  violation: Error | null = null;
  /** Edges that report, and never hear of their work again. */
  readonly unresponsive = new Set<EdgeName>();
  readonly members: Membership;
  readonly results: SimulatedResults;
  readonly forgery: Forgery;
  readonly https: HttpsApi;
  readonly #hazard: SeededRandom;
  readonly #rewrites: SeededRandom;
  /** Also those that a restored table knows nothing of. */
  readonly #submitted = new Map<JobId, StoredJob>();
  readonly jobOf = (id: JobId) => jobIn(this.table, id) ?? this.#submitted.get(id);
  readonly #hash = createHash('sha256');
  readonly #trace: ((line: string) => void) | null;

  constructor(seed: number, options: { bug?: Bug; trace?: (line: string) => void } = {}) {
    this.seed = seed;
    this.bug = options.bug ?? null;
    this.#trace = options.trace ?? null;
    const random = seededRandom(seed);
    this.random = random.stream('world');
    this.transports = random.stream('transports');
    this.#hazard = random.stream('network');
    this.#rewrites = random.stream('rewrites');
    this.plannedFaults = drawFaults(random);
    this.faults = this.plannedFaults;
    drawShelf(random.stream('shelf'), this.table);
    this.timeline = createTimeline(
      startMs,
      (line) => this.note(line),
      (error) => this.fail(error),
    );
    const shared = { timeline: this.timeline, faults: () => this.faults };
    const jobs = () => batchJobsIn(this.stored);
    const liars = random.stream('forgery');
    this.forgery = createForgery({ ...shared, random: liars, truth: this.truth, jobs });
    this.instances = new InstanceBook(random.stream('instances'), this);
    this.versions = createVersions(random.stream('versions'), () => this.faults);
    this.clocks = createClocks({ ...shared, random: random.stream('clocks') });
    this.chunks = this.#makeChunkBook(random);
    this.results = new SimulatedResults(random.stream('results'), this);
    this.members = this.#makeMembership(random.stream('members'));
    this.network = this.#makeNetwork();
    this.stream = this.#makeStream(random.stream('stream'));
    this.shadows = new SimulatedShadows({
      ...shared,
      random: random.stream('shadows'),
      tell: (edge, message) => {
        if (this.unresponsive.has(edge) && message.topic.includes('/name/work/')) return;
        const arriving = this.versions.arriving(edge, message);
        this.network.carry(edge, 'down', () => this.hosts.hear(edge, arriving));
      },
      rule: (message) => this.functions.queue(message),
    });
    this.functions = this.#makeFunctions(random);
    this.hosts = this.#makeHosts();
    this.api = new SimulatedApi({
      ...shared,
      random: random.stream('api'),
      table: this.table,
      stored: this.stored,
      stores: this.stores,
      bug: this.bug,
      isUp: () => this.isUp,
      shortPasses: drawShortPasses(random.stream('submits'), () => this.functions),
      defect: (error) => this.fail(error),
      planned: (job) => this.#planned(job),
      created: (job) => this.book.created(job),
      changed: (done) => this.book.changed(done),
    });
    this.https = new HttpsApi({
      ...shared,
      random: random.stream('https'),
      table: this.table,
      shadows: () => this.shadows,
      bug: this.bug,
      isUp: () => this.isUp,
      isReachable: (edge) => this.network.isUp(edge),
      passes: (call) => this.functions.takingPasses(call),
      defect: (error) => this.fail(error),
    });
    this.users = new Users({
      timeline: this.timeline,
      random: random.stream('users'),
      request: (request) => this.api.request(request),
      jobs,
      stored: (id) => jobIn(this.table, id) ?? undefined,
      isRestored: () => this.chunks.isRestored,
      trace: (line) => this.note(line),
      defect: (error) => this.fail(error),
    });
  }

  #makeStream(random: SeededRandom): ChangeStream {
    this.table.onWrite = (row) => {
      const written = this.versions.row(row);
      return this.bug?.row?.(written) ?? written;
    };
    if (this.bug?.asks !== undefined) this.table.onAsk = this.bug.asks;
    if (this.bug?.outcome !== undefined) this.table.onOutcome = this.bug.outcome;
    this.table.isContended = () => random.chance(this.faults.contendTransaction);
    const { timeline, bug } = this;
    return new ChangeStream(
      { timeline, bug, random, faults: () => this.faults, isUp: () => this.isUp },
      random.between(1, 3),
    );
  }

  #makeFunctions(random: SeededRandom): Functions {
    return new Functions({
      timeline: this.timeline,
      faults: () => this.faults,
      random: random.stream('functions'),
      stream: this.stream,
      table: this.table,
      stored: this.stored,
      stores: this.stores,
      bug: this.bug,
      clocks: this.clocks,
      shadows: () => this.shadows,
      isUp: () => this.isUp,
      defect: (error) => this.fail(error),
      loaded: (cell) => this.users.meets(this.#idleRead(cell)),
      committed: (seen, before, after, plan, by) => {
        this.forgery.committed(before, after, plan);
        const { truth, chunks } = this;
        const { id } = after.meta;
        checkCommit({ truth, doubtful: chunks.doubtful, by }, seen, before, after, plan);
        checkDemands(seen, before, after, plan, this.timeline.nowMs);
        const others = () => [...this.stored.cells.values()].filter((it) => it.meta.id !== id);
        checkServices(this.instances, { seen, before, after, others }, this.timeline.nowMs);
      },
      folded: (before, after) => this.#folded(before, after),
      trace: (line) => this.note(line),
    });
  }

  #makeMembership(random: SeededRandom): Membership {
    return new Membership({
      random,
      timeline: this.timeline,
      edges: this.stores.edges,
      clusters: this.stores.clusters,
      note: (line) => this.note(line),
      fail: (error) => this.fail(error),
      addEdge: (cell, name, power) => this.addEdge(cell, name, power),
      configure: (name, change) => this.configure(name, change),
      kill: (edge) => this.kill(edge, true),
    });
  }

  #makeChunkBook(random: SeededRandom): ChunkBook {
    return new ChunkBook({
      random: random.stream('fates'),
      truth: this.truth,
      jobOf: (id) => this.jobOf(id)!,
      stateOf: (id) => this.stored.jobs.get(id)?.status?.state,
      instances: this.instances,
    });
  }

  #makeHosts(): Hosts {
    return new Hosts({
      timeline: this.timeline,
      random: this.#hazard,
      after: (delayMs, label, run) => this.timeline.after(delayMs, label, run),
      send: (from, deliver) => this.network.carry(from, 'up', deliver),
      getWork: (from) => this.shadows.getWork(from),
      updateProg: (from, body) => this.shadows.updateProg(from, body),
      forge: (from, report) => this.versions.leaving(from, this.forgery.forge(from, report)),
      clockOf: (on, after) => this.clocks.ofEdge(on, after),
      syncMsMax: () => this.faults.syncMsMax,
      specMsMax: () => this.faults.specMsMax,
      reported: (from, document) => this.#reported(from, document),
      rewrote: (on) => mayLosePower(this, this.#rewrites, on, this.faults.powerLossOnRewrite),
      admit: (from) => this.network.admit(from),
      specOf: (job, hash) => this.#specOf(jobIdOf(job), hash),
      fateOf: (from, order) => this.chunks.fateOf(from, order),
      started: (on, order) => this.chunks.started(on.name, order),
      ended: (order, end) => this.#ended(order, end),
      stopped: (name) => this.instances.gone(name),
      died: (edge) => this.instances.died(edge),
      unwritten: (on, chunks) => this.chunks.unwritten(on, chunks),
      sendFacts: createFactsPost(this),
      results: this.results,
      trace: (line) => this.note(line),
      defect: (error) => this.fail(error),
      bug: this.bug,
    });
  }

  #makeNetwork(): SimulatedNetwork {
    return new SimulatedNetwork({
      timeline: this.timeline,
      faults: () => this.faults,
      random: this.#hazard,
      note: (line) => this.note(line),
      presence: (message) => this.functions.queue(message),
      disconnect: (edge) => {
        if (this.network.isConnected(edge)) this.#contacts.lost(edge, this.timeline.nowMs);
        this.hosts.disconnect(edge);
      },
    });
  }

  get edges(): ReadonlyMap<EdgeName, SimulatedEdge> {
    return this.hosts.edges;
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

  addCell(index: number): Promise<CellId> {
    return this.stores.pools.ensureCell('default', index, this.timeline.nowMs);
  }

  async addEdge(cell: CellId, name: EdgeName, power: number, way = overMqtt): Promise<void> {
    const identity = newIdentity(name, cell, this.timeline.nowMs);
    const config = { ...plainConfig, pull: way.pull };
    const facts = { capacity: { power }, labels: {}, flat: { sendsFiles: true, services: true } };
    const enrolment = { identity, config, facts, allFacts: {} };
    const isNew = (await this.stores.edges.enrol(enrolment)) === 'enrolled';
    must(isNew, () => `${name} is not enrolled`);
    this.network.add(name);
    const https = way.https ? this.https.of(name, cell, way.pull !== null) : null;
    this.hosts.add(name, power, https).boot();
  }

  configure(name: EdgeName, change: Partial<EdgeConfig>): void {
    this.#configure(name, change).catch((error) => this.fail(error));
  }

  /** Nothing is invoked for so long, or for longer if that was so already. */
  goDown(ms: number): void {
    this.#upAtMs = Math.max(this.#upAtMs, this.timeline.nowMs + ms);
    this.isUp = false;
    this.timeline.after(ms, 'control plane back', () => {
      if (this.timeline.nowMs >= this.#upAtMs) this.isUp = true;
    });
  }

  kill(edge: EdgeName, withPower: boolean): void {
    const host = this.edges.get(edge)!;
    if (this.members.isLeaving(edge)) this.hosts.stopCopy(edge);
    if (!host.isAlive) return;
    this.note(`${edge} ${withPower ? 'killed' : 'without power'}`);
    host.die(withPower);
    if (!withPower) this.chunks.forget(edge);
    this.network.vanish(edge);
  }

  boot(edge: EdgeName): void {
    if (!this.members.isLeaving(edge)) this.edges.get(edge)?.boot();
  }

  /** Killed, or worse; it is started again a while later. */
  crash(edge: EdgeName, withPower: boolean): void {
    this.kill(edge, withPower);
    this.timeline.after(this.#hazard.between(500, 40_000), 'boot', () => this.boot(edge));
  }

  /** Runs until `until` says so, time is up, or something is wrong. */
  async run(untilMs: number, until: () => boolean = () => false): Promise<boolean> {
    while (this.violation === null && this.timeline.nowMs < untilMs) {
      if (until()) return true;
      if (!(await this.timeline.step())) return until();
    }
    return this.violation === null && until();
  }

  async #configure(name: EdgeName, change: Partial<EdgeConfig>): Promise<void> {
    const { edges } = this.stores;
    const identity = await edges.identify(name);
    const edge = identity === null ? null : await edges.load(identity.cell, name);
    if (edge === null) return;
    await edges.configure(edge.cell, name, { ...edge.config, ...change }, edge.version);
  }

  #planned(job: StoredJob): void {
    this.#submitted.set(job.id, job);
    this.instances.accepted(job);
  }

  #folded(before: JobStatus, after: JobStatus): void {
    this.book.folded(before, after);
    this.users.sees(after, before);
  }

  #specOf(job: JobId, hash: string): AgentSpec | null {
    const known = this.bug?.withholdsSmallSpecs ? null : jobIn(this.table, job);
    if (known?.spec.restart !== undefined) return this.instances.specOf(job, hash);
    if (known === null || known.specHash !== hash) return null;
    return agentSpec(job, hash, known.spec, known.chunking, known.createdBy);
  }

  #reported(edge: EdgeName, document: ProgressReportJson): void {
    this.chunks.reported(edge, document);
    this.results.reported(edge, document);
    mayLosePower(this, this.#hazard, edge, this.faults.powerLossOnReport);
  }

  #ended(order: ChunkOrder, end: ChunkFate['end']): void {
    this.note(`${order.edge} ended ${order.job}/${order.chunk}`);
    const job = jobIn(this.table, order.job);
    if (job !== null) this.#contacts.ended(edgeNameOf(order.edge), job, this.timeline.nowMs);
    if (end === 'deadly') this.network.vanish(edgeNameOf(order.edge));
    this.chunks.ended(order, end);
  }
}
