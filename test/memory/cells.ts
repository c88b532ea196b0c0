import type { Plan } from '../../core/model/plan.ts';
import type { CellStore } from '../../core/ports/cells.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { rowsOf, type Stored, seatKey } from './stored.ts';

/** Cells in memory: of two commits that saw one version, one wins. */
export function createMemoryCells(stored: Stored): CellStore {
  return {
    async load(id) {
      return stored.cells.get(id) ?? null;
    },
    async commit(plan) {
      if (!mayCommit(stored, plan)) return 'conflict';
      carryOut(stored, plan);
      return 'committed';
    },
  };
}

/** An edge that was to go and has enrolled again in the meantime stops the plan. */
export function mayCommit(stored: Stored, plan: Plan): boolean {
  if (plan.meta === null) return true;
  const cell = stored.cells.get(plan.meta.id);
  if (cell === undefined || cell.meta.version !== plan.seenVersion) return false;
  return ![...plan.removedEdges].some((edge) => cell.edges.get(edge)?.config.removing === null);
}

export function carryOut(stored: Stored, plan: Plan): void {
  if (plan.meta === null) return;
  const { id } = plan.meta;
  stored.cells.set(id, applyPlan(stored.cells.get(id)!, plan));
  for (const edge of plan.removedEdges) stored.seats.delete(seatKey(id, edge));
  for (const [job, status] of plan.jobStatuses) rowsOf(stored, job).cells.set(id, status);
  for (const row of plan.executions) rowsOf(stored, row.job).executions.set(row.edge, row);
  for (const end of plan.chunkEnds) rowsOf(stored, end.job).ends.set(end.chunk, end);
  for (const job of plan.endedJobs) {
    stored.pendingRollups.set(job, plan.jobStatuses.get(job)?.endedAtMs ?? 0);
  }
}
