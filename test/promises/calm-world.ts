import { type EdgeName, edgeNameOf, type JobId, jobIdOf } from '../../core/model/names.ts';
import type { Execution } from '../../core/model/plan.ts';
import type { ApiRequest } from '../sim/api.ts';
import type { Bug } from '../sim/bugs/bugs.ts';
import { calm } from '../sim/faults.ts';
import { World } from '../sim/world.ts';

/**
 * The simulated system without any trouble of its own: each test makes exactly the trouble that it
 * is about.
 */
export class CalmWorld {
  readonly world: World;
  readonly edges: readonly EdgeName[];
  /** Edges that were taken for lost at any moment. */
  readonly everLost = new Set<EdgeName>();
  readonly #beganMs: number;
  readonly #isLaidOut: Promise<void>;
  #jobs = 0;

  constructor(edges: number, bug?: Omit<Bug, 'name' | 'sentence'>) {
    const planted = bug === undefined ? {} : { bug: { ...bug, name: 'own', sentence: '' } };
    this.world = new World(1, planted);
    this.world.faults = calm;
    this.#beganMs = this.world.timeline.nowMs;
    this.edges = Array.from({ length: edges }, (_, at) => edgeNameOf(`edge-${at}`));
    this.#isLaidOut = this.#layOut();
  }

  async #layOut(): Promise<void> {
    const cell = await this.world.addCell(0);
    for (const edge of this.edges) await this.world.addEdge(cell, edge, 200);
  }

  /**
   * Chunks of 100 power, two at once on an edge; `chunkMs` is the least that one takes on any edge,
   * halved.
   */
  submit(chunks: number, chunkMs: number, lostAfterSeconds = 30): JobId {
    const retries = { attempts: 3, backoffSeconds: 0, maxFailedChunks: null };
    const id = jobIdOf(`job-${++this.#jobs}`);
    this.world.chunks.fates.set(id, { chunkMs, failing: new Map(), deadly: null });
    const body = { name: id, chunks, chunkPower: 100, lostAfterSeconds, retries };
    this.#intent({ operation: 'putJob', id, body });
    return id;
  }

  cancel(id: JobId): void {
    this.#intent({ operation: 'cancelJob', id });
  }

  #intent(request: ApiRequest): void {
    const fail = (error: unknown) => this.world.fail(error);
    this.world.api.request(request).then((answer) => {
      if (answer?.status !== 202) fail(new Error(`${request.operation}: ${answer?.status}`));
    }, fail);
  }

  get seconds(): number {
    return (this.world.timeline.nowMs - this.#beganMs) / 1_000;
  }

  /** Time goes on; what the system may never do stops the test. */
  async run(seconds: number): Promise<void> {
    await this.#pass(seconds, () => false);
  }

  /** Until this holds; that it takes longer than `seconds` is a failure. */
  async until(what: string, holds: () => boolean, seconds = 3_600): Promise<void> {
    if (!(await this.#pass(seconds, holds))) throw new Error(`not within ${seconds} s: ${what}`);
  }

  async #pass(seconds: number, holds: () => boolean): Promise<boolean> {
    await this.#isLaidOut;
    const untilMs = this.world.timeline.nowMs + seconds * 1_000;
    const came = await this.world.run(untilMs, () => {
      this.#noteLosses();
      return holds();
    });
    if (this.world.violation !== null) throw this.world.violation;
    return came;
  }

  #noteLosses(): void {
    for (const cell of this.world.stored.cells.values()) {
      for (const edge of cell.edges.values()) {
        if (edge.work !== null && edge.work.lostAtMs !== null) this.everLost.add(edge.name);
      }
    }
  }

  stateOf(job: JobId): string {
    return this.world.stored.jobs.get(job)?.status?.state ?? 'not stored yet';
  }

  ended(job: JobId, seconds?: number): Promise<void> {
    const isOver = () => ['done', 'failed', 'cancelled'].includes(this.stateOf(job));
    return this.until(`the end of the job, now ${this.stateOf(job)}`, isOver, seconds);
  }

  /** Edges on which chunks of the job are ordered to run. */
  runningOn(job: JobId): EdgeName[] {
    return this.#executions(job).flatMap((row) => (row.running.length > 0 ? [row.edge] : []));
  }

  doneOn(job: JobId): EdgeName[] {
    return this.#executions(job).flatMap((row) => (row.done.length > 0 ? [row.edge] : []));
  }

  #executions(job: JobId): Execution[] {
    return [...(this.world.stored.jobs.get(job)?.executions.values() ?? [])];
  }
}
