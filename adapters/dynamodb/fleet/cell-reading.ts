import type { CellId } from '../../../core/model/names.ts';
import { deepCellsMax } from '../../limits.ts';
import { cellPartition, metaKey } from '../keys.ts';
import { cellRows } from '../schema.ts';
import type { Row, Table } from '../table.ts';

/**
 * Reads the rows of a cell. A page of a query has 1 MB at most, so a cell in which thousands of
 * jobs wait is read page by page, and a pass may commit between two of them: rows from before its
 * commit beside a `META` from after it would be taken for what is stored now, and a job that has
 * just ended for one that never began. So of a cell of several pages `META` is read before all of
 * them: whatever is committed after that, the version tells.
 *
 * Which cells are so deep is remembered, because it shows when a first page has been read in vain.
 */
export function createCellReader(table: Table): (cell: CellId) => Promise<readonly Row[]> {
  const deep = new Set<CellId>();
  const read = async (cell: CellId): Promise<readonly Row[]> => {
    const request = { pk: cellPartition(cell), consistent: true };
    const isDeep = deep.has(cell);
    const meta = isDeep ? await table.get(metaKey(cell)) : null;
    const { rows, next } = await table.query(request);
    if (next === null) {
      deep.delete(cell);
      return rows;
    }
    if (!isDeep) {
      if (deep.size >= deepCellsMax) deep.clear();
      deep.add(cell);
      return read(cell);
    }
    const rest = await table.queryAll({ ...request, after: next });
    const others = [...rows, ...rest].filter(({ sk }) => sk !== cellRows.meta);
    return meta === null ? others : [meta, ...others];
  };
  return read;
}
