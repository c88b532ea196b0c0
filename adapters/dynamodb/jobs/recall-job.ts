import type { CellId, JobId } from '../../../core/model/names.ts';
import { digestOfShelf } from '../fleet/shelf-keys.ts';
import { placeOnShelf } from '../fleet/shelf-reading.ts';
import { recalledAttribute } from '../fleet/shelf-writes.ts';
import { intentKey } from '../keys.ts';
import type { Table } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { absent } from './job-writes.ts';

export type Recall = 'recalled' | 'gone' | 'never-there';

/**
 * Whoever decides about a job writes to its intent in the cell. A job that waits on the shelf comes
 * back for that, with a mark by which the next pass counts it no more among those there. `gone`:
 * somebody else was faster.
 */
export async function recallJob(table: Table, cell: CellId, id: JobId): Promise<Recall> {
  const place = await placeOnShelf(table, cell, id);
  const row = place === null ? null : await table.get(place);
  if (row === null) return place === null ? 'never-there' : 'gone';
  const { pk, sk } = row;
  const intent = { ...row, ...intentKey(cell, id), [recalledAttribute]: digestOfShelf(sk) };
  const outcome = await transactWithRetry(table, [
    { kind: 'delete', key: { pk, sk }, condition: { expression: 'attribute_exists(#pk)' } },
    { kind: 'put', row: intent, condition: absent },
  ]);
  return outcome.kind === 'committed' ? 'recalled' : 'gone';
}
