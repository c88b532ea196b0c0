import type { Fleet } from '../../core/ports/fleet.ts';
import { createMemoryPools } from './pools.ts';
import { createMemoryRollups } from './rollups.ts';
import type { Stored } from './stored.ts';

/** The fleet as the tick sees it, in memory. */
export function createMemoryFleet(stored: Stored): Fleet {
  const { allCells, metas } = createMemoryPools(stored);
  const { pendingRollups } = createMemoryRollups(stored);
  return {
    cells: allCells,
    metas,
    pendingRollups,
    finishBatches: async () => 0,
    async touch(cell, atMs) {
      const found = stored.cells.get(cell);
      if (found !== undefined) stored.cells.set(cell, { ...found, tickAtMs: atMs });
    },
  };
}
