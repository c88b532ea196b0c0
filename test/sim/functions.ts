import type { Cell } from '../../core/cell.ts';
import type { Inventory } from '../../core/inventory.ts';
import type { CellId, JobId } from '../../core/names.ts';
import type { Plan } from '../../core/plan.ts';
import type { RollupStore } from '../../core/rollup.ts';
import { type EdgeEvent, parseEdgeEvent } from '../../core/wire/edge-event.ts';
import type { Log } from '../../lambdas/log.ts';
import { storeReports } from '../../lambdas/report/store-reports.ts';
import { rollUpJobs } from '../../lambdas/rollup/roll-up-jobs.ts';
import { scheduleCells } from '../../lambdas/schedule/schedule-cells.ts';
import { tickCells } from '../../lambdas/tick/tick-cells.ts';
import type { Bug } from './bugs.ts';
import type { Faults } from './faults.ts';
import { InjectedFault, type Invocation, invoke } from './invocation.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedShadows } from './shadows.ts';
import type { StoredFleet } from './stored-fleet.ts';
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
  readonly fleet: StoredFleet;
  readonly bug: Bug | null;
  readonly shadows: () => SimulatedShadows;
  /** False while the plane is out: nothing is invoked. */
  readonly isUp: () => boolean;
  readonly defect: (error: unknown) => void;
  readonly committed: (seen: Cell, before: Cell, after: Cell, plan: Plan) => void;
  readonly trace: (line: string) => void;
};

const tickMs = 60_000;
const triesMax = 6;

export class Functions {
  readonly #world: FunctionsWorld;

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
    const { fleet, timeline, shadows, bug } = this.#world;
    return this.#invoke(async ({ call }) => {
      let seen: Cell | null = null;
      const failed = await scheduleCells(
        {
          store: {
            load: (id) =>
              call('load', () => {
                seen = fleet.cells.get(id) ?? null;
                return seen === null ? null : (bug?.load?.(seen) ?? seen);
              }),
            commit: (plan) =>
              call('commit', () => {
                const stored = plan.meta === null ? undefined : fleet.cells.get(plan.meta.id);
                const done = fleet.commit(bug?.commit?.(plan, stored!) ?? plan);
                if (done === null) return bug?.tellsLostRaceAsWon ? 'committed' : 'conflict';
                this.#afterCommit(seen ?? done.before, done.before, done.after, plan);
                seen = done.after;
                return 'committed';
              }),
          },
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
              await call('timer', () => {
                const delayMs = Math.max(0, Math.ceil((atMs - timeline.nowMs) / 1_000) * 1_000);
                timeline.after(delayMs, 'timer', () => this.wake(id));
              });
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
    const { fleet } = this.#world;
    return this.#invoke(async ({ call }) => {
      const inventory: Inventory = {
        cellsOf: (edges) =>
          call('pointers', () => {
            const cells = edges.map((edge) => [edge, fleet.cellOf(edge)] as const);
            return new Map(
              cells.flatMap(([edge, cell]) => (cell === undefined ? [] : [[edge, cell]])),
            );
          }),
        store: (cell, event) =>
          call('inventory', () => {
            const outcome = fleet.store(cell, event);
            if (outcome === 'stored') this.wake(cell);
            return outcome;
          }),
      };
      const outcomes = await storeReports({ inventory, log: this.#log() }, events);
      if (outcomes.includes('failed')) throw new InjectedFault('a report was not stored');
    });
  }

  #rollUp(job: JobId): Promise<boolean> {
    return this.#invoke(async ({ call }) => {
      const failed = await rollUpJobs(
        { store: this.#rollupStore(call), clock: this.#clock(), log: this.#log() },
        [job],
      );
      if (failed.length > 0) throw new InjectedFault('the fold failed');
    });
  }

  #rollupStore(call: Invocation['call']): RollupStore {
    const { fleet } = this.#world;
    const askAll = (
      job: JobId,
      cells: readonly CellId[],
      change: Parameters<StoredFleet['ask']>[2],
    ) => {
      for (const cell of cells) {
        fleet.ask(cell, job, change);
        this.wake(cell);
      }
    };
    return {
      load: (job) =>
        call('load-job', () => {
          const status = fleet.statuses.get(job);
          if (status === undefined) return null;
          const parents = status.dependsOn.flatMap((parent) => {
            const found = fleet.statuses.get(parent);
            return found === undefined ? [] : [[parent, found.state] as const];
          });
          const cells = new Map(fleet.jobCells.get(job) ?? []);
          return { status, cells, parents: new Map(parents) };
        }),
      save: (seen, rollup) =>
        call('save-job', () => {
          if (fleet.statuses.get(seen.job)?.version !== seen.version) return 'conflict' as const;
          fleet.statuses.set(seen.job, rollup.next);
          this.#world.trace(`job ${seen.job} ${rollup.next.state}`);
          return 'saved' as const;
        }),
      release: (job, cells) => call('release', () => askAll(job, cells, { held: false })),
      cancel: (job, cells) => call('cancel', () => askAll(job, cells, { cancelled: true })),
      settle: (job, endedAtMs) => call('settle', () => fleet.settle(job, endedAtMs)),
      dependantsOf: (job) =>
        call('dependants', () =>
          [...fleet.statuses.values()]
            .filter((status) => status.dependsOn.includes(job))
            .map((status) => status.job),
        ),
      countProgress: () => Promise.resolve(),
    };
  }

  #tick(): Promise<boolean> {
    const { fleet } = this.#world;
    return this.#invoke(async ({ call }) => {
      await tickCells({
        fleet: {
          cells: () => call('cells', () => [...fleet.cells.keys()]),
          owedFolds: (atMs) => call('owed', () => fleet.owedFolds(atMs)),
          metas: (cells) => call('metas', () => cells.map((cell) => fleet.cells.get(cell)!.meta)),
          touch: (cell, atMs) =>
            call('touch', () => {
              fleet.tick(cell, atMs);
              this.wake(cell);
            }),
        },
        fold: async (jobs) => {
          for (const job of jobs) this.rollUp(job);
        },
        moves: {
          load: (cell) => call('load', () => fleet.cells.get(cell) ?? null),
          historiesIn: (cell, jobs) => call('histories', () => fleet.historiesIn(cell, jobs)),
          commitMove: (move) =>
            call('move', () => {
              const done = fleet.commitMove(move);
              if (done === null) return 'conflict';
              for (const { before, after, plan } of done) {
                this.#afterCommit(before, before, after, plan);
                this.wake(after.meta.id);
              }
              return 'committed';
            }),
        },
        clock: this.#clock(),
        log: this.#log(),
      });
    });
  }

  #clock() {
    return { nowMs: () => this.#world.timeline.nowMs };
  }

  /** A function tells what failed it; what the simulation did not inject is a defect. */
  #log(): Log {
    const judge = (_: string, fields?: Readonly<Record<string, unknown>>) => {
      const error = fields?.error;
      if (error instanceof Error && !(error instanceof InjectedFault)) this.#world.defect(error);
    };
    return { info: () => {}, warn: judge, error: judge, metric: () => {} };
  }
}
