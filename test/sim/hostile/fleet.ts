import type { Cell, CellEdge } from '../../../core/model/cell.ts';
import { type EdgeName, edgeNameOf, type JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { newPool } from '../../../core/ports/pools.ts';
import type { EdgeEvent } from '../../../core/protocol/edge-event.ts';
import { encodeWork, parseWork, type Work } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import type { Log } from '../../../lambdas/log.ts';
import { storeReports } from '../../../lambdas/workers/report/store-reports.ts';
import { runPass } from '../../../lambdas/workers/schedule/run-pass.ts';
import { makeIdentity, north } from '../../contract/stored-fixture.ts';
import { makeCell, makeEdge, makeJob, startMs } from '../../core/cell-fixture.ts';
import {
  applyWork,
  finishChunks,
  type ModelAgent,
  newAgent,
  report,
  startChunks,
} from '../../core/model-agent.ts';
import { seedMemory } from '../../memory/seed.ts';
import { nothingStored } from '../../memory/stored.ts';
import { createMemoryStores } from '../../memory/stores.ts';
import { seededRandom } from '../seeded-random.ts';
import type { HostileBug } from './hostile-bugs.ts';
import { type HostileEdge, makeHostileEdge } from './hostile-edge.ts';
import { FleetJudge } from './judge.ts';
import { chunkPower, hostileName, poolMax } from './setting.ts';

/**
 * Nine honest edges and a hostile one in a pool, for simulated hours: the shipped functions on
 * stores in memory, wake-ups that come once and at once. What the network and the table do to them
 * is the subject of the other simulation; this one is about what an edge may do to the others.
 */
const stepMs = 5_000;
const jobEveryMs = 600_000;
const reportEveryMs = 300_000;

type Honest = {
  readonly name: EdgeName;
  readonly agent: ModelAgent;
  boot: number;
  reportedAtMs: number;
  version: number;
  /** Until when it is away, having said goodbye. */
  backAtMs: number;
};

export type Cost = { events: number; commits: number; rows: number; documents: number };

export type FleetResult = {
  readonly violation: Error | null;
  readonly cost: Cost;
  readonly jobs: number;
  /** Documents that were written to honest edges. */
  readonly toOthers: number;
};

export type FleetOptions = {
  readonly hours: number;
  readonly bug?: HostileBug;
  readonly isPeaceful?: boolean;
};

export async function runFleet(seed: number, options: FleetOptions): Promise<FleetResult> {
  const fleet = await Fleet.make(seed, options);
  const untilMs = startMs + options.hours * 3_600_000;
  while (fleet.judge.violation === null && fleet.nowMs < untilMs) await fleet.step();
  fleet.isOver = true;
  const patienceMs = untilMs + 4 * 3_600_000;
  while (fleet.judge.violation === null && fleet.nowMs < patienceMs && fleet.openJobs() > 0) {
    await fleet.step();
  }
  if (fleet.judge.violation === null) fleet.judge.checkEnd(fleet.cell(), fleet.submitted);
  const { judge, cost, submitted, toOthers } = fleet;
  return { violation: judge.violation, cost, jobs: submitted.length, toOthers };
}

class Fleet {
  nowMs = startMs;
  /** No more jobs, and the hostile edge says nothing any more. */
  isOver = false;
  toOthers = 0;
  readonly submitted: JobId[] = [];
  readonly cost: Cost = { events: 0, commits: 0, rows: 0, documents: 0 };
  readonly judge = new FleetJudge();
  readonly #stored = nothingStored();
  readonly #stores = createMemoryStores(this.#stored);
  readonly #random;
  readonly #honest: Honest[] = [];
  readonly #hostile: HostileEdge;
  readonly #options: FleetOptions;
  #lookAtMs: number | null = null;
  #tickAtMs = startMs;

  private constructor(seed: number, options: FleetOptions) {
    this.#options = options;
    const random = seededRandom(seed);
    this.#random = random.stream('fleet');
    this.#hostile = makeHostileEdge(hostileName, random.stream('hostile'));
  }

  static async make(seed: number, options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(seed, options);
    const names = Array.from({ length: 9 }, (_, at) => `edge-${at}`);
    const edges = [...names.map((name) => makeEdge(name, { power: 250 })), unseen()];
    seedMemory(fleet.#stored, makeCell({ edges }));
    for (const { name } of edges) fleet.#stored.identities.set(name, makeIdentity(name));
    const pool = { ...newPool('default', startMs), edgeCapacityMax: { power: poolMax } };
    await fleet.#stores.pools.put(pool, null);
    for (const name of names.map(edgeNameOf)) {
      const agent = newAgent();
      fleet.#honest.push({ name, agent, boot: 1, reportedAtMs: 0, version: 1, backAtMs: 0 });
    }
    return fleet;
  }

  cell(): Cell {
    return this.#stored.cells.get(north)!;
  }

  openJobs(): number {
    return this.cell().jobs.size;
  }

  async step(): Promise<void> {
    this.nowMs += stepMs;
    const elapsedMs = this.nowMs - startMs;
    if (!this.isOver && elapsedMs % jobEveryMs < stepMs) this.#submit();
    const events = this.#honest.flatMap((edge) => this.#work(edge));
    if (!this.isOver && !this.#options.isPeaceful) {
      const acts = this.#hostile.act(this.nowMs, this.#documentOf(hostileName), this.submitted);
      this.judge.acted(acts, this.nowMs);
      events.push(...acts);
    }
    let isWoken = await this.#tell(events);
    if (this.nowMs - this.#tickAtMs >= 60_000) {
      this.#tickAtMs = this.nowMs;
      await this.#stores.fleet.touch(north, this.nowMs);
      isWoken = true;
    }
    if (this.#lookAtMs !== null && this.#lookAtMs <= this.nowMs) isWoken = true;
    if (isWoken) await this.#pass();
    this.judge.checkStep(this.cell(), this.nowMs, this.#hostile);
  }

  #submit(): void {
    const cell = this.cell();
    const id = `job-${this.submitted.length}`;
    const intent = { submittedAtMs: this.nowMs };
    const spec = { chunks: 30, chunkPower, lostAfterSeconds: 60, intent };
    const job = makeJob(id, {
      ...spec,
      retries: { attempts: 20, backoffSeconds: 5, maxFailedChunks: null },
    });
    this.submitted.push(job.id);
    this.#stored.cells.set(north, { ...cell, jobs: new Map(cell.jobs).set(job.id, job) });
    this.#lookAtMs = this.nowMs;
  }

  #work(edge: Honest): EdgeEvent[] {
    const { agent, name } = edge;
    if (this.nowMs < edge.backAtMs) return [];
    const before = agent.work.epoch;
    const work = this.#documentOf(name);
    if (work !== null) applyWork(agent, work);
    const most = this.#random.between(0, 3);
    const ended = finishChunks(agent, most, (job, chunk) => {
      this.judge.finished(name, job, chunk);
      return null;
    });
    const isLeaving = this.#random.chance(0.001);
    if (isLeaving) for (const { running } of agent.jobs.values()) running.clear();
    else startChunks(agent);
    const isDue = this.nowMs - edge.reportedAtMs >= reportEveryMs;
    if (ended === 0 && agent.work.epoch === before && !isDue && !isLeaving) return [];
    edge.reportedAtMs = this.nowMs;
    edge.version += 1;
    const said = { ...report(agent), boot: `start-${edge.boot}` };
    const progress = isLeaving ? { ...said, goodbye: true as const } : said;
    if (isLeaving) {
      this.judge.left(name, this.nowMs);
      edge.boot += 1;
      edge.backAtMs = this.nowMs + this.#random.between(1, 20) * 60_000;
    } else this.judge.isBack(name);
    return [{ kind: 'prog', edge: name, atMs: this.nowMs, version: edge.version, progress }];
  }

  #documentOf(name: EdgeName): Work | null {
    const { work } = this.cell().edges.get(name)!;
    if (work === null) return null;
    const document = encodeWork(workOf(work, this.cell().jobs), work.removed);
    return parseWork(JSON.parse(JSON.stringify(document)));
  }

  async #tell(events: readonly EdgeEvent[]): Promise<boolean> {
    this.cost.events += events.length;
    const deps = { inventory: this.#stores.inventory, log: this.#log() };
    // One at a time, as a queue may bring them: the newest of a batch would hide the others.
    let isStored = false;
    for (const event of events) {
      const [outcome] = await storeReports(deps, [event]);
      if (outcome === 'stored') isStored = true;
    }
    return isStored;
  }

  async #pass(): Promise<void> {
    const { bug } = this.#options;
    const { cells } = this.#stores;
    this.#lookAtMs = null;
    await runPass(
      {
        store: {
          load: async (id) => {
            const cell = await cells.load(id);
            return cell === null || bug === undefined ? cell : bug.load(cell);
          },
          adopt: cells.adopt,
          passedAtMs: cells.passedAtMs,
          commitWithReports: cells.commitWithReports,
          commit: async (plan) => {
            const outcome = await cells.commit(plan);
            this.#committed(plan);
            return outcome;
          },
        },
        shadows: {
          write: async (edge) => {
            this.cost.documents += 1;
            if (edge !== hostileName) this.toOthers += 1;
          },
        },
        timers: {
          lookAgain: async (_, atMs) => {
            this.#lookAtMs = Math.min(atMs, this.#lookAtMs ?? atMs);
          },
        },
        rates: this.#stores.rollups,
        clock: { nowMs: () => this.nowMs },
        log: this.#log(),
      },
      north,
    );
  }

  #committed(plan: Plan): void {
    this.cost.commits += 1;
    this.cost.rows += plan.works.size + plan.slices.size + plan.jobStatuses.size + 1;
    this.judge.committed(plan);
  }

  #log(): Log {
    const judge = (sentence: string, fields?: Readonly<Record<string, unknown>>) => {
      if (fields?.error !== undefined || fields?.sentence !== undefined) {
        this.judge.fail(`${sentence}: ${fields.error ?? fields.sentence}`);
      }
    };
    return { info: () => {}, warn: judge, error: judge, metric: () => {} };
  }
}

function unseen(): CellEdge {
  return makeEdge(hostileName, { power: 1_000_000_000, report: null });
}
