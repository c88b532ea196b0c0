import type { CellMeta } from '../../../core/cell.ts';
import type { Cut, JobSpec } from '../../../core/job.ts';
import type { CellId } from '../../../core/names.ts';
import { type RangeSet, rangeOf } from '../../../core/ranges.ts';

/** Which cell of the pool gets which chunks. */
export function divideJob(
  _spec: JobSpec,
  cut: Cut,
  metas: readonly CellMeta[],
): ReadonlyMap<CellId, RangeSet> {
  const best = metas.toSorted((a, b) => b.summary.power.free - a.summary.power.free)[0]!;
  return new Map([[best.id, rangeOf(0, cut.chunks)]]);
}
