import { type CellId, cellIdOf, compareCells } from '../../../core/model/names.ts';
import { text } from '../rows/row-values.ts';
import { readableRows } from '../rows/unreadable-row.ts';
import { listIndex, lists } from '../schema.ts';
import type { Table } from '../table.ts';

/** Every cell of the fleet, in a stable order. */
export async function listCells(table: Table): Promise<CellId[]> {
  const rows = await table.queryAll({
    pk: lists.cells,
    index: listIndex.name,
    attributes: [listIndex.sort],
  });
  return readableRows(table, rows, (row) => cellIdOf(text(row.listSk))).sort(compareCells);
}
