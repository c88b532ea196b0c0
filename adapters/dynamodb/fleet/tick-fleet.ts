import type { Fleet } from '../../../core/ports/fleet.ts';
import { finishBatches } from '../jobs/create-jobs.ts';
import { createRollupStore } from '../jobs/rollup-store.ts';
import { encodeTick } from '../rows/rows-cell.ts';
import type { Table } from '../table.ts';
import { createPoolsStore } from './pools-store.ts';

/** What the minute tick reads of all cells, and the row with which it wakes one. */
export function createFleet(table: Table): Fleet {
  const pools = createPoolsStore(table);
  const { pendingRollups } = createRollupStore(table);
  return {
    cells: pools.allCells,
    metas: pools.metas,
    pendingRollups,
    finishBatches: (beforeMs) => finishBatches(table, beforeMs),
    async touch(cell, atMs) {
      await table.put(encodeTick(cell, atMs));
    },
  };
}
