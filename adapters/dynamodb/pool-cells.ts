import type { CellMeta } from '../../core/cell.ts';
import type { PlacementPolicy } from '../../core/job.ts';
import { poolsMax } from '../../core/limits.ts';
import type { CellId } from '../../core/names.ts';
import type { PoolsStore } from './pools-store.ts';

/**
 * The cells of a pool with their summaries, as submitting needs them. Kept for a moment: summaries only guide a choice
 * that the passes correct, and a busy API should not read the same rows for every job.
 */
export type PoolCells = {
  /** For jobs that name none. */
  readonly policy: PlacementPolicy;
  readonly metas: readonly CellMeta[];
  /** `null` while the pool has no edge that may get work. */
  readonly largestEdgePower: number | null;
};

/** A pool with edges changes slowly; one without may get its first at any moment. */
const keptMsDefault = { withEdges: 2_000, withoutEdges: 250 };

export type PoolCellsReader = ReturnType<typeof createPoolCells>;

export function createPoolCells(pools: PoolsStore, keptMs = keptMsDefault) {
  const kept = new Map<string, { value: PoolCells; atMs: number }>();
  const keptMsOf = ({ largestEdgePower }: PoolCells) =>
    largestEdgePower === null ? keptMs.withoutEdges : keptMs.withEdges;
  const read = async (name: string, nowMs: number, make: boolean): Promise<PoolCells> => {
    const before = kept.get(name);
    if (before !== undefined && nowMs - before.atMs < keptMsOf(before.value)) return before.value;
    const found = await pools.find(name);
    let ids: readonly CellId[] = found.cells.map((cell) => cell.id);
    if (ids.length === 0 && make) ids = [await pools.ensureCell(name, 0, nowMs)];
    const metas = await pools.metas(ids);
    const largest = Math.max(0, ...metas.map((meta) => meta.summary.largestEdgePower));
    const value = {
      policy: found.pool?.policy ?? 'spread',
      metas,
      largestEdgePower: largest === 0 ? null : largest,
    };
    if (metas.length > 0) remember(kept, name, { value, atMs: nowMs });
    return value;
  };
  return {
    /** With no cell at all the first one is made, so that an agent that enrols later finds the work. */
    ofPool: (name: string, nowMs: number) => read(name, nowMs, true),
    /** For looking only: makes nothing. */
    peek: (name: string, nowMs: number) => read(name, nowMs, false),
  };
}

function remember<T>(kept: Map<string, T>, name: string, value: T): void {
  if (kept.size >= poolsMax) kept.clear();
  kept.set(name, value);
}
