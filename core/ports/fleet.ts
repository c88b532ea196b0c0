import type { CellMeta } from '../model/cell.ts';
import type { CellId } from '../model/names.ts';
import type { PendingRollups } from './rollups.ts';

/** The fleet as the minute tick sees it: its cells by their summaries alone. */
export type Fleet = PendingRollups & {
  /** Every cell, in a stable order. */
  cells(): Promise<readonly CellId[]>;
  /** Those of the cells that there are, in the order of `cells`. */
  metas(cells: readonly CellId[]): Promise<readonly CellMeta[]>;
  /**
   * Stores what is left of batches that were accepted before; answers how many parts that were.
   */
  finishBatches(beforeMs: number): Promise<number>;
  /** Writes the time into the cell, which wakes its scheduler. */
  touch(cell: CellId, atMs: number): Promise<void>;
};
