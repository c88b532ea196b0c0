import { chooseCellForEdge } from '../../../core/fleet/choose-cells.ts';
import type { CellId } from '../../../core/model/names.ts';
import { mayComeIntoBeing } from '../../../core/ports/pools.ts';
import type { Ports } from '../ports.ts';
import { tooManyPools } from './too-many-pools.ts';

/**
 * A cell of the pool with room, made when all are full; the count there, not this look, decides.
 */
export async function roomIn(
  deps: Pick<Ports, 'pools'>,
  pool: string,
  nowMs: number,
): Promise<CellId> {
  const found = await deps.pools.find(pool);
  const { cells } = found;
  const cell = chooseCellForEdge(pool, cells);
  if (cells.some((known) => known.id === cell)) return cell;
  if (cells.length === 0 && !(await mayComeIntoBeing(deps.pools, found))) throw tooManyPools(pool);
  return deps.pools.ensureCell(pool, Number(cell.slice(pool.length + 1)), nowMs);
}
