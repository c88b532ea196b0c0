import { pickJumpsMax, retriesPerSliceHold, retryElsewhereMs } from '../../model/limits.ts';
import {
  count,
  emptyRanges,
  endOfInterval,
  fromChunks,
  has,
  intersect,
  isEmpty,
  last,
  longestInterval,
  type RangeSet,
  rangeOf,
  subtract,
  take,
  union,
} from '../../model/ranges.ts';
import { matchingEdges } from '../pass/candidates.ts';
import type { JobDraft, LeaseDraft, Pass } from '../pass/draft.ts';
import { placeableOf } from '../pass/due-retries.ts';

/**
 * Which chunks a lease gets next. Chunks that failed before go first, so that a job that cannot
 * succeed shows it soon, and rather to an edge where nothing failed last, so that a bad edge does
 * not use up their attempts. Fresh ones go on where the lease is; a lease without a place to go on
 * starts in the middle of the longest free stretch, so that each edge works through a territory of
 * its own and sets of done chunks stay few intervals.
 */
export type Picker = {
  readonly job: JobDraft;
  retried: RangeSet;
  fresh: RangeSet;
  /** Retried chunks that no healthy edge took in time: now any edge may. */
  readonly overdue: RangeSet;
  /** Some edge that the job may use has no failures: others leave failed chunks to it. */
  readonly hasHealthy: boolean;
};

export function openPicker(pass: Pass, job: JobDraft): Picker {
  const placeable = placeableOf(pass, job);
  const none = emptyRanges;
  if (job.retries.size === 0) {
    return { job, retried: none, fresh: placeable, overdue: none, hasHealthy: true };
  }
  const retried = intersect(placeable, fromChunks(job.retries.keys()));
  const crowded = job.retries.size >= retriesPerSliceHold;
  const late = pass.nowMs - retryElsewhereMs;
  const overdue = [...job.retries].filter(([, retry]) => retry.dueAtMs <= late);
  return {
    job,
    retried,
    fresh: crowded ? none : subtract(placeable, retried),
    overdue: fromChunks(overdue.map(([chunk]) => chunk)),
    hasHealthy: matchingEdges(pass, job).some((edge) => edge.failuresInRow === 0),
  };
}

export function left(picker: Picker): number {
  return count(picker.retried) + count(picker.fresh);
}

/**
 * What the lease would get; `inOrder` packs from the front, when all is given away at once anyway.
 */
export function choose(
  picker: Picker,
  lease: LeaseDraft,
  wanted: number,
  inOrder: boolean,
): RangeSet {
  const avoidsFailedChunks = lease.edge.failuresInRow > 0 && picker.hasHealthy;
  const offered = avoidsFailedChunks ? intersect(picker.retried, picker.overdue) : picker.retried;
  const retried = take(offered, wanted).taken;
  const more = wanted - count(retried);
  if (more <= 0 || isEmpty(picker.fresh)) return retried;
  if (inOrder) return union(retried, take(picker.fresh, more).taken);
  return union(retried, goOn(picker.fresh, lease, more));
}

function goOn(fresh: RangeSet, lease: LeaseDraft, wanted: number): RangeSet {
  let chosen = emptyRanges;
  let rest = fresh;
  let at = nextOf(lease);
  // A stretch may end early; a few jumps fill the lease without scattering it.
  let missing = wanted;
  for (let jumps = 0; jumps < pickJumpsMax; jumps++) {
    if (at === null || !has(rest, at)) at = jumpInto(rest, missing);
    if (at === null) break;
    const piece = rangeOf(at, Math.min(endOfInterval(rest, at), at + missing));
    chosen = union(chosen, piece);
    missing -= count(piece);
    if (missing === 0) return chosen;
    rest = subtract(rest, piece);
    at = null;
  }
  return union(chosen, take(rest, missing).taken);
}

function nextOf(lease: LeaseDraft): number | null {
  const after = Math.max(last(lease.ranges) ?? -1, last(lease.doneHere) ?? -1);
  return after < 0 ? null : after + 1;
}

/**
 * An untouched job starts at its beginning; otherwise somebody works towards the middle from the
 * start.
 */
function jumpInto(set: RangeSet, wanted: number): number | null {
  const longest = longestInterval(set);
  if (longest === null) return null;
  const { start, end } = longest;
  if (start === 0 || end - start < 2 * wanted) return start;
  return start + Math.floor((end - start) / 2);
}

export function remove(picker: Picker, given: RangeSet): void {
  picker.retried = subtract(picker.retried, given);
  picker.fresh = subtract(picker.fresh, given);
}
