import type { Cell } from '../../../core/model/cell.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import type { CellStore } from '../../../core/ports/cells.ts';
import { cellPartition } from '../keys.ts';
import { cellRows } from '../schema.ts';
import type { Table } from '../table.ts';
import { createKnownCells } from './cell-store.ts';
import { ensureCell } from './pools-store.ts';

/** Cells in the table, with what makes one again: whoever only looks at known ones needs it not. */
export function createCellStore(table: Table, options: Pick<Cell, 'shelfHeads'> = {}): CellStore {
  return {
    ...createKnownCells(table, options),
    async adopt(cell, nowMs) {
      const pk = cellPartition(cell);
      const page = await table.query({ pk, skPrefix: cellRows.intent, consistent: true, limit: 1 });
      if (page.rows.length === 0) return false;
      const pool = poolOfCell(cell);
      await ensureCell(table, pool, Number(cell.slice(pool.length + 1)), nowMs);
      return true;
    },
  };
}
