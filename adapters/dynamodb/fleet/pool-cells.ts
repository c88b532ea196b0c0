import type { CellMeta } from '../../../core/model/cell.ts';
import type { PlacementPolicy } from '../../../core/model/job.ts';
import { poolsMax } from '../../../core/model/limits.ts';
import type { CellId } from '../../../core/model/names.ts';
import {
  mayComeIntoBeing,
  type PoolCells,
  type PoolCellsReader,
  type Pools,
} from '../../../core/ports/pools.ts';
import { poolCellsKeptMs } from '../../limits.ts';

type Kept = {
  readonly value: PoolCells;
  /** When the cells were listed, and when their summaries were read. */
  readonly listedAtMs: number;
  readonly readAtMs: number;
};

/**
 * Kept for a moment: summaries only guide a choice that the passes correct, and a busy API should
 * not read the same rows for every job.
 */
export function createPoolCells(
  pools: Pick<Pools, 'find' | 'metas' | 'ensureCell' | 'countUnnamed'>,
  keptMs = poolCellsKeptMs,
): PoolCellsReader {
  const kept = new Map<string, Kept>();
  const read = async (name: string, nowMs: number, make: boolean): Promise<PoolCells | null> => {
    const before = kept.get(name);
    if (before === undefined || nowMs - before.listedAtMs >= keptMs.withEdges) {
      const found = await pools.find(name);
      let ids: readonly CellId[] = found.cells.map((cell) => cell.id);
      if (ids.length === 0 && make) {
        if (!(await mayComeIntoBeing(pools, found))) return null;
        ids = [await pools.ensureCell(name, 0, nowMs)];
      }
      const value = poolCells(found.pool?.policy ?? 'spread', await pools.metas(ids));
      if (value.metas.length > 0) {
        remember(kept, name, { value, listedAtMs: nowMs, readAtMs: nowMs });
      }
      return value;
    }
    const { value, readAtMs } = before;
    if (value.largestEdgePower !== null || nowMs - readAtMs < keptMs.withoutEdges) return value;
    const metas = await pools.metas(value.metas.map((meta) => meta.id));
    const renewed = poolCells(value.policy, metas);
    remember(kept, name, { ...before, value: renewed, readAtMs: nowMs });
    return renewed;
  };
  return {
    ofPool: (name, nowMs) => read(name, nowMs, true),
    peek: async (name, nowMs) => (await read(name, nowMs, false)) ?? poolCells('spread', []),
  };
}

function poolCells(policy: PlacementPolicy, metas: readonly CellMeta[]): PoolCells {
  const largest = Math.max(0, ...metas.map((meta) => meta.summary.largestEdgePower));
  return { policy, metas, largestEdgePower: largest === 0 ? null : largest };
}

function remember<T>(kept: Map<string, T>, name: string, value: T): void {
  if (kept.size >= poolsMax) kept.clear();
  kept.set(name, value);
}
