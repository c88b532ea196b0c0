import type { CellId, EdgeName } from '../../../core/model/names.ts';
import { edgeFactsKey, edgeKey, factsKey, type Key, reportKey, workKey } from '../keys.ts';

/** Where the rows of an edge lie, besides the pointer that its name is. */
export function edgeRowKeys(cell: CellId, edge: EdgeName): Key[] {
  const inCell = [edgeKey, factsKey, reportKey, workKey].map((key) => key(cell, edge));
  return [...inCell, edgeFactsKey(edge)];
}
