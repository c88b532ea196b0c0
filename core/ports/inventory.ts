import type { CellId, EdgeName } from '../model/names.ts';
import type { EdgeEvent } from '../protocol/edge-event.ts';

/**
 * Where what edges say is kept. The newest wins, by the order that each kind of event carries in
 * itself, so that events may be repeated, delayed and reordered; `older` says that something newer
 * was there already.
 */
export type Inventory = {
  /** Cells of the edges that are enrolled; the others are not in the answer. */
  cellsOf(edges: readonly EdgeName[]): Promise<ReadonlyMap<EdgeName, CellId>>;
  store(cell: CellId, event: EdgeEvent): Promise<'stored' | 'older'>;
};
