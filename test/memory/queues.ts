import { poolOfCell } from '../../core/model/names.ts';
import type { Queues } from '../../core/ports/pools.ts';
import { pageOf, type Stored } from './stored.ts';

/** Queues in memory, and their copies in the cells. */
export function createMemoryQueues(stored: Stored): Queues {
  return {
    async find(name) {
      return stored.queues.get(name) ?? null;
    },
    async list() {
      return pageOf(stored.queues.values(), (queue) => queue.name, null, stored.queues.size);
    },
    async put(queue, seen) {
      if ((stored.queues.get(queue.name)?.version ?? null) !== seen) return false;
      stored.queues.set(queue.name, queue);
      copyQueues(stored);
      return true;
    },
    async remove(name, seen) {
      if (stored.queues.get(name)?.version !== seen) return false;
      stored.queues.delete(name);
      for (const [id, cell] of stored.cells) {
        const queues = new Map(cell.queues);
        queues.delete(name);
        stored.cells.set(id, { ...cell, queues });
      }
      return true;
    },
  };
}

/** Each cell has its part of a pool's quota, and never less than one. */
export function copyQueues(stored: Stored): void {
  const cellsOf = Map.groupBy(stored.poolCells.keys(), poolOfCell);
  for (const id of stored.poolCells.keys()) {
    const cell = stored.cells.get(id);
    if (cell === undefined) continue;
    const siblings = cellsOf.get(poolOfCell(id)) ?? [];
    const queues = new Map(cell.queues);
    for (const { name, weight, strict, quota } of stored.queues.values()) {
      const part = quota === null ? null : Math.max(1, Math.floor(quota / siblings.length));
      queues.set(name, { weight, strict, quota: part });
    }
    stored.cells.set(id, { ...cell, queues });
  }
}
