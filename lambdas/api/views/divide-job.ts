import type { CellMeta } from '../../../core/cell.ts';
import { chooseCells } from '../../../core/cells.ts';
import type { Cut, JobSpec } from '../../../core/job.ts';
import type { CellId } from '../../../core/names.ts';
import type { RangeSet } from '../../../core/ranges.ts';

/** Which cell of the pool gets which chunks. */
export function divideJob(
  spec: JobSpec,
  cut: Cut,
  metas: readonly CellMeta[],
): ReadonlyMap<CellId, RangeSet> {
  return new Map(chooseCells(metas, { cut, spec }).map(({ cell, ranges }) => [cell, ranges]));
}
