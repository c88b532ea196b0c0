import { type JobId, parseJobId } from '../../core/model/names.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { namedValue } from '../../core/protocol/named-values.ts';
import { encodeWork, type Work } from '../../core/protocol/work.ts';
import type { RunningChunk } from './next-steps.ts';

/**
 * What a work document that arrives is to the one applied: `newer` is applied; `known` is the same
 * again; `withdrawn` takes everything away.
 *
 * `behind` is older than what was applied here: a message that was overtaken, or a cloud that was
 * restored to an earlier time and counts from there. Nobody can tell the two apart, so it is not
 * applied; but the control plane learns which epoch this edge is at, and goes on above it.
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

/**
 * A refill of what runs is confirmed with the next progress. Who runs instances of a service
 * confirms each document soon: a rollout may wait for the word that they are still ready.
 */
export function mayWait(
  running: ReadonlyMap<JobId, ReadonlyMap<number, RunningChunk>>,
  applied: Work,
  arrived: Work,
): boolean {
  if (running.size === 0 || !isRefill(applied, arrived)) return false;
  return [...running.values()].every((chunks) => {
    return chunks.values().next().value?.isInstance !== true;
  });
}

/** The document as far as it is about jobs that are kept; `null` when it is none. */
export function onlyJobs(document: unknown, isKept: (job: JobId) => boolean): unknown {
  if (!isRecord(document) || !isRecord(document.w)) return null;
  const kept = Object.entries(document.w).filter(([job]) => {
    const id = parseJobId(job);
    return id !== null && isKept(id);
  });
  return { ...document, w: Object.fromEntries(kept) };
}

/** By what is asked for: the spec that came with it may be left out of a repetition. */
function isSameWork(a: Work, b: Work): boolean {
  const [one, other] = [encodeWork(withoutSpecs(a)).w, encodeWork(withoutSpecs(b)).w];
  const jobs = Object.keys(one);
  if (jobs.length !== Object.keys(other).length) return false;
  return jobs.every((job) => JSON.stringify(one[job]) === JSON.stringify(namedValue(other, job)));
}

function withoutSpecs(work: Work): Work {
  const jobs = [...work.jobs].map(([id, entry]) => [id, { ...entry, inlineSpec: null }] as const);
  return { ...work, jobs: new Map(jobs) };
}

/** What the journal keeps of an applied document: as it came, unless specs had to be added. */
export function documentOf(applied: Work, arrived: Work, document: unknown): unknown {
  return applied === arrived ? document : encodeWork(applied);
}

/** Once for each epoch that is behind, since a poll brings it again and again. */
export function makeOncePerEpoch(): (epoch: number) => boolean {
  let last = 0;
  return (epoch) => {
    const isFirst = epoch !== last;
    last = epoch;
    return isFirst;
  };
}
