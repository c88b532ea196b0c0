import type { Cell, CellJob } from '../../../core/model/cell.ts';
import type { CellId, JobId } from '../../../core/model/names.ts';
import { shortGroups } from '../../../core/shelf/groups.ts';
import { type Key, statusKey } from '../keys.ts';
import { textOrNull } from '../rows/row-values.ts';
import { decodeShelved } from '../rows/rows-shelf.ts';
import { newKnownTexts } from '../rows/rows-slice.ts';
import { readable } from '../rows/unreadable-row.ts';
import type { Table } from '../table.ts';
import { shelfPartition, shelfPrefix } from './shelf-keys.ts';

/**
 * The first jobs of groups that run short of others before them. They are read after the cell, and
 * a plan that takes them names its version: nobody else took them since.
 */
export async function withNextOfShelf(table: Table, cell: Cell): Promise<Cell> {
  const short = shortGroups(cell);
  if (cell.shelf === undefined || short.size === 0) return cell;
  const known = newKnownTexts();
  const read = [...short].map(async ([group, missing]) => {
    const { rows } = await table.query({
      pk: shelfPartition(cell.meta.id),
      skPrefix: shelfPrefix(group),
      consistent: true,
      // The one behind them says where the shelf begins then.
      limit: missing + 1,
    });
    const jobs = rows.flatMap((row) => readable(row, (it) => decodeShelved(it, known)) ?? []);
    return [group, jobs] as const;
  });
  return { ...cell, shelf: { ...cell.shelf, next: new Map(await Promise.all(read)) } };
}

/** Where the status of a job says that it was put. */
export const shelfAttribute = 'shelf';

/** `null` of a job that was never there; it may be gone from there by now. */
export async function placeOnShelf(table: Table, cell: CellId, id: JobId): Promise<Key | null> {
  const status = await table.get(statusKey(id));
  const sk = status === null ? null : textOrNull(status[shelfAttribute]);
  return sk === null ? null : { pk: shelfPartition(cell), sk };
}

/** The cell with this job, wherever it waits. */
export async function withShelved(table: Table, cell: Cell, id: JobId): Promise<Cell> {
  if (cell.shelf === undefined || cell.jobs.has(id)) return cell;
  const place = await placeOnShelf(table, cell.meta.id, id);
  const row = place === null ? null : await table.get(place);
  const job: CellJob | null = row === null ? null : readable(row, (it) => decodeShelved(it));
  return job === null ? cell : { ...cell, jobs: new Map(cell.jobs).set(id, job) };
}
