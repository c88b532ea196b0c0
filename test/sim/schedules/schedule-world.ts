import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { jobRows } from '../../../adapters/dynamodb/schema.ts';
import { isFinal } from '../../../core/model/job.ts';
import { type JobId, jobIdOf } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import type { Schedule } from '../../../core/schedules/schedule.ts';
import { type RunDueDeps, runDueSchedules } from '../../../lambdas/schedules/run-due.ts';
import { auditOf } from '../../contract/stored-fixture.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { createQuietLog } from '../../lambdas/quiet-log.ts';
import { Violation } from '../checks/truth.ts';
import { calm, type Faults } from '../faults.ts';
import { type Invocation, invoke } from '../invocation.ts';
import { type SeededRandom, seededRandom } from '../seeded-random.ts';
import { SimulatedTable, tableThrough } from '../table/simulated-table.ts';
import { createTimeline, type Timeline } from '../timeline.ts';
import { drawSchedule } from './draw-schedule.ts';
import type { ScheduleBug } from './schedule-bugs.ts';

/**
 * Schedules on a simulated clock: the shipped tick over the shipped stores, with ticks that come
 * twice, late or not at all, outages of hours, and functions that are throttled, lose an answer or
 * are killed between two writes. Their jobs end after a while.
 */
const tickMs = 60_000;
/** As the function of the minute has it. */
const tickTimeoutMs = 50_000;
const stormMs = 6 * 3_600_000;
const rough = { throttleCall: 0.01, loseAnswer: 0.01, killFunction: 0.004, callMsMax: 600 };

/** A job that a schedule made, and the others of it that were open then. */
export type MadeJob = {
  readonly id: JobId;
  readonly atMs: number;
  readonly others: readonly JobWithStatus[];
};

export class ScheduleWorld {
  readonly timeline: Timeline;
  readonly made: MadeJob[] = [];
  readonly schedules: Schedule[] = [];
  /** Whether it went through, with nothing that failed. */
  readonly ticks: { beganAtMs: number; endedAtMs: number; isGood: boolean }[] = [];
  violation: unknown = null;
  readonly #table: SimulatedTable;
  readonly #random: SeededRandom;
  readonly #bug: ScheduleBug | null;
  readonly #startMs: number;
  #faults: Faults = { ...calm, ...rough };
  #outUntilMs = 0;
  readonly stores;

