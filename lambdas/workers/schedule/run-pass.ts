import type { Cell } from '../../../core/model/cell.ts';
import {
  passAttemptsMax,
  passRoundsMax,
  shadowWritesAtOnce,
  tickEveryMs,
} from '../../../core/model/limits.ts';
import type { CellId, EdgeName } from '../../../core/model/names.ts';
import type { Alarm, Plan } from '../../../core/model/plan.ts';
import type { CellStore } from '../../../core/ports/cells.ts';
import type { WorkShadows } from '../../../core/ports/shadows.ts';
import type { Clock, Timers } from '../../../core/ports/timers.ts';
import { encodeWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import type { Violation } from '../../../core/scheduler/invariants.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import type { Log } from '../../log.ts';

export type PassDeps = {
  readonly store: CellStore;
  readonly shadows: WorkShadows;
  readonly timers: Timers;
  readonly clock: Clock;
  readonly log: Log;
};

/** `contended`: others committed each time; a look a moment later was asked for. */
export type PassOutcome = 'settled' | 'no-cell' | 'contended';

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
export async function runPass(deps: PassDeps, id: CellId): Promise<PassOutcome> {
  let cell = await deps.store.load(id);
  tellUnreadable(deps.log, cell);
  let conflicts = 0;
  for (let round = 1; cell !== null; ) {
    const nowMs = deps.clock.nowMs();
    const { plan, refused } = reconcileSafely(cell, nowMs);
    tellRefused(deps.log, id, refused);
    if (plan === null) throw new Error(`every plan for ${id} breaks an invariant`);
    if (plan.meta !== null && (await deps.store.commit(plan)) === 'conflict') {
      if (++conflicts >= passAttemptsMax) {
        await deps.timers.lookAgain(id, nowMs);
        return 'contended';
      }
      cell = await deps.store.load(id);
      continue;
    }
    const committed: Cell = applyPlan(cell, plan);
    for (const alarm of plan.alarms) raise(deps.log, id, alarm);
    await writeShadows(deps, committed, plan);
    if (plan.meta !== null) logPass(deps.log, id, plan, conflicts);
    const lookAtMs = plan.lookAgainAtMs;
    if (lookAtMs !== null && lookAtMs <= nowMs && round < passRoundsMax) {
      round++;
      cell = committed;
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
 * A write that fails is logged and left: the edge's epoch stays unapplied, and that is what brings
 * the next write.
 */
async function writeShadows(deps: PassDeps, cell: Cell, plan: Plan): Promise<void> {
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

function tellUnreadable(log: Log, cell: Cell | null): void {
  const rows = cell?.unreadable;
  if (cell === null || rows === undefined) return;
  log.error('rows of the cell cannot be read; their edges stand still', {
    cell: cell.meta.id,
    rows,
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

const refusedLinesMax = 20;

function raise(log: Log, cell: CellId, alarm: Alarm): void {
  switch (alarm.kind) {
    case 'mass-loss':
      log.warn('many edges of the cell stopped reporting at once', { cell, ...alarm });
      log.metric('MassLoss', alarm.lost, { cell });
      return;
    case 'foreign-results':
      log.warn('an edge reports chunks as done that it was not given', { cell, ...alarm });
      log.metric('ForeignResults', alarm.chunks, { cell });
      return;
    case 'edge-aside':
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
