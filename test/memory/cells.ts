import type { Cell } from '../../core/model/cell.ts';
import { type CellId, type JobId, poolOfCell } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import type { CellStore } from '../../core/ports/cells.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { isNews, keep } from './inventory.ts';
import { eventPosition } from './jobs.ts';
import { createMemoryPools } from './pools.ts';
import { withFold } from './rollups.ts';
import { isStillThere, type MemoryShelf, shelfAfter, withNextOf } from './shelf.ts';
import { rowsOf, type Stored, seatKey } from './stored.ts';

/** Cells in memory: of two commits that saw one version, one wins. */
export function createMemoryCells(
  stored: Stored,
  options: Pick<Cell, 'shelfHeads'> = {},
): CellStore {
  return {
    async load(id, also) {
      const cell = stored.cells.get(id);
      if (cell === undefined) return null;
      const shelf = shelfOf(stored, id);
      const loaded = withNextOf(shelf, { ...cell, ...options });
      const job = also === undefined ? undefined : shelf.get(also)?.job;
      if (job === undefined) return loaded;
      return { ...loaded, jobs: new Map(loaded.jobs).set(job.id, job) };
    },
    async passedAtMs(id) {
      return stored.cells.get(id)?.meta.passedAtMs ?? null;
    },
    async commit(plan) {
      if (!mayCommit(stored, plan)) return 'conflict';
      const shared = sharedIn(stored, plan);
      if (shared.length > 0) return { shared };
      carryOut(stored, plan);
      return 'committed';
    },
    async commitWithReports(plan, reports) {
      const { id } = plan.meta!;
      if (!reports.every((report) => isNews(stored, id, report))) return 'conflict';
      if (!mayCommit(stored, plan) || sharedIn(stored, plan).length > 0) return 'conflict';
      for (const report of reports) keep(stored, id, report);
      carryOut(stored, plan);
      return 'committed';
    },
    async adopt(id, nowMs) {
      const orphans = stored.orphans.get(id) ?? [];
      if (orphans.length === 0) return false;
      await createMemoryPools(stored).ensureCell(poolOfCell(id), Number(id.split('.')[1]), nowMs);
      const jobs = new Map(orphans.map((job) => [job.id, job]));
      stored.cells.set(id, { ...stored.cells.get(id)!, jobs });
      stored.orphans.delete(id);
      return true;
    },
  };
}

/** Jobs whose statuses are not as the plan has seen them. */
export function sharedIn(stored: Stored, plan: Plan): JobId[] {
  return [...plan.folds].flatMap(([job, { seen }]) => {
    const status = stored.jobs.get(job)?.status;
    return status?.foldedByCell === true && status.countedAs === seen ? [] : [job];
  });
}

/** An edge that was to go and has enrolled again in the meantime stops the plan. */
export function mayCommit(stored: Stored, plan: Plan): boolean {
  if (plan.meta === null) return true;
  const cell = stored.cells.get(plan.meta.id);
  if (cell === undefined || cell.meta.version !== plan.seenVersion) return false;
  if (!isStillThere(shelfOf(stored, plan.meta.id), plan)) return false;
  return ![...plan.removedEdges].some((edge) => cell.edges.get(edge)?.config.removing === null);
}

export function carryOut(stored: Stored, plan: Plan): void {
  if (plan.meta === null) return;
  const { id } = plan.meta;
  stored.cells.set(id, withoutNext(applyPlan(stored.cells.get(id)!, plan)));
  stored.shelves.set(id, shelfAfter(shelfOf(stored, id), plan));
  for (const edge of plan.removedEdges) stored.seats.delete(seatKey(id, edge));
  for (const [job, status] of plan.jobStatuses) rowsOf(stored, job).cells.set(id, status);
  for (const row of plan.executions) rowsOf(stored, row.job).executions.set(row.edge, row);
  for (const end of plan.chunkEnds) rowsOf(stored, end.job).ends.set(end.chunk, end);
  for (const [job, { next, events }] of plan.folds) {
    const rows = rowsOf(stored, job);
    rows.status = withFold(rows.status!, next, rows.status!.version + 1);
    for (const event of events) rows.events.set(eventPosition(event), event);
  }
  for (const job of plan.endedJobs) {
    if (plan.folds.has(job)) continue;
    stored.pendingRollups.set(job, plan.jobStatuses.get(job)?.endedAtMs ?? 0);
  }
}

export function shelfOf(stored: Stored, cell: CellId): MemoryShelf {
  return stored.shelves.get(cell) ?? new Map();
}

/** What a load has read is not stored. */
function withoutNext({ shelf, ...cell }: Cell): Cell {
  return shelf === undefined ? cell : { ...cell, shelf: { ...shelf, next: new Map() } };
}
