import type { JobId } from '../../core/model/names.ts';
import { has, intersect, isEmpty, type RangeSet, subtract } from '../../core/model/ranges.ts';
import type { Work, WorkEntry } from '../../core/protocol/work.ts';

/**
 * Instances of one service may run by several specs while it is brought from one generation to the
 * next: what is decided about a job is then decided about each of its parts.
 */
export type WorkPart = { readonly job: JobId; readonly entry: WorkEntry };

export function* partsOf(jobs: Work['jobs']): Generator<WorkPart> {
  for (const [job, entry] of jobs) {
    if (entry.generations === undefined || entry.generations.size === 0) yield { job, entry };
    else for (const part of byHash(entry)) yield { job, entry: part };
  }
}

function* byHash(entry: WorkEntry): Generator<WorkEntry> {
  let rest: RangeSet = entry.ranges;
  for (const { specHash, ranges } of entry.generations?.values() ?? []) {
    const own = intersect(ranges, entry.ranges);
    if (specHash === entry.specHash || isEmpty(own)) continue;
    rest = subtract(rest, own);
    yield { ...entry, specHash, ranges: own, inlineSpec: null };
  }
  if (!isEmpty(rest)) yield { ...entry, ranges: rest };
}

/** By which spec a chunk is to run; of no chunk in particular, by which the job is. */
export function specHashOf(entry: WorkEntry, chunk?: number): string {
  if (chunk !== undefined) {
    for (const { specHash, ranges } of entry.generations?.values() ?? []) {
      if (has(ranges, chunk)) return specHash;
    }
  }
  return entry.specHash;
}

/** Whether a spec is still asked for. */
export function namesSpec(jobs: Work['jobs'], isIt: (job: JobId, hash: string) => boolean) {
  for (const { job, entry } of partsOf(jobs)) if (isIt(job, entry.specHash)) return true;
  return false;
}
