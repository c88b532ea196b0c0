import { powerOf } from '../../model/job.ts';
import { backoffSecondsMax, retriesPerSliceMax } from '../../model/limits.ts';
import {
  count,
  emptyRanges,
  has,
  type RangeSet,
  rangeOf,
  subtract,
  union,
} from '../../model/ranges.ts';
import type { Failure } from '../../protocol/progress-report.ts';
import type { EdgeDraft, JobDraft, Pass } from '../pass/draft.ts';
import { failuresOf } from '../pass/due-retries.ts';

/** Why a chunk, or an instance, has ended that took its agent or its edge down with it. */
export const killedItsEdges = 'killed-its-edges';

/**
 * How chunks leave the open states. Done, dead and cancelled are absorbing: nothing but a user's
 * `retry` reopens them. A chunk counts as failed once per attempt; the attempts of one retry epoch
 * are bounded by the job's `retries`.
 */
export function endDone(pass: Pass, job: JobDraft, chunks: RangeSet): void {
  job.done = union(job.done, chunks);
  job.pending = null;
  forget(job, chunks);
  pass.ends.done += count(chunks);
  pass.ends.power += powerOf(job.intent.chunking, chunks);
}

export function endCancelled(pass: Pass, job: JobDraft, chunks: RangeSet): void {
  job.cancelled = union(job.cancelled, chunks);
  job.pending = null;
  forget(job, chunks);
  pass.ends.cancelled += count(chunks);
}

/** The chunk's attempt failed: it waits for its next one or, after the last, is dead. */
export function endFailed(
  pass: Pass,
  job: JobDraft,
  edge: EdgeDraft,
  chunk: number,
  failure: Failure,
): 'dead' | 'retrying' {
  const base = has(job.revived, chunk) ? job.attemptBase : 0;
  const failures = failuresOf(job, chunk, has(job.revived, chunk)) + 1;
  const { attempts, backoffSeconds } = job.intent.spec.retries;
  const crowded = !job.retries.has(chunk) && job.retries.size >= retriesPerSliceMax;
  if (failures - base >= attempts || crowded) {
    endDead(pass, job, edge, chunk, failures, failure);
    return 'dead';
  }
  const waitSeconds = Math.min(backoffSeconds * 2 ** (failures - base - 1), backoffSecondsMax);
  const dueAtMs = pass.nowMs + waitSeconds * 1000;
  job.retries = new Map(job.retries).set(chunk, { failures, dueAtMs, last: failure });
  job.attemptsUsed = Math.max(job.attemptsUsed, failures);
  job.pending = null;
  pass.chunkEnds.push({
    job: job.id,
    chunk,
    edge: edge.name,
    attempts: failures,
    failure,
    state: 'retrying',
    atMs: pass.nowMs,
  });
  pass.rowsLeft--;
  return 'retrying';
}

export function endDead(
  pass: Pass,
  job: JobDraft,
  edge: EdgeDraft,
  chunk: number,
  attempts: number,
  failure: Failure,
): void {
  const chunks = rangeOf(chunk, chunk + 1);
  job.dead = union(job.dead, chunks);
  job.attemptsUsed = Math.max(job.attemptsUsed, attempts);
  job.pending = null;
  forget(job, chunks);
  pass.ends.dead++;
  pass.chunkEnds.push({
    job: job.id,
    chunk,
    edge: edge.name,
    attempts,
    failure,
    state: 'dead',
    atMs: pass.nowMs,
  });
  pass.rowsLeft--;
}

/** Retries and losses are remembered only of chunks that may still run. */
function forget(job: JobDraft, chunks: RangeSet): void {
  job.retries = without(job.retries, chunks);
  job.losses = without(job.losses, chunks);
}

export function without<T>(map: ReadonlyMap<number, T>, chunks: RangeSet): ReadonlyMap<number, T> {
  if (map.size === 0) return map;
  const kept = new Map<number, T>();
  for (const [chunk, value] of map) if (!has(chunks, chunk)) kept.set(chunk, value);
  return kept.size === map.size ? map : kept;
}

/**
 * The user asked for the dead chunks again: a new epoch, in which they have all their attempts
 * before them.
 */
export function revive(job: JobDraft): void {
  const { cancelled, cancelledRanges = emptyRanges } = job.intent;
  const again = union(job.dead, cancelled ? emptyRanges : subtract(job.cancelled, cancelledRanges));
  job.revived = union(job.revived, again);
  // Its user may have allowed more attempts before than now.
  const next = job.attemptBase + job.intent.spec.retries.attempts;
  job.attemptBase = Math.max(next, job.attemptsUsed);
  job.dead = subtract(job.dead, again);
  job.cancelled = subtract(job.cancelled, again);
  job.retryEpoch = job.intent.retryEpoch;
  job.pending = null;
}
