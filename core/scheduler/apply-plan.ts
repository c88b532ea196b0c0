import type { Cell, CellEdge, CellJob } from '../model/cell.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';

const noRow = { hasNoSliceRow: true } as const;

/**
 * The cell as it is stored once the plan is committed: for simulations, dry runs and tests of the
 * fixpoint.
 */
export function applyPlan(cell: Cell, plan: Plan): Cell {
  if (plan.meta === null) return cell;
  const edges = new Map<EdgeName, CellEdge>();
  for (const [name, edge] of cell.edges) {
    if (plan.removedEdges.has(name)) continue;
    const work = plan.works.get(name);
    edges.set(name, work === undefined ? edge : { ...edge, work });
  }
  const jobs = new Map<JobId, CellJob>();
  for (const [id, job] of cell.jobs) {
    if (plan.endedJobs.has(id)) continue;
    const slice = plan.slices.get(id);
    const isInLease = plan.slicesInLeases?.has(id) === true;
    const moved = slice && { id, intent: job.intent, slice };
    jobs.set(id, moved === undefined ? job : { ...moved, ...(isInLease && noRow) });
  }
  return { ...cell, meta: plan.meta, edges, jobs };
}
