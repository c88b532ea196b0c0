import { namedValue } from '../../core/protocol/named-values.ts';
import { encodeWork, type Work } from '../../core/protocol/work.ts';

/**
 * What a work document that arrives is to the one applied: `newer` is applied; `known` is the same
 * again; `withdrawn` takes everything away.
 *
 * `behind` is older than what was applied here: a message that was overtaken, or a cloud that was
 * restored to an earlier time and counts from there. Nobody can tell the two apart, so it is not
 * applied; but the cloud is told which epoch this edge is at, and goes on above it.
 */
export type ArrivedWork = 'newer' | 'known' | 'withdrawn' | 'behind';

/** `isCurrent`: it is the answer to a question, and so may also take everything away. */
export function compareWork(applied: Work, arrived: Work, isCurrent: boolean): ArrivedWork {
  if (arrived.epoch > applied.epoch) return 'newer';
  if (arrived.epoch === 0) return isCurrent && applied.epoch > 0 ? 'withdrawn' : 'known';
  if (arrived.epoch < applied.epoch) return 'behind';
  // A cloud that was restored may have counted up to this epoch a second time, with other work.
  return isSameWork(applied, arrived) ? 'known' : 'newer';
}

/** No job that was not worked on before: the scheduler need not hear at once that this arrived. */
export function isRefill(applied: Work, arrived: Work): boolean {
  for (const [job, entry] of arrived.jobs) {
    if (!applied.jobs.has(job) || entry.release.length > 0) return false;
  }
  return true;
}

function isSameWork(a: Work, b: Work): boolean {
  const [one, other] = [encodeWork(a).w, encodeWork(b).w];
  const jobs = Object.keys(one);
  if (jobs.length !== Object.keys(other).length) return false;
  return jobs.every((job) => JSON.stringify(one[job]) === JSON.stringify(namedValue(other, job)));
}
