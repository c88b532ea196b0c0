import type { CellMeta } from '../../../core/cell.ts';
import { chooseCells } from '../../../core/cells.ts';
import type { Cut, JobSpec } from '../../../core/job.ts';
import type { CellId, EdgeName } from '../../../core/names.ts';
import type { EdgesStore } from '../../../core/ports/edges.ts';
import type { RangeSet } from '../../../core/ranges.ts';

/**
 * Which cell of the pool gets which chunks; a job that names edges goes to the cells of those
 * edges.
 */
export async function divideJob(
  deps: { readonly edges: Pick<EdgesStore, 'cellsOf'> },
  spec: JobSpec,
  cut: Cut,
  metas: readonly CellMeta[],
): Promise<ReadonlyMap<CellId, RangeSet>> {
  const named = spec.requires.edges as readonly EdgeName[];
  const cells = named.length === 0 ? null : await deps.edges.cellsOf(named);
  const asked = cells === null ? { cut, spec } : { cut, spec, namedCells: cells };
  return new Map(chooseCells(metas, asked).map((share) => [share.cell, share.ranges]));
}
