import type { Cell } from '../../core/model/cell.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import type { CellId, JobId } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { CellMoves, CellStore } from '../../core/ports/cells.ts';
import type { RollupStore } from '../../core/ports/rollups.ts';
import { type EdgeEvent, parseEdgeEvent } from '../../core/protocol/edge-event.ts';
import type { Log } from '../../lambdas/log.ts';
import { storeReports } from '../../lambdas/workers/report/store-reports.ts';
import { rollUpJobs } from '../../lambdas/workers/rollup/roll-up-jobs.ts';
import { scheduleCells } from '../../lambdas/workers/schedule/schedule-cells.ts';
import { tickCells } from '../../lambdas/workers/tick/tick-cells.ts';
import type { Stores } from '../contract/stored-ports.ts';
import type { Stored } from '../memory/stored.ts';
import type { Bug } from './bugs.ts';
import type { Faults } from './faults.ts';
import { InjectedFault, type Invocation, invoke } from './invocation.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedShadows } from './shadows.ts';
import { through } from './through.ts';
import type { Timeline } from './timeline.ts';

/**
 * The functions of the stack, the real ones, and what wakes them: the stream, the report queue,
 * timers and the minute tick. Events come at least once, late, twice, and in any order; an event
 * whose function failed comes again a bounded number of times.
 */
export type FunctionsWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  readonly stored: Stored;
  readonly stores: Stores;
  readonly bug: Bug | null;
  readonly shadows: () => SimulatedShadows;
  /** False while the plane is out: nothing is invoked. */
  readonly isUp: () => boolean;
  readonly defect: (error: unknown) => void;
  /** A pass has read the cell, and decides now. */
  readonly loaded: (cell: Cell) => void;
  readonly committed: (seen: Cell, before: Cell, after: Cell, plan: Plan) => void;
  readonly folded: (before: JobStatus, after: JobStatus) => void;
  readonly trace: (line: string) => void;
};

const tickMs = 60_000;
const triesMax = 6;

export class Functions {
  readonly #world: FunctionsWorld;
  /** When the timer of each cell that is under way comes. */
  readonly #timers = new Map<CellId, number>();

  constructor(world: FunctionsWorld) {
    this.#world = world;
    this.#tickLater();
  }

  /** A row of the cell changed that passes do not write. */
  wake(cell: CellId): void {
    this.#event('stream', () => this.#schedule(cell));
  }

  /** A message that an IoT rule made. */
  queue(message: unknown): void {
    const event = parseEdgeEvent(message);
    if (event === null) this.#world.defect(new Error('a rule made a message of no sense'));
    else this.#event('queue', () => this.#report([event]));
  }

  rollUp(job: JobId): void {
    this.#event('stream', () => this.#rollUp(job));
  }

