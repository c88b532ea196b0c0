import type { Cell, CellJob } from '../../model/cell.ts';
import type { JobId } from '../../model/names.ts';
import { emptyRanges, type RangeSet, unionAll } from '../../model/ranges.ts';

/**
 * What rows that cannot be read leave of a cell to decide about: their jobs are seen by no phase,
 * like those that a refused plan was about, and what their edges hold is nobody else's.
 */
export function withUnreadable(
  { unreadable }: Cell,
  suspended: ReadonlyMap<JobId, CellJob>,
): ReadonlyMap<JobId, CellJob> {
  if (unreadable === undefined || unreadable.jobs.size === 0) return suspended;
  const all = new Map(suspended);
  for (const [id, { standIn }] of unreadable.jobs) all.set(id, standIn);
  return all;
}

/** Chunks of the job that edges hold which no phase sees. */
export function heldByDamaged({ unreadable }: Cell, job: JobId): RangeSet {
  if (unreadable === undefined || unreadable.edges.size === 0) return emptyRanges;
  const edges = [...unreadable.edges.values()];
  return unionAll(edges.map(({ standIn }) => standIn.work?.leases.get(job)?.ranges ?? emptyRanges));
}
