import type { Edge, Pool, Stats } from '../../../core/contract/resources.ts';
import { natural, powerByPool } from '../fleet-summary.ts';

/** Pools beside what their edges have and what waits for them. Pure. */
export type PoolRow = {
  readonly pool: Pool;
  readonly used: number;
  readonly total: number;
  /** Power that waits for an edge. */
  readonly waiting: number;
};

export function poolRows(
  pools: readonly Pool[],
  edges: readonly Edge[],
  stats: Stats | null,
): readonly PoolRow[] {
  const powers = new Map(powerByPool(edges).map((power) => [power.pool, power]));
  const waits = new Map<string, number>();
  for (const { pool, backlogPower } of stats?.cells ?? []) {
    waits.set(pool, (waits.get(pool) ?? 0) + backlogPower);
  }
  return pools
    .map((pool) => {
      const { used = 0, total = 0 } = powers.get(pool.name) ?? {};
      return { pool, used, total, waiting: waits.get(pool.name) ?? 0 };
    })
    .sort((a, b) => natural(a.pool.name, b.pool.name));
}
