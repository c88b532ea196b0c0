import { newSlice, type Slice } from '../model/cell.ts';
import type { EdgeName } from '../model/names.ts';
import { type RangeSet, union } from '../model/ranges.ts';

/**
 * The slice of a job that had ended in the cell, as its user's `retry` makes it again: nothing done
 * is forgotten.
 */
export function reopenedSlice(
  ended: Pick<Slice, 'done' | 'dead' | 'cancelled' | 'startedAtMs' | 'attemptsUsed'>,
  executions: Iterable<{ readonly edge: EdgeName; readonly done: RangeSet }>,
  retryEpoch: number,
): Slice {
  const { done, dead, cancelled, startedAtMs } = ended;
  return {
    ...newSlice(union(union(done, dead), cancelled)),
    done,
    dead,
    cancelled,
    startedAtMs,
    retryEpoch: retryEpoch - 1,
    attemptsUsed: ended.attemptsUsed,
    doneBeforeReopening: new Map(
      [...executions].map(({ edge, done: doneThere }) => [edge, doneThere]),
    ),
  };
}
