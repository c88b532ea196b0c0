import type { CellId, EdgeName } from '../../../core/model/names.ts';
import {
  clusterKey,
  edgeFactsKey,
  edgeKey,
  factsKey,
  type Key,
  reportKey,
  seenKey,
  workKey,
} from '../keys.ts';

/** Where the rows of an edge lie, besides the pointer that its name is. */
export function edgeRowKeys(cell: CellId, edge: EdgeName): Key[] {
  const inCell = [edgeKey, factsKey, reportKey, seenKey, workKey].map((key) => key(cell, edge));
  return [...inCell, edgeFactsKey(edge), clusterKey(edge)];
}
