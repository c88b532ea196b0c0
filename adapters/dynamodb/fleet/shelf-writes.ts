import type { CellJob } from '../../../core/model/cell.ts';
import type { CellId } from '../../../core/model/names.ts';
import { arrivalOf, type ShelfChange } from '../../../core/shelf/shelf.ts';
import { intentKey, sliceKey } from '../keys.ts';
import { encodeShelfGroup, encodeShelved, encodeTaken } from '../rows/rows-shelf.ts';
import { passMark } from '../schema.ts';
import type { Write } from '../table.ts';
import { shelfGroupKey, shelfKey } from './shelf-keys.ts';

/**
 * What a plan changes of the shelf. A job that its user has brought back in the meantime is gone
 * from there: then nothing of the plan is written.
 */
export function shelfWrites(cell: CellId, change: ShelfChange<CellJob>): Write[] {
  const writes: Write[] = [];
  for (const [name, group] of change.groups) {
    if (group === null) writes.push({ kind: 'delete', key: shelfGroupKey(cell, name) });
    else writes.push({ kind: 'put', row: encodeShelfGroup(cell, name, group) });
  }
  for (const [id, { group, job, hadSliceRow }] of change.shelved) {
    writes.push({ kind: 'delete', key: intentKey(cell, id) });
    writes.push({ kind: 'put', row: encodeShelved(cell, group, job) });
    if (hadSliceRow) writes.push({ kind: 'delete', key: sliceKey(cell, id) });
  }
  const condition = { expression: 'attribute_exists(#pk)' };
  for (const { group, job } of change.taken.values()) {
    writes.push({ kind: 'delete', key: shelfKey(cell, group, arrivalOf(job)), condition });
    writes.push({ kind: 'put', row: encodeTaken(cell, job) });
  }
  for (const id of change.settled) {
    const mark = { set: { [passMark]: true }, remove: [recalledAttribute] };
    writes.push({ kind: 'update', key: intentKey(cell, id), change: mark });
  }
  return writes;
}

/** On an intent that a user brought back: the digest of the group that still counts it. */
export const recalledAttribute = 'recalled';
