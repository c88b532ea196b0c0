import type { JobId } from '../../../core/model/names.ts';
import { jobPartition, statusKey } from '../keys.ts';
import { withCountsIn } from '../rows/counts-in-status.ts';
import { jobRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';

/**
 * What the cells of a job have counted, as `CELL#` rows. The status is read first: a cell that has
 * the job alone counts in there, and in rows from when somebody else has a part in it.
 */
export async function countRows(table: Table, id: JobId): Promise<Row[]> {
  const pk = jobPartition(id);
  const status = await table.get(statusKey(id));
  const rows = await table.queryAll({ pk, skPrefix: jobRows.cell, consistent: true });
  return withCountsIn(status, rows);
}
