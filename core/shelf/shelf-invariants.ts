import type { Cell } from '../model/cell.ts';
import type { JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { count } from '../model/ranges.ts';

/** What a plan must keep of the shelf, and how many rows it writes there. */
type Violation = { readonly sentence: string; readonly jobs: readonly JobId[] };

/** Only what waits whole goes there, and what comes from there is nowhere else. */
export function violationsOfShelf({ jobs }: Cell, { shelf, slices, jobStatuses }: Plan) {
  const found: Violation[] = [];
  for (const [id, { job }] of shelf?.shelved ?? []) {
    const counts = jobStatuses.get(id)?.counts;
    const isWhole = counts?.pending === count(job.slice.ranges) && counts.total === counts.pending;
    if (isWhole && !slices.has(id)) continue;
    found.push({ sentence: `${id} goes onto the shelf and does not wait`, jobs: [id] });
  }
  for (const id of shelf?.taken.keys() ?? []) {
    if (!jobs.has(id)) continue;
    found.push({ sentence: `${id} comes from the shelf and is here`, jobs: [id] });
  }
  return found;
}

/** A job that goes there or comes from there is a row that goes and one that comes. */
export function rowsOfShelf({ shelf }: Plan): number {
  if (shelf === undefined) return 0;
  const { groups, shelved, taken, settled } = shelf;
  const slices = [...shelved.values()].filter(({ hadSliceRow }) => hadSliceRow).length;
  return groups.size + 2 * (shelved.size + taken.size) + slices + settled.size;
}
