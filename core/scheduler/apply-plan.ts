import type { Cell, CellEdge, CellJob } from '../model/cell.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';

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
    jobs.set(id, slice === undefined ? job : { ...job, slice });
  }
  return { ...cell, meta: plan.meta, edges, jobs };
}
