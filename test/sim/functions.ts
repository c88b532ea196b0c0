import { jobOfPartition } from '../../adapters/dynamodb/keys.ts';
import type { Cell } from '../../core/model/cell.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import type { CellId, JobId } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { CellMoves, CellStore } from '../../core/ports/cells.ts';
import type { RollupStore } from '../../core/ports/rollups.ts';
import { type EdgeEvent, parseEdgeEvent } from '../../core/protocol/edge-event.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../core/scheduler/invariants.ts';
import { withReports } from '../../core/scheduler/short-pass.ts';
import type { Log } from '../../lambdas/log.ts';
import { createKnownEdges } from '../../lambdas/workers/report/apply-at-once.ts';
import { storeReports } from '../../lambdas/workers/report/store-reports.ts';
import { rollUpJobs } from '../../lambdas/workers/rollup/roll-up-jobs.ts';
import type { BusyCells } from '../../lambdas/workers/schedule/busy-cells.ts';
import type { PassDeps } from '../../lambdas/workers/schedule/run-pass.ts';
import {
  scheduleCells,
  type Wakeups,
  wakeupsOfStream,
} from '../../lambdas/workers/schedule/schedule-cells.ts';
import { tickCells } from '../../lambdas/workers/tick/tick-cells.ts';
import type { Stores } from '../contract/stored-ports.ts';
import { createTableStores } from '../contract/table-stores.ts';
import type { Bug } from './bugs/bugs.ts';
import { createEpochBook } from './checks/epoch-book.ts';
import { attempt, Violation } from './checks/truth.ts';
import type { Clocks } from './clocks.ts';
import type { SimulatedShadows } from './edge/shadows.ts';
import type { Faults } from './faults.ts';
import { InjectedFault, type Invocation, invoke } from './invocation.ts';
import type { SeededRandom } from './seeded-random.ts';
import {
  type Bring,
  drawShortPasses,
  makeShortPasses,
  type Run,
  type ShortPasses,
} from './short-passes.ts';
import type { ChangeStream, StreamRecord } from './table/change-stream.ts';
import { drawPageRows, inPages } from './table/paged-table.ts';
import { storesThrough } from './table/simulated-stores.ts';
import { type SimulatedTable, tableThrough } from './table/simulated-table.ts';
import type { StoredView } from './table/stored-view.ts';
import { countsJob, recordOf, wakesCell } from './table/stream-filters.ts';
import { through } from './through.ts';
import type { Timeline } from './timeline.ts';
import { hasUnknownRows } from './versions.ts';

/**
 * The functions of the stack, the real ones, and what wakes them: the stream, the report queue,
 * timers and the minute tick. Events come at least once, late, twice, and in any order; an event
 * whose function failed comes again a bounded number of times.
 */
export type FunctionsWorld = {
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly faults: () => Faults;
  readonly table: SimulatedTable;
  readonly stored: StoredView;
  /** On the table as it is, at once. */
  readonly stores: Stores;
  readonly stream: ChangeStream;
  readonly bug: Bug | null;
  readonly clocks: Clocks;
  readonly shadows: () => SimulatedShadows;
  /** False while the control plane is out: nothing is invoked. */
  readonly isUp: () => boolean;
  readonly defect: (error: unknown) => void;
  /** A pass has read the cell, and decides now. */
  readonly loaded: (cell: Cell) => void;
  readonly committed: (seen: Cell, before: Cell, after: Cell, plan: Plan, by: Author) => void;
  readonly folded: (before: JobStatus, after: JobStatus) => void;
  readonly trace: (line: string) => void;
};

/** A pass decides about all of its cell; an edge that takes or gives back about that alone. */
export type Author = 'pass' | 'edge';

const same: Bring = (cell) => cell;

type Due = ReadonlyMap<CellId, number>;
const tickMs = 60_000;
const triesMax = 6;

export class Functions {
  readonly #world: FunctionsWorld;
  /** When the timer of each cell that is under way comes. */
  readonly #timers = new Map<CellId, number>();
  readonly #shortReports: ReturnType<typeof drawShortPasses>;
  readonly #knownEdges = createKnownEdges();
  readonly #epochs = createEpochBook();
  readonly #pageRows: number | null;

