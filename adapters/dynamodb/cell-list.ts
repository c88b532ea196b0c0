import { type CellId, compareCells } from '../../core/names.ts';
import { cellListKey, listIndexName } from './keys.ts';
import type { Table } from './table.ts';

/** Every cell of the fleet, in a stable order. */
export async function listCells(table: Table): Promise<CellId[]> {
  const { listPk } = cellListKey('x.0' as CellId);
  const rows = await table.queryAll({ pk: listPk, index: listIndexName, attributes: ['listSk'] });
  return rows.map((row) => row.listSk as CellId).sort(compareCells);
}