  constructor(seed: number, bug: ScheduleBug | null) {
    this.#random = seededRandom(seed);
    this.#bug = bug;
    // Nights in which clocks are set, in Europe and on Lord Howe, and one in which none is.
    const evenings = ['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z', '2026-04-04T11:00:00Z'];
    this.#startMs = Date.parse(this.#random.pick([...evenings, '2026-06-10T20:00:00Z']));
    this.timeline = createTimeline(
      this.#startMs,
      () => {},
      (error) => this.#fail(error),
    );
    this.#table = new SimulatedTable((record) => {
      if (record.eventName === 'INSERT' && record.sk === jobRows.spec) this.#created(record.pk);
    });
    this.stores = createTableStores(tableThrough(this.#table, async (_, run) => run()));
  }

  /** A storm, and then time for what is to be made up for. */
  async run(): Promise<void> {
    const random = this.#random.stream('schedules');
    for (let number = random.between(2, 5); number > 0; number--) {
      const schedule = drawSchedule(`s${number}`, this.#startMs, random);
      this.schedules.push(schedule);
      await this.stores.schedules.create(schedule, auditOf(schedule.name));
    }
    this.#tickLater();
    await this.#runUntil(this.#startMs + stormMs);
    this.#faults = calm;
    this.#outUntilMs = 0;
    await this.#runUntil(this.#startMs + stormMs + 3 * 3_600_000);
  }

  async #runUntil(untilMs: number): Promise<void> {
    while (this.violation === null && this.timeline.nowMs < untilMs) await this.timeline.step();
  }

  #tickLater(): void {
    this.timeline.after(tickMs, 'tick', () => {
      this.#tickLater();
      const random = this.#random;
      const isStorm = this.#faults !== calm;
      const { nowMs } = this.timeline;
      if (isStorm && random.chance(0.004)) {
        this.#outUntilMs = nowMs + random.between(2, 200) * tickMs;
      }
      if (nowMs < this.#outUntilMs || (isStorm && random.chance(0.05))) return;
      const repeats = isStorm && random.chance(0.2) ? random.between(2, 3) : 1;
      for (let at = 0; at < repeats; at++) {
        const delayMs = isStorm ? random.between(0, at === 0 ? 5_000 : 90_000) : 0;
        this.timeline.after(delayMs, 'tick begins', () => this.#tick());
      }
    });
  }

  async #tick(): Promise<void> {
    const beganAtMs = this.timeline.nowMs;
    const tick = { beganAtMs, endedAtMs: Number.POSITIVE_INFINITY, isGood: false };
    this.ticks.push(tick);
    const log = createQuietLog();
    const world = { timeline: this.timeline, random: this.#random, faults: () => this.#faults };
    const ending = await invoke(world, async ({ call }) => {
      const inTime: Invocation['call'] = (name, effect) =>
        call(name, () => {
          if (this.timeline.nowMs - beganAtMs <= tickTimeoutMs) return effect();
          return new Promise(() => {});
        });
      await runDueSchedules(beganAtMs, { ...this.#deps(inTime), log });
    });
    tick.endedAtMs = this.timeline.nowMs;
    const isInTime = tick.endedAtMs - beganAtMs <= tickTimeoutMs;
    tick.isGood = ending === 'done' && log.lines.length === 0 && isInTime;
  }

  #deps(call: Invocation['call']): Omit<RunDueDeps, 'log'> {
    const stores = createTableStores(tableThrough(this.#table, call));
    const cells = createPoolCells(stores.pools, { withEdges: 0, withoutEdges: 0 });
    const { jobs, changes, edges, schedules } = stores;
    const deps = { jobs, changes, edges, cells, schedules };
    return this.#bug?.plant(deps) ?? deps;
  }

  /** The partition says which job it is; whatever else it is made of is written together. */
  #created(partition: string): void {
    const id = jobIdOf(partition.slice(partition.indexOf('#') + 1));
    const atMs = this.timeline.nowMs;
    const schedule = this.schedules.find(({ name }) => id.startsWith(`${name}-`));
    const others = this.made.filter((one) => one.id !== id && isOf(one.id, schedule));
    this.timeline.after(0, 'job made', async () => {
      const found = await this.stores.jobs.findMany(others.map((one) => one.id));
      const open = found.filter(({ status }) => !isFinal(status.state));
      this.made.push({ id, atMs, others: open });
    });
    const lastsMs = this.#random.between(1, 40) * 20_000;
    this.timeline.after(lastsMs, 'job ends', () => this.#end(id));
  }

  async #end(id: JobId): Promise<void> {
    const view = await this.stores.rollups.load(id);
    if (view === null) throw new Violation(`${id} is gone`);
    const { status } = view;
    const state = status.cancelled ? ('cancelled' as const) : ('done' as const);
    const endedAtMs = this.timeline.nowMs;
    const next = { ...status, state, endedAtMs, version: status.version + 1 };
    const progress = { chunks: 0, jobs: 1 };
    const nothing = {
      release: [],
      cancel: [],

      events: [],
      settleDependants: false,
      progress,
    };
    await this.stores.rollups.save(status, { next, changed: true, ...nothing });
  }

  #fail(error: unknown): void {
    this.violation ??= error;
  }
}

export function isOf(id: string, schedule: Pick<Schedule, 'name'> | undefined): boolean {
  return schedule !== undefined && id.startsWith(`${schedule.name}-`);
}
