import { newCellMeta } from '../../core/model/cell.ts';
import type { JobState } from '../../core/model/job.ts';
import { type CellId, compareCells, makeCellId, poolOfCell } from '../../core/model/names.ts';
import { newPool, type Pools } from '../../core/ports/pools.ts';
import { copyQueues } from './queues.ts';
import { capacityMaxOf, changeEdge, type Stored } from './stored.ts';

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
    async listWithJobs() {
      return [...stored.pools.keys(), ...stored.removedPools].sort();
    },
    async countUnnamed() {
      return [...stored.pools.values()].filter(({ version }) => version === 0).length;
    },
    async listRemoved() {
      return [...stored.removedPools].sort();
    },
    async forget(name) {
      stored.removedPools.delete(name);
    },
    async remove(name, seen) {
      const cells = [...stored.poolCells].filter(([id]) => poolOfCell(id) === name);
      const isHeld = ([id, edges]: [CellId, number]) =>
        edges > 0 || (stored.cells.get(id)?.jobs.size ?? 0) > 0;
      if (cells.some(isHeld)) return 'in-use';
      if (stored.pools.get(name)?.version !== seen) return 'changed';
      for (const [id] of cells) removeCell(stored, id);
      stored.pools.delete(name);
      if (jobsOf(stored, name)) stored.removedPools.add(name);
      return 'removed';
    },
    async put(pool, seen) {
      const version = stored.pools.get(pool.name)?.version;
      if (seen === null ? version !== undefined : (version ?? 0) !== seen) return false;
      stored.pools.set(pool.name, pool);
      for (const cell of [...stored.cells.keys()].filter((id) => poolOfCell(id) === pool.name)) {
        for (const edge of stored.cells.get(cell)!.edges.keys()) {
          changeEdge(stored, cell, edge, ({ capacityMax: _, ...rest }) => ({
            ...rest,
            ...capacityMaxOf(stored, cell),
          }));
        }
      }
      stored.removedPools.delete(pool.name);
      return true;
    },
    async ensureCell(pool, index, nowMs) {
      const id = makeCellId(pool, index);
      if (!stored.cells.has(id)) addCell(stored, id, nowMs);
      if (!stored.pools.has(pool)) stored.pools.set(pool, newPool(pool, nowMs));
      stored.removedPools.delete(pool);
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

function jobsOf(stored: Stored, pool: string): boolean {
  return [...stored.jobs.values()].some(({ job }) => job?.spec.pool === pool);
}

function removeCell(stored: Stored, id: CellId): void {
  const { chunks, power, jobStates } = stored.cells.get(id)!.meta.summary;
  for (const [name, count] of Object.entries(jobStates) as [JobState | 'total', number][]) {
    stored.counts.set(name, (stored.counts.get(name) ?? 0) + count);
  }
  const { removedCells: before } = stored;
  stored.removedCells = {
    done: before.done + chunks.done,
    dead: before.dead + chunks.dead,
    cancelled: before.cancelled + chunks.cancelled,
    served: before.served + power.served,
  };
  stored.cells.delete(id);
  stored.poolCells.delete(id);
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