  constructor(world: FunctionsWorld) {
    this.#world = world;
    this.#shortReports = drawShortPasses(world.random.stream('reports'), () => this);
    this.#pageRows = drawPageRows(world.random.stream('several'));
    this.#tickLater();
    const { stream } = world;
    stream.addReader({
      name: 'schedule',
      wants: wakesCell,
      read: (records) => this.#schedule(wakeupsOfStream(records.map(recordOf))),
    });
    stream.addReader({
      name: 'rollup',
      wants: countsJob,
      read: (records) => this.#rollUp(records),
    });
  }

  /** A message that an IoT rule made. */
  queue(message: unknown): void {
    const event = parseEdgeEvent(message);
    if (event === null) this.#world.defect(new Error('a rule made a message of no sense'));
    else this.#event('queue', () => this.#report([event]));
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

  /** The stores of one invocation: each of their operations on the table is a call to the world. */
  #stores(call: Invocation['call']): Stores {
    return storesThrough(this.#world.table, call);
  }

  async #schedule(wakeups: Wakeups, due?: Due): Promise<readonly string[] | null> {
    let failed: readonly string[] = [];
    const isDone = await this.#invoke(async ({ call }) => {
      failed = await scheduleCells(this.passes(call), wakeups, due);
    });
    return isDone ? failed : null;
  }

  passes(call: Invocation['call'], by: Author = 'pass'): PassDeps {
    const cells = this.#cells(call, by);
    const { shadows, bug, defect } = this.#world;
    return {
      store: through(call, 'cells', cells),
      shadows: {
        write: (edge, work) =>
          call('shadow', () => {
            attempt(() => this.#epochs.written(edge, work.e), defect);
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
      clock: this.#world.clocks.ofFunction(),
      log: this.#log(),
      rates: this.#stores(call).rollups,
    };
  }

  /** For a function that brings something to a cell; what it commits with a plan is judged, too. */
  shortPasses(call: Invocation['call'], busy: BusyCells): ShortPasses {
    return makeShortPasses({
      bug: this.#world.bug?.short ?? {},
      deps: { ...this.passes(call), busy },
      stored: this.#world.stored,
      commit: (...args) => this.#commit(...args),
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
    timeline.after(delayMs, 'timer', () => {
      this.#event('timer', async () => {
        const due = new Map([[id, Math.max(atMs, nowMs + delayMs)]]);
        return (await this.#schedule(new Map([[id, ['timer']]]), due))?.length === 0;
      });
    });
  }

  /** For edges that take work by themselves, and give it back. */
  takingPasses(call: Invocation['call']): PassDeps {
    return this.passes(call, 'edge');
  }

  /** As a pass reads it: at once, or page by page. */
  #loader(call: Invocation['call']): CellStore['load'] {
    const { bug, stores, table } = this.#world;
    if (this.#pageRows === null) return stores.cells.load;
    const paged = inPages(tableThrough(table, call), this.#pageRows);
    return createTableStores(bug?.pages?.(paged) ?? paged, table.shelf).cells.load;
  }

  #cells(call: Invocation['call'], by: Author): CellStore {
    const { stored, stores, bug, loaded } = this.#world;
    const { cells } = stores;
    const load = this.#loader(call);
    // One run passes over several cells side by side.
    const seen = new Map<CellId, Cell>();
    const seenBy = ({ meta }: Plan) => seen.get(meta!.id) ?? null;
    return {
      ...cells,
      load: async (id, also) => {
        if (bug?.refusesUnknownRows && hasUnknownRows(this.#world.table, id)) return null;
        const cell = await load(id, also);
        if (cell === null) return null;
        seen.set(id, cell);
        loaded(cell);
        return bug?.load?.(cell) ?? cell;
      },
      commit: async (decided) => {
        const known = seenBy(decided);
        const plan = this.#judged(decided, known);
        const run = (it: Plan, before: Cell) => cells.commit(bug?.commit?.(it, before) ?? it);
        const outcome = await this.#commit(plan, known, same, run, by);
        // It goes on with what it has, and hears of nothing that was stored meanwhile.
        if (outcome === 'committed' && known) seen.set(plan.meta!.id, applyPlan(known, plan));
        return bug?.tellsLostRaceAsWon ? 'committed' : outcome;
      },
      commitWithReports: (decided, events) => {
        const plan = bug?.short?.commit?.(decided, stored.cells.get(decided.meta!.id)!) ?? decided;
        const bring = (cell: Cell) => withReports(cell, events);
        return this.#commit(plan, seenBy(plan), bring, (it) => cells.commitWithReports(it, events));
      },
    };
  }

  /** Carries a plan out, with what is brought to the cell in one transaction, and judges it. */
  async #commit<O>(
    plan: Plan,
    seen: Cell | null,
    bring: Bring,
    run: Run<O>,
    by: Author = 'pass',
  ): Promise<O> {
    const { stored } = this.#world;
    const stand = stored.cells.get(plan.meta!.id)!;
    const statusOf = (job: JobId) => stored.jobs.get(job)?.status ?? null;
    const statuses = [...plan.folds.keys()].map((job) => statusOf(job));
    const committing = run(plan, stand);
    const after = stored.cells.get(plan.meta!.id)!;
    const folded = statuses.map((it) => [it, it === null ? null : statusOf(it.job)] as const);
    const outcome = await committing;
    if (outcome !== 'committed' && outcome !== 'created') return outcome;
    const before = bring(stand);
    this.#afterCommit(seen === null ? before : bring(seen), before, after, plan, by);
    this.#folded(folded);
    return outcome;
  }

  /** With a bug in what is decided, as the shell of a pass would judge it. */
  #judged(decided: Plan, seen: Cell | null): Plan {
    const plan = this.#world.bug?.decides?.(decided) ?? decided;
    const [refused] = plan === decided || seen === null ? [] : violationsOf(seen, plan);
    if (refused !== undefined) this.#world.defect(new Violation(`refused: ${refused.sentence}`));
    return plan;
  }

  #afterCommit(seen: Cell, before: Cell, after: Cell, plan: Plan, by: Author = 'pass'): void {
    this.#world.trace(`commit ${after.meta.id} v${after.meta.version}`);
    this.#epochs.committed(after);
    attempt(() => this.#world.committed(seen, before, after, plan, by), this.#world.defect);
  }

  /** Statuses that the pass wrote itself are judged as those of the rollup are. */
  #folded(statuses: readonly (readonly [JobStatus | null, JobStatus | null])[]): void {
    const { trace, folded, defect } = this.#world;
    for (const [seen, next] of statuses) {
      if (seen === null || next === null) continue;
      trace(`job ${next.job} ${next.state}`);
      attempt(() => folded(seen, next), defect);
    }
  }

  #report(events: readonly EdgeEvent[]): Promise<boolean> {
    return this.#invoke(async ({ call }) => {
      const { inventory } = this.#stores(call);
      const passes = this.#shortReports?.(call);
      const applying = passes && { applying: { ...passes.deps, edges: this.#knownEdges } };
      const outcomes = await storeReports({ inventory, log: this.#log(), ...applying }, events);
      if (outcomes.includes('failed')) throw new InjectedFault('a report was not stored');
    });
  }

  /** As the handler of the function: a job whose fold failed is delivered again. */
  async #rollUp(records: readonly StreamRecord[]): Promise<readonly string[] | null> {
    const first = new Map<JobId, string>();
    for (const { pk, sequence } of records) {
      const job = jobOfPartition(pk);
      if (job !== null && !first.has(job)) first.set(job, sequence);
    }
    const failed = await this.#fold([...first.keys()]);
    return failed?.flatMap((job) => first.get(job) ?? []) ?? null;
  }

  async #fold(jobs: readonly JobId[]): Promise<readonly JobId[] | null> {
    let failed: readonly JobId[] = [];
    const isDone = await this.#invoke(async ({ call }) => {
      const store = this.#rollups(this.#stores(call).rollups);
      const clock = this.#world.clocks.ofFunction();
      failed = await rollUpJobs({ store, clock, log: this.#log() }, jobs);
    });
    return isDone ? failed : null;
  }

  #rollups(rollups: RollupStore): RollupStore {
    const { trace, folded, defect } = this.#world;
    return {
      ...rollups,
      async save(seen, rollup) {
        const outcome = await rollups.save(seen, rollup);
        if (outcome === 'conflict') return outcome;
        trace(`job ${seen.job} ${rollup.next.state}`);
        attempt(() => folded(seen, rollup.next), defect);
        return outcome;
      },
    };
  }

  #tick(): Promise<boolean> {
    return this.#invoke(async ({ call }) => {
      await tickCells({
        fleet: this.#stores(call).fleet,
        fold: async (jobs) => {
          this.#event('fold', async () => (await this.#fold(jobs))?.length === 0);
        },
        moves: through(call, 'moves', this.#moves()),
        pools: this.#stores(call).pools,
        jobs: this.#stores(call).jobs,
        clock: this.#world.clocks.ofFunction(),
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
