import { invalid, ProblemError } from '../contract/problem.ts';
import { isFinal } from '../model/job.ts';
import { shownLengthMax } from '../model/limits.ts';
import type { CellId, JobId } from '../model/names.ts';
import {
  count,
  emptyRanges,
  formatRanges,
  isEmpty,
  last,
  type RangeSet,
  subtract,
  union,
} from '../model/ranges.ts';
import type { JobWithStatus } from '../model/stored-job.ts';
import { type Refusal, refuse, type Unchanged, unchanged } from './decision.ts';
import { type JobCells, openCellsOf } from './job-cells.ts';
import { cancelledRangesLengthMax } from './limits.ts';

/**
 * Chunks of a job that its user does not want any more, while the others go on. Cells learn all
 * that was ever cancelled so, which only grows: what of it is open ends as cancelled, what has
 * ended stays as it ended.
 */
export type JobRangesCancel = {
  readonly kind: 'cancel-ranges';
  readonly id: JobId;
  /** Of the stored job; the change raises it by one. */
  readonly seenVersion: number;
  /** With those that were cancelled before. */
  readonly cancelledRanges: RangeSet;
  readonly cells: readonly CellId[];
  /** What the timeline says of it. */
  readonly detail: string;
};

export function cancelRanges(
  { job, status }: JobWithStatus,
  cells: JobCells,
  asked: RangeSet,
): JobRangesCancel | Unchanged | Refusal {
  const { id, version: seenVersion, spec, chunking } = job;
  if (spec.restart !== undefined) {
    const detail = 'A service has instances: stop one of them by its number, or scale it.';
    return refuse(new ProblemError('conflict', detail));
  }
  if ((last(asked) ?? 0) >= chunking.chunks) {
    return refuse(invalid('?ranges', `This job has chunks 0 to ${chunking.chunks - 1}.`));
  }
  if (isFinal(status.state) || job.cancelledAtMs !== null) return unchanged;
  const before = job.cancelledRanges ?? emptyRanges;
  const cancelledRanges = union(before, asked);
  const open = openCellsOf(cells);
  const knows = (cell: CellId) => {
    return isEmpty(subtract(cancelledRanges, cells.get(cell)?.cancelledRanges ?? emptyRanges));
  };
  // A cell that got chunks of the job while others learned of this does not know of it.
  if (count(before) === count(cancelledRanges) && open.every(knows)) return unchanged;
  if (formatRanges(cancelledRanges).length > cancelledRangesLengthMax) {
    const most = `${cancelledRangesLengthMax} characters`;
    const detail = `All that is cancelled of one job has at most ${most}.`;
    return refuse(new ProblemError('conflict', detail));
  }
  const detail = `Chunks ${shown(asked)} are not wanted any more.`;
  return { kind: 'cancel-ranges', id, seenVersion, cancelledRanges, cells: open, detail };
}

/** A line of a timeline is no place for thousands of numbers. */
function shown(asked: RangeSet): string {
  const text = formatRanges(asked);
  return text.length <= shownLengthMax ? text : `(${count(asked)} of them)`;
}
