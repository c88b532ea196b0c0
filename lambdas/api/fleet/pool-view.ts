import { compareCells } from '../../../core/model/names.ts';
import type { PoolWithCells } from '../../../core/ports/pools.ts';
import { timeOrNull } from '../jobs/view/job-view.ts';

/** How a pool looks from outside; one that has cells and no settings has the defaults. */
export function poolView(name: string, found: PoolWithCells) {
  return {
    name,
    description: found.pool?.description ?? '',
    policy: found.pool?.policy ?? 'spread',
    edgeCapacityMax: { ...found.pool?.edgeCapacityMax },
    select: found.pool?.select ?? null,
    match: found.pool?.match ?? null,
    cells: found.cells.map((cell) => cell.id).sort(compareCells),
    edges: found.cells.reduce((sum, cell) => sum + cell.edges, 0),
    createdAt: timeOrNull(found.pool?.createdAtMs ?? null),
  };
}
