import type { Cell, CellJob } from '../../../core/model/cell.ts';
import type { JobId } from '../../../core/model/names.ts';
import { groupOf, isPlain } from '../../../core/shelf/groups.ts';
import { arrivalOf, isEarlier } from '../../../core/shelf/shelf.ts';
import { must } from './truth.ts';

/**
 * Of jobs that need the same, none begins before one that came earlier, wherever they wait. Those
 * that no pass has counted may have come between; and those that a user just brought back.
 */
export function checkOrder(before: Cell, after: Cell): void {
  const begun = begunJobs(after);
  const had = begunJobs(before);
  const lasts = new Map<string, CellJob>();
  for (const job of before.jobs.values()) {
    if (had.has(job.id) || !begun.has(job.id) || !isPlain(job.intent, job.slice)) continue;
    const group = groupOf(job.intent);
    const last = lasts.get(group);
    if (last === undefined || isEarlier(arrivalOf(last), arrivalOf(job))) lasts.set(group, job);
  }
  if (lasts.size === 0) return;
  for (const job of after.jobs.values()) {
    const { slice, intent } = job;
    if (begun.has(job.id) || slice.countedAs === null || job.recalledFrom !== undefined) continue;
    const last = isPlain(intent, slice) ? lasts.get(groupOf(intent)) : undefined;
    const isLater = last === undefined || !isEarlier(arrivalOf(job), arrivalOf(last));
    must(isLater, () => `job ${last?.id} begins and ${job.id} came before it`);
  }
}

function begunJobs(cell: Cell): ReadonlySet<JobId> {
  return new Set([...cell.edges.values()].flatMap(({ work }) => [...(work?.leases.keys() ?? [])]));
}
