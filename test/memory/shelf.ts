import type { Cell, CellJob } from '../../core/model/cell.ts';
import type { JobId } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { shortGroups } from '../../core/shelf/groups.ts';
import { arrivalOf, isEarlier, type ShelvedJob } from '../../core/shelf/shelf.ts';

/** The shelf of a cell, in memory. */
export type MemoryShelf = ReadonlyMap<JobId, ShelvedJob<CellJob>>;

/** The cell with the next jobs of groups that are short of others before them. */
export function withNextOf(shelf: MemoryShelf, cell: Cell): Cell {
  const short = shortGroups(cell);
  if (cell.shelf === undefined || short.size === 0) return cell;
  const next = [...short].map(([name, missing]) => {
    const jobs = [...shelf.values()].flatMap(({ group, job }) => (group === name ? [job] : []));
    jobs.sort((a, b) => (isEarlier(arrivalOf(a), arrivalOf(b)) ? -1 : 1));
    return [name, jobs.slice(0, missing + 1)] as const;
  });
  return { ...cell, shelf: { ...cell.shelf, next: new Map(next) } };
}

/** What nobody has brought back in the meantime is still there. */
export function isStillThere(shelf: MemoryShelf, { shelf: change }: Plan): boolean {
  return [...(change?.taken.keys() ?? [])].every((id) => shelf.has(id));
}

export function shelfAfter(shelf: MemoryShelf, { shelf: change }: Plan): MemoryShelf {
  const after = new Map([...shelf, ...(change?.shelved ?? [])]);
  for (const id of change?.taken.keys() ?? []) after.delete(id);
  return after;
}
