import type { Cell } from '../../../core/model/cell.ts';
import {
  contendedCellMs,
  passAttemptsMax,
  passRoundsMax,
  shadowWritesAtOnce,
  tickEveryMs,
} from '../../../core/model/limits.ts';
import type { CellId, EdgeName, JobId } from '../../../core/model/names.ts';
import type { Alarm, Plan } from '../../../core/model/plan.ts';
import { standsStill } from '../../../core/model/unreadable.ts';
import type { CellStore, CommitOutcome, KnownCells } from '../../../core/ports/cells.ts';
import type { RollupStore } from '../../../core/ports/rollups.ts';
import type { WorkShadows } from '../../../core/ports/shadows.ts';
import type { Clock, Timers } from '../../../core/ports/timers.ts';
import { encodeWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import type { Violation } from '../../../core/scheduler/invariants.ts';
import { reconcileSafely, type SafeDecision } from '../../../core/scheduler/reconcile-safely.ts';
import { isToBeRead } from '../../../core/shelf/groups.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { refusedLinesMax, unreadableRowsLoggedMax } from '../../limits.ts';
import type { Log } from '../../log.ts';

/** With what a plan is carried out. */
export type CellDeps = {
  readonly store: KnownCells;
  readonly shadows: WorkShadows;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
  readonly rates: Pick<RollupStore, 'countProgress'>;
};

export type PassDeps = CellDeps & { readonly store: CellStore };

/**
 * `contended`: others committed each time; a look a moment later was asked for. `unreadable`: the
 * cell stands still until its own row is mended, and the minute tick looks at it. `served`: a pass
 * after the time for which this one was asked has been there.
 */
export type PassOutcome = 'settled' | 'no-cell' | 'contended' | 'unreadable' | 'served';

/**
 * One pass over a cell: load, decide, commit, and only then write to the edges.
 *
 * Any number of passes may run over one cell at once: the commit names the version it saw, and
 * whoever lost the race decides again on what is stored now. A crash after the commit loses only
 * shadow writes; a later pass sees that an edge has not applied its epoch and writes again. When
 * the plan says that something is due already, the pass goes on from what it just committed, a
 * bounded number of rounds. A plan that breaks an invariant is not committed: see
 * `reconcile-safely.ts`.
 */
export async function runPass(
  deps: PassDeps,
  id: CellId,
  dueAtMs: number | null = null,
): Promise<PassOutcome> {
  if (await isServed(deps, id, dueAtMs)) return 'served';
  let cell = await loadCell(deps, id);
  reportUnreadable(deps.log, cell);
  let conflicts = 0;
  const shared = new Set<JobId>();
  for (let round = 1; cell !== null; ) {
    if (standsStill(cell.meta)) return 'unreadable';
    const nowMs = deps.clock.nowMs();
    const { plan, refused } = reconcileSafely(cell, nowMs, shared);
    const outcome = await outcomeOf(deps, cell, { plan, refused });
    if (outcome !== 'conflict') tellRefused(deps.log, id, refused);
    if (outcome !== 'committed') {
      if (outcome !== 'conflict') for (const job of outcome.shared) shared.add(job);
      if (++conflicts >= passAttemptsMax) {
        await deps.timers.lookAgain(id, nowMs + contendedCellMs);
        return 'contended';
      }
      if (await isServed(deps, id, dueAtMs)) return 'served';
      cell = await loadCell(deps, id);
      continue;
    }
    if (plan === null) throw new Error(`every plan for ${id} breaks an invariant`);
    const committed: Cell = await carryOut(deps, cell, plan, { nowMs, conflicts });
    const lookAtMs = plan.lookAgainAtMs;
    if (lookAtMs !== null && lookAtMs <= nowMs && round < passRoundsMax) {
      round++;
      cell = isToBeRead(committed) ? await loadCell(deps, id) : committed;
      continue;
    }
    if (lookAtMs !== null && lookAtMs < nowMs + tickEveryMs) {
      await deps.timers.lookAgain(id, lookAtMs);
    }
    return 'settled';
  }
  return 'no-cell';
}

/**
 * What was refused may be the fault of how the cell was read: with a commit between two pages of
 * it. Where nothing is committed nobody else would say so.
 */
async function outcomeOf(
  { store }: PassDeps,
  { meta }: Cell,
  { plan, refused }: SafeDecision,
): Promise<CommitOutcome> {
  if (plan !== null && plan.meta !== null) return store.commit(plan);
  if (refused.length === 0) return 'committed';
  const isOutdated = (await store.passedAtMs(meta.id)) !== (meta.passedAtMs ?? null);
  return isOutdated ? 'conflict' : 'committed';
}

/**
 * Whether a timer has nothing to do. A pass decides by all that is stored and by its time, and asks
 * for the next look itself; so one of a later time than the timer's has done what it was for. Not
 * one of the same moment: that may be the one that asked.
 */
async function isServed({ store }: CellDeps, id: CellId, dueAtMs: number | null): Promise<boolean> {
  if (dueAtMs === null) return false;
  const passedAtMs = await store.passedAtMs(id);
  return passedAtMs !== null && passedAtMs > dueAtMs;
}

/** What follows from a plan that is committed; answers the cell as it is now. */
export async function carryOut(
  deps: CellDeps,
  cell: Cell,
  plan: Plan,
  { nowMs, conflicts }: { readonly nowMs: number; readonly conflicts: number },
): Promise<Cell> {
  const { id } = cell.meta;
  const committed = applyPlan(cell, plan);
  for (const alarm of plan.alarms) raise(deps.log, id, alarm);
  await writeShadows(deps, committed, plan);
  await countProgress(deps, plan, nowMs);
  if (plan.meta !== null) logPass(deps.log, id, plan, conflicts);
  return committed;
}

/** A cell that was removed while a job was on its way to it is made again. */
async function loadCell({ store, clock }: PassDeps, id: CellId): Promise<Cell | null> {
  const cell = await store.load(id);
  if (cell !== null || !(await store.adopt(id, clock.nowMs()))) return cell;
  return store.load(id);
}

/**
 * A write that fails is logged and left: the edge's epoch stays unapplied, and that is what brings
 * the next write.
 */
async function writeShadows(deps: CellDeps, cell: Cell, plan: Plan): Promise<void> {
  await forEachLimited([...plan.shadows], shadowWritesAtOnce, async (edge: EdgeName) => {
    const work = cell.edges.get(edge)?.work;
    if (work === undefined || work === null) return;
    try {
      await deps.shadows.write(edge, encodeWork(workOf(work, cell.jobs), work.removed));
    } catch (error) {
      deps.log.warn('the work document of an edge was not written', {
        cell: cell.meta.id,
        edge,
        error,
      });
    }
  });
}

/** After the commit, and never the reason why a pass fails: it only makes a rate too low. */
async function countProgress({ rates, log }: CellDeps, plan: Plan, nowMs: number): Promise<void> {
  const sum = { chunks: 0, jobs: 0 };
  for (const { progress } of plan.folds.values()) {
    sum.chunks += progress.chunks;
    sum.jobs += progress.jobs;
  }
  if (sum.chunks + sum.jobs === 0) return;
  try {
    await rates.countProgress(sum, nowMs);
  } catch (error) {
    log.warn('progress was not counted', { error });
  }
}

function reportUnreadable(log: Log, cell: Cell | null): void {
  const rows = cell?.unreadable?.rows;
  if (cell === null || rows === undefined) return;
  log.error('rows of the cell cannot be read; what they are about stands still', {
    cell: cell.meta.id,
    count: rows.length,
    rows: rows.slice(0, unreadableRowsLoggedMax),
  });
  log.metric('UnreadableRows', rows.length, { cell: cell.meta.id });
}

/** A defect of ours, or of what is stored: nothing of it was committed. */
function tellRefused(log: Log, cell: CellId, refused: readonly Violation[]): void {
  for (const { sentence, jobs } of refused.slice(0, refusedLinesMax)) {
    log.error('a plan was refused', { cell, sentence, jobs });
  }
  if (refused.length > 0) log.metric('RefusedPlans', 1, { cell });
}

function raise(log: Log, cell: CellId, alarm: Alarm): void {
  switch (alarm.kind) {
    case 'mass-loss':
      log.warn('many edges of the cell stopped reporting at once', { cell, ...alarm });
      log.metric('MassLoss', alarm.lost, { cell });
      return;
    case 'identity-doubled':
      log.warn('two agents use the identity of an edge', { cell, ...alarm });
      log.metric('DoubledIdentities', 1, { cell });
      return;
    case 'foreign-results':
      log.warn('an edge reports chunks as done that it was not given', { cell, ...alarm });
      log.metric('ForeignResults', alarm.chunks, { cell });
      return;
    case 'edge-quarantined':
      log.warn('an edge on which everything fails is quarantined', { cell, ...alarm });
  }
}

function logPass(log: Log, cell: CellId, plan: Plan, conflicts: number): void {
  log.info('pass', {
    cell,
    version: plan.meta?.version,
    works: plan.works.size,
    slices: plan.slices.size,
    shadows: plan.shadows.size,
    ended: plan.endedJobs.size,
    conflicts,
  });
}
