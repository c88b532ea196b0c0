import { createHash } from 'node:crypto';
import { type Ask, type Cell, type CellJob, newShare, reopenedShare } from '../../core/cell.ts';
import { type Cut, cutJob, isFinal, type JobSpec } from '../../core/job.ts';
import { newJobStatus } from '../../core/job-status.ts';
import {
  type CellId,
  type EdgeName,
  edgeNameOf,
  type JobId,
  jobIdOf,
  makeJobId,
} from '../../core/names.ts';
import type { JobCellStatus, Plan } from '../../core/plan.ts';
import { emptyRanges, rangeOf, take } from '../../core/ranges.ts';
import { type AgentSpec, agentSpec } from '../../core/wire/agent-spec.ts';
import type { ChunkOrder } from '../../edge-agent/executor.ts';
import { plainConfig } from '../core/cell-fixture.ts';
import type { Bug } from './bugs.ts';
import { drawFaults, type Faults } from './faults.ts';
import { Functions } from './functions.ts';
import { checkCommit } from './safety.ts';
import { hashText, type SeededRandom, seededRandom } from './seeded-random.ts';
import { SimulatedShadows } from './shadows.ts';
import { type ChunkFate, SimulatedEdge } from './simulated-edge.ts';
import { StoredFleet } from './stored-fleet.ts';
import { createTimeline, type Timeline } from './timeline.ts';
import { createTruth, must, Violation } from './truth.ts';

