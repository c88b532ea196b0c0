import type { CellJob } from '../../../core/model/cell.ts';
import { type CellId, jobIdOf } from '../../../core/model/names.ts';
import { arrivalOf, type ShelfGroup } from '../../../core/shelf/shelf.ts';
import { jobOfShelf, shelfGroupKey, shelfKey } from '../fleet/shelf-keys.ts';
import { passMark } from '../schema.ts';
import type { Row } from '../table.ts';
import { amount, text, time, whole } from './row-values.ts';
import {
  decodeIntent,
  encodeIntent,
  initialSlice,
  type KnownTexts,
  newKnownTexts,
  placedSlice,
} from './rows-slice.ts';

/**
 * A job on the shelf is one row: what its intent says, with the slice in it. Only its key is
 * another one than that of a job that no pass has placed.
 */
export function encodeShelved(cell: CellId, group: string, job: CellJob): Row {
  return { ...wholeRow(cell, job), ...shelfKey(cell, group, arrivalOf(job)) };
}

/** One that comes from there: the pass that brings it has seen it. */
export function encodeTaken(cell: CellId, job: CellJob): Row {
  return { ...wholeRow(cell, job), [passMark]: true };
}

function wholeRow(cell: CellId, { id, intent, slice }: CellJob): Row {
  return { ...encodeIntent(cell, id, intent, slice.ranges), ...placedSlice(slice) };
}

export function decodeShelved(row: Row, known: KnownTexts = newKnownTexts()): CellJob {
  const id = jobOfShelf(row.sk);
  const slice = initialSlice(row);
  if (id === null || slice === null) throw new Error(`${row.pk} ${row.sk} is no job that waits`);
  return { id, intent: decodeIntent(row, known), slice, hasNoSliceRow: true };
}

export function encodeShelfGroup(cell: CellId, name: string, group: ShelfGroup): Row {
  const { queue, priority, jobs, chunks, power, first } = group;
  const counts = { jobs, chunks, power };
  const from = { firstAtMs: first.submittedAtMs, firstJob: first.id };
  return { ...shelfGroupKey(cell, name), needs: name, queue, priority, ...counts, ...from };
}

export function decodeShelfGroup(row: Row): readonly [name: string, group: ShelfGroup] {
  const group = {
    queue: text(row.queue),
    priority: amount(row.priority),
    jobs: whole(row.jobs),
    chunks: whole(row.chunks),
    power: amount(row.power),
    first: { submittedAtMs: time(row.firstAtMs), id: jobIdOf(text(row.firstJob)) },
  };
  return [text(row.needs), group];
}