  #tickLater(): void {
    this.#world.timeline.after(tickMs, 'tick', () => {
      this.#tickLater();
      if (this.#world.isUp() && !this.#world.bug?.noTimers) void this.#tick();
    });
  }

  #event(source: string, run: () => Promise<boolean>): void {
    const { random } = this.#world;
    this.#deliver(source, run, 1);
    if (random.chance(this.#world.faults().duplicateEvent)) this.#deliver(source, run, 1);
  }

  #deliver(source: string, run: () => Promise<boolean>, tries: number): void {
    const { random, timeline } = this.#world;
    const faults = this.#world.faults();
    const isSlow = random.chance(faults.slowEvent);
    const delayMs = isSlow ? random.between(500, 20_000) : random.between(2, 60);
    timeline.after(delayMs * tries, source, async () => {
      // While nothing is invoked an event waits in its queue; only a function that failed uses up a
      // try.
      if (!this.#world.isUp()) this.#deliver(source, run, tries);
      else if (!(await run()) && tries < triesMax) this.#deliver(source, run, tries + 1);
    });
  }

  async #invoke(run: (invocation: Invocation) => Promise<void>): Promise<boolean> {
    const ending = await invoke(this.#world, run);
    return ending === 'done';
  }

  #schedule(cell: CellId): Promise<boolean> {
    const { timeline, shadows, bug } = this.#world;
    return this.#invoke(async ({ call }) => {
      const failed = await scheduleCells(
        {
          store: through(call, 'cells', this.#cells()),
          shadows: {
            write: (edge, work) =>
              call('shadow', () => {
                const code = shadows().writeWork(edge, work);
                if (code !== 200) throw new InjectedFault(`shadow: ${code}`);
              }),
          },
          timers: {
            lookAgain: async (id, atMs) => {
              if (bug?.noTimers) return;
              await call('timer', () => this.#setTimer(id, atMs));
            },
          },
          clock: { nowMs: () => timeline.nowMs },
          log: this.#log(),
        },
        new Map([[cell, ['record']]]),
      );
      if (failed.length > 0) throw new InjectedFault('the pass failed');
    });
  }

  /** As the shipped timers: none while one is under way that comes no later. */
  #setTimer(id: CellId, atMs: number): void {
    const { timeline } = this.#world;
    const { nowMs } = timeline;
    const delayMs = Math.max(0, Math.ceil((atMs - nowMs) / 1_000) * 1_000);
    const sent = this.#timers.get(id);
    if (sent !== undefined && sent > nowMs && sent <= nowMs + delayMs) return;
    this.#timers.set(id, nowMs + delayMs);
    timeline.after(delayMs, 'timer', () => this.wake(id));
  }

  #cells(): CellStore {
    const { stored, stores, bug, loaded } = this.#world;
    const { cells } = stores;
    let seen: Cell | null = null;
    return {
      load: async (id) => {
        seen = await cells.load(id);
        if (seen !== null) loaded(seen);
        return seen === null ? null : (bug?.load?.(seen) ?? seen);
      },
      commit: async (plan) => {
        const before = stored.cells.get(plan.meta!.id)!;
        const outcome = cells.commit(bug?.commit?.(plan, before) ?? plan);
        const after = stored.cells.get(plan.meta!.id)!;
        if ((await outcome) === 'conflict') {
          return bug?.tellsLostRaceAsWon ? 'committed' : 'conflict';
        }
        this.#afterCommit(seen ?? before, before, after, plan);
        seen = after;
        return 'committed';
      },
    };
  }

  #afterCommit(seen: Cell, before: Cell, after: Cell, plan: Plan): void {
    this.#world.trace(`commit ${after.meta.id} v${after.meta.version}`);
    try {
      this.#world.committed(seen, before, after, plan);
    } catch (error) {
      this.#world.defect(error);
    }
    for (const job of plan.jobStatuses.keys()) this.rollUp(job);
  }

  #report(events: readonly EdgeEvent[]): Promise<boolean> {
    return this.#invoke(async ({ call }) => {
      const inventory = through(call, 'inventory', this.#world.stores.inventory);
      const outcomes = await storeReports({ inventory, log: this.#log() }, events);
      if (outcomes.includes('failed')) throw new InjectedFault('a report was not stored');
    });
  }

  #rollUp(job: JobId): Promise<boolean> {
    return this.#invoke(async ({ call }) => {
      const store = through(call, 'rollup', this.#rollups());
      const failed = await rollUpJobs({ store, clock: this.#clock(), log: this.#log() }, [job]);
      if (failed.length > 0) throw new InjectedFault('the fold failed');
    });
  }

  #rollups(): RollupStore {
    const { stores, trace, folded, defect } = this.#world;
    const { rollups } = stores;
    return {
      ...rollups,
      async save(seen, rollup) {
        const outcome = await rollups.save(seen, rollup);
        if (outcome === 'conflict') return outcome;
        trace(`job ${seen.job} ${rollup.next.state}`);
        try {
          folded(seen, rollup.next);
        } catch (error) {
          defect(error);
        }
        return outcome;
      },
    };
  }

  #tick(): Promise<boolean> {
    const { stores } = this.#world;
    return this.#invoke(async ({ call }) => {
      await tickCells({
        fleet: through(call, 'fleet', stores.fleet),
        fold: async (jobs) => {
          for (const job of jobs) this.rollUp(job);
        },
        moves: through(call, 'moves', this.#moves()),
        clock: this.#clock(),
        log: this.#log(),
      });
    });
  }

  #moves(): CellMoves {
    const { stored, stores } = this.#world;
    const cellOf = (plan: Plan) => stored.cells.get(plan.meta!.id)!;
    return {
      ...stores.moves,
      commitMove: async (move) => {
        const plans = [move.from, move.to];
        const before = plans.map(cellOf);
        const outcome = stores.moves.commitMove(move);
        const after = plans.map(cellOf);
        if ((await outcome) === 'conflict') return 'conflict';
        for (const [at, plan] of plans.entries()) {
          this.#afterCommit(before[at]!, before[at]!, after[at]!, plan);
        }
        return 'committed';
      },
    };
  }

  #clock() {
    return { nowMs: () => this.#world.timeline.nowMs };
  }

  /** A function tells what failed it; what the simulation did not inject is a defect. */
  #log(): Log {
    const judge = (_: string, fields?: Readonly<Record<string, unknown>>) => {
      const error = fields?.error;
      if (fields?.sentence !== undefined) this.#world.defect(new Error(String(fields.sentence)));
      if (error instanceof Error && !(error instanceof InjectedFault)) this.#world.defect(error);
    };
    return { info: () => {}, warn: judge, error: judge, metric: () => {} };
  }
}
