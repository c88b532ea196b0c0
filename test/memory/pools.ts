import { newCellMeta } from '../../core/model/cell.ts';
import { type CellId, compareCells, makeCellId, poolOfCell } from '../../core/model/names.ts';
import { newPool, type Pools } from '../../core/ports/pools.ts';
import { copyQueues } from './queues.ts';
import type { Stored } from './stored.ts';

/** Pools with their cells, in memory. */
export function createMemoryPools(stored: Stored): Pools {
  return {
    async find(name) {
      const cells = [...stored.poolCells].map(([id, edges]) => ({ id, edges }));
      return {
        pool: stored.pools.get(name) ?? null,
        cells: cells.filter(({ id }) => poolOfCell(id) === name),
      };
    },
    async list() {
      return [...stored.pools.keys()].sort();
    },
    async put(pool, seen) {
      const version = stored.pools.get(pool.name)?.version;
      if (seen === null ? version !== undefined : (version ?? 0) !== seen) return false;
      stored.pools.set(pool.name, pool);
      return true;
    },
    async ensureCell(pool, index, nowMs) {
      const id = makeCellId(pool, index);
      if (!stored.cells.has(id)) addCell(stored, id, nowMs);
      if (!stored.pools.has(pool)) stored.pools.set(pool, newPool(pool, nowMs));
      return id;
    },
    async allCells() {
      return [...stored.poolCells.keys()].sort(compareCells);
    },
    async metas(cells) {
      const metas = cells.flatMap((id) => stored.cells.get(id)?.meta ?? []);
      return metas.sort((a, b) => compareCells(a.id, b.id));
    },
  };
}

function addCell(stored: Stored, id: CellId, nowMs: number): void {
  stored.poolCells.set(id, 0);
  stored.cells.set(id, {
    meta: newCellMeta(id, poolOfCell(id), nowMs),
    edges: new Map(),
    jobs: new Map(),
    queues: new Map(),
    tickAtMs: null,
  });
  copyQueues(stored);
}
