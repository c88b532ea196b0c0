import type { Cell, CellEdge, CellJob } from '../model/cell.ts';
import type { EdgeName, JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import type { Shelf, ShelfChange } from '../shelf/shelf.ts';

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
  for (const [id, stored] of cell.jobs) {
    if (plan.endedJobs.has(id) || plan.shelf?.shelved.has(id) === true) continue;
    const job = plan.shelf?.settled.has(id) === true ? settled(stored) : stored;
    const slice = plan.slices.get(id);
    const isInLease = plan.slicesInLeases?.has(id) === true;
    const moved = slice && { id, intent: job.intent, slice };
    jobs.set(id, moved === undefined ? job : { ...moved, ...(isInLease && noRow) });
  }
  for (const [id, { job }] of plan.shelf?.taken ?? []) jobs.set(id, job);
  const { shelf, ...others } = cell;
  const kept = plan.shelf === undefined ? shelf : shelfAfter(shelf, plan.shelf);
  return { ...others, meta: plan.meta, edges, jobs, ...(kept && { shelf: kept }) };
}

function settled({ recalledFrom: _, ...job }: CellJob): CellJob {
  return job;
}

/** What was read of groups that change is used up: more of them is read with the cell. */
function shelfAfter(shelf: Cell['shelf'], change: ShelfChange<CellJob>): Shelf<CellJob> | null {
  const groups = new Map(shelf?.groups);
  const next = new Map(shelf?.next);
  for (const [name, group] of change.groups) {
    if (group === null) groups.delete(name);
    else groups.set(name, group);
    next.delete(name);
  }
  return groups.size === 0 ? null : { groups, next };
}
