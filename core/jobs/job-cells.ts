import type { CellId } from '../model/names.ts';
import type { JobCellStatus } from '../model/plan.ts';
import type { RangeSet } from '../model/ranges.ts';

/** What is stored of a job in each cell that ever had a part of it. */
export type JobCells = ReadonlyMap<CellId, JobInCell>;

export type JobInCell = {
  /** The cell still has the job: whatever its user wants has to be asked there. */
  readonly isOpen: boolean;
  /** Where it is open: the chunks of which the cell knows that they are not wanted. */
  readonly cancelledRanges?: RangeSet;
  /** What the cell counted last; `null` before its first pass over the job. */
  readonly status: JobCellStatus | null;
};

export function openCellsOf(cells: JobCells): CellId[] {
  return [...cells].flatMap(([cell, job]) => (job.isOpen ? [cell] : []));
}