export type SimulatedJob = {
  readonly id: JobId;
  readonly spec: JobSpec;
  readonly cut: Cut;
  readonly cells: readonly CellId[];
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
  readonly fleet = new StoredFleet();
  readonly truth = createTruth();
  readonly edges = new Map<EdgeName, SimulatedEdge>();
  readonly jobs = new Map<JobId, SimulatedJob>();
  readonly functions: Functions;
  readonly shadows: SimulatedShadows;
  readonly bug: Bug | null;
  readonly random: SeededRandom;
  readonly plannedFaults: Faults;
  faults: Faults;
  isUp = true;
  readonly retryEpochs = new Map<JobId, number>();
  violation: Error | null = null;
  /** Edges that report, and never hear of their work again. */
  readonly deaf = new Set<EdgeName>();
  readonly #network: SeededRandom;
  readonly #fates: SeededRandom;
  readonly #links = new Map<EdgeName, { isUp: boolean; connection: number; isKnown: boolean }>();
  /** What each edge has done and written down, by its own disk's promise. */
  readonly #kept = new Map<EdgeName, Set<string>>();
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
    const shared = { timeline: this.timeline, faults: () => this.faults };
    this.shadows = new SimulatedShadows({
      ...shared,
      random: random.stream('shadows'),
      tell: (edge, message) => {
        if (this.deaf.has(edge) && message.topic.includes('/name/work/')) return;
        this.#carry(edge, 'down', () => this.edges.get(edge)?.hear(message));
      },
      rule: (message) => this.functions.queue(message),
    });
    this.functions = new Functions({
      ...shared,
      random: random.stream('functions'),
      fleet: this.fleet,
      bug: this.bug,
      shadows: () => this.shadows,
      isUp: () => this.isUp,
      defect: (error) => this.fail(error),
      committed: (seen, before, after, plan) => this.#committed(seen, before, after, plan),
      trace: (line) => this.note(line),
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

  addEdge(cell: CellId, name: EdgeName, power: number): void {
    this.fleet.addEdge(cell, {
      name,
      config: plainConfig,
      facts: { capacity: { power }, labels: {}, flat: {} },
      report: null,
      work: null,
    });
    this.#links.set(name, { isUp: true, connection: 0, isKnown: false });
    const edge = new SimulatedEdge(name, power, {
      timeline: this.timeline,
      random: this.#network,
      after: (delayMs, label, run) => this.timeline.after(delayMs, label, run),
      send: (from, deliver) => this.#carry(from, 'up', deliver),
      getWork: (from) => this.shadows.getWork(from),
      updateProg: (from, body) => this.shadows.updateProg(from, body),
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
    this.functions.wake(cell);
    edge.boot();
  }

  submit(job: Omit<SimulatedJob, 'id' | 'cut'>): JobId {
    const nowMs = this.timeline.nowMs;
    const id = makeJobId(nowMs, this.random.bytes(9));
    const { power, chunkPower, chunks } = job.spec;
    const cut = cutJob({ power, chunkPower, chunks }, { chunks: 4, largestEdgePower: null });
    this.jobs.set(id, { ...job, id, cut });
    const { name, pool, queue, labels, dependsOn } = job.spec;
    this.fleet.statuses.set(
      id,
      newJobStatus({
        job: id,
        name,
        pool,
        queue,
        labels,
        cut,
        cells: job.cells,
        dependsOn,
        createdAtMs: nowMs,
        maxFailedChunks: job.spec.retries.maxFailedChunks,
      }),
    );
    let rest = rangeOf(0, cut.chunks);
    for (const [at, cell] of job.cells.entries()) {
      const portion = Math.ceil(cut.chunks / job.cells.length);
      const part =
        at === job.cells.length - 1 ? { taken: rest, rest: emptyRanges } : take(rest, portion);
      rest = part.rest;
      this.fleet.addJob(cell, {
        id,
        ask: { ...askOf({ ...job, id, cut }, nowMs), held: dependsOn.length > 0 },
        share: newShare(part.taken),
      });
      this.functions.wake(cell);
    }
    this.functions.rollUp(id);
    return id;
  }

  /** As the API does it: the status knows at once, the cells are asked. */
  cancel(id: JobId): void {
    const status = this.fleet.statuses.get(id);
    if (status === undefined || isFinal(status.state)) return;
    this.fleet.statuses.set(id, { ...status, cancelled: true, version: status.version + 1 });
    for (const cell of this.jobs.get(id)!.cells) {
      this.fleet.ask(cell, id, { cancelled: true });
      this.functions.wake(cell);
    }
    this.functions.rollUp(id);
  }

  /**
   * As the API does it: the dead chunks of an ended share come back in a share made anew, with its
   * past.
   */
  retry(id: JobId): void {
    const status = this.fleet.statuses.get(id);
    if (status === undefined || status.cancelled || status.counts.dead === 0) return;
    this.retryEpochs.set(id, (this.retryEpochs.get(id) ?? 0) + 1);
    const retryEpoch = this.retryEpochs.get(id)!;
    for (const [cell, row] of this.fleet.jobCells.get(id) ?? []) {
      if (row.dead.length === 0) continue;
      if (this.fleet.cells.get(cell)!.jobs.has(id)) this.fleet.ask(cell, id, { retryEpoch });
      else this.fleet.addJob(cell, this.#again(id, row, retryEpoch));
      this.functions.wake(cell);
    }
    const { dead, pending } = status.counts;
    this.fleet.statuses.set(id, {
      ...status,
      state: 'pending',
      counts: { ...status.counts, dead: 0, pending: pending + dead },
      endedAtMs: null,
      reason: null,
      version: status.version + 1,
    });
    this.functions.rollUp(id);
  }

  #again(id: JobId, row: JobCellStatus, retryEpoch: number): CellJob {
    const job = this.jobs.get(id)!;
    const past = [...this.fleet.executions.values()].filter((execution) => execution.job === id);
    return {
      id,
      ask: { ...askOf(job, this.timeline.nowMs), retryEpoch },
      share: reopenedShare(row, past, retryEpoch),
    };
  }

  configure(edge: EdgeName, change: Parameters<StoredFleet['configure']>[2]): void {
    const cell = this.fleet.cellOf(edge);
    if (cell === undefined) return;
    this.fleet.configure(cell, edge, change);
    this.functions.wake(cell);
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
    // A loss of power may take the last lines of the journal.
    if (!withPower) this.#kept.delete(edge);
    this.#vanish(edge);
  }

  /** Runs until `until` says so, time is up, or something is wrong. */
  async run(untilMs: number, until: () => boolean = () => false): Promise<boolean> {
    while (this.violation === null && this.timeline.nowMs < untilMs) {
      if (until()) return true;
      if (!(await this.timeline.step())) return until();
    }
    return this.violation === null && until();
  }

  openJobs(): JobId[] {
    const states = [...this.fleet.statuses.values()];
    return states.filter((status) => !isFinal(status.state)).map((status) => status.job);
  }

  #committed(seen: Cell, before: Cell, after: Cell, plan: Plan): void {
    checkCommit(this.truth, seen, before, after, plan);
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
    this.edges.get(edge)!.cut();
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
    const known = this.jobs.get(job);
    return known === undefined ? null : agentSpec(job, hash, known.spec, known.cut, 'token:sim');
  }

  #fateOf(edge: EdgeName, order: ChunkOrder): ChunkFate {
    const job = this.jobs.get(jobIdOf(order.job))!;
    // Edges differ in speed, so that leases are stolen from the slow ones.
    const slowness = 1 + (Math.abs(hashText(edge)) % 5);
    const afterMs = Math.max(1, Math.round(job.chunkMs * slowness * (0.5 + this.#fates.next())));
    if (order.chunk === job.deadly) return { afterMs, end: 'deadly' };
    const failures = job.failing.get(order.chunk) ?? 0;
    if (this.truth.failuresOf(job.id, order.chunk) < failures) {
      return { afterMs, end: { kind: 'failed', failure: 1 + (order.chunk % 200) } };
    }
    return { afterMs, end: { kind: 'done' } };
  }

  /** A result that an edge has written down is never made again there. */
  #started(on: SimulatedEdge, order: ChunkOrder): void {
    const kept = this.#kept.get(on.name);
    must(
      kept === undefined || !kept.has(`${order.job}/${order.chunk}`),
      () => `${on.name} runs chunk ${order.chunk} of ${order.job} again`,
    );
  }

  #ended(order: ChunkOrder, end: ChunkFate['end']): void {
    this.note(`${order.edge} ended ${order.job}/${order.chunk}`);
    if (end === 'deadly') {
      this.truth.tookItsEdgeDown(order.job, order.chunk);
      this.#vanish(edgeNameOf(order.edge));
      this.#kept.delete(edgeNameOf(order.edge));
    } else if (end.kind === 'done') {
      this.truth.completed(order.job, order.chunk);
      const kept = this.#kept.get(edgeNameOf(order.edge)) ?? new Set();
      this.#kept.set(edgeNameOf(order.edge), kept.add(`${order.job}/${order.chunk}`));
    }
    if (end !== 'deadly' && end.kind === 'failed') this.truth.failed(order.job, order.chunk);
  }
}

function askOf(job: SimulatedJob, nowMs: number): Ask {
  return {
    spec: job.spec,
    specHash: `h-${job.id.slice(-4)}`,
    cut: job.cut,
    submittedAtMs: nowMs,
    cancelled: false,
    retryEpoch: 0,
    held: false,
  };
}
