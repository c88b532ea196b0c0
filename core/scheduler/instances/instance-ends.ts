import {
  chunksOf,
  emptyRanges,
  fromChunks,
  has,
  type RangeSet,
  rangeOf,
  subtract,
} from '../../model/ranges.ts';
import type { Failure } from '../../protocol/progress-report.ts';
import type { Everywhere } from '../../services/everywhere.ts';
import type { Restart } from '../../services/service.ts';
import { endDead, endDone, killedItsEdges } from '../leases/chunk-ends.ts';
import type { EdgeDraft, JobDraft, LeaseDraft, Pass } from '../pass/draft.ts';
import { failuresOf } from '../pass/due-retries.ts';

/**
 * How instances of a service end: an end is answered by a new start, after a wait that doubles
 * while they end soon. Each start is an attempt of its own, so that what an edge says of an earlier
 * one is never taken for the present one. No number of ends is too many.
 */
export function endInstance(
  pass: Pass,
  job: JobDraft,
  edge: EdgeDraft,
  chunk: number,
  failure: Failure,
): 'done' | 'dead' | 'retrying' {
  const { policy } = job.intent.spec.restart!;
  const sinceMs = startedAtMs(pass, job, chunk);
  job.instanceEnds.push({ chunk, edge: edge.name, failure, sinceMs });
  const endedWell = failure === 0;
  if (endedWell && policy !== 'always') {
    endDone(pass, job, rangeOf(chunk, chunk + 1));
    return 'done';
  }
  if (policy === 'never') {
    endDead(pass, job, edge, chunk, startsOf(job, chunk) + 1, failure);
    return 'dead';
  }
  startAgain(pass, job, edge, chunk, failure);
  return 'retrying';
}

function startAgain(
  pass: Pass,
  job: JobDraft,
  edge: EdgeDraft,
  chunk: number,
  failure: Failure,
): void {
  const restart = job.intent.spec.restart!;
  const before = job.retries.get(chunk);
  const lastedMs = pass.nowMs - startedAtMs(pass, job, chunk);
  // Whatever died with its edge was noticed late, and had not run for long.
  const hasLasted = failure !== killedItsEdges && lastedMs >= restart.resetAfterSeconds * 1000;
  const streak = hasLasted ? 1 : (before?.streak ?? 0) + 1;
  noteStart(pass, job, edge, chunk, { waitMs: waitMs(restart, streak), why: failure, streak });
}

function startedAtMs(pass: Pass, job: JobDraft, chunk: number): number {
  return job.retries.get(chunk)?.dueAtMs ?? job.startedAtMs ?? pass.nowMs;
}

function waitMs({ backoffSeconds, backoffSecondsMax }: Restart, streak: number): number {
  // Beyond 2^30 the longest wait has long been reached.
  const doubled = backoffSeconds * 2 ** Math.min(streak - 1, 30);
  return Math.min(doubled, backoffSecondsMax) * 1000;
}

/**
 * Instances that lose their place through no fault of their own: they start anew, at once. Callers
 * have asked for a row for each.
 */
export function startElsewhere(pass: Pass, lease: LeaseDraft, chunks: RangeSet, why: string): void {
  const { job, edge } = lease;
  for (const chunk of chunksOf(chunks)) {
    const streak = job.retries.get(chunk)?.streak ?? 0;
    noteStart(pass, job, edge, chunk, { waitMs: 0, why, streak });
  }
}

function noteStart(
  pass: Pass,
  job: JobDraft,
  edge: EdgeDraft,
  chunk: number,
  next: { readonly waitMs: number; readonly why: Failure; readonly streak: number },
): void {
  const failures = startsOf(job, chunk) + 1;
  const { waitMs: wait, why, streak } = next;
  const retry = { failures, dueAtMs: pass.nowMs + wait, last: why, streak };
  job.retries = new Map(job.retries).set(chunk, retry);
  job.attemptsUsed = Math.max(job.attemptsUsed, failures);
  job.pending = null;
  pass.chunkEnds.push({
    job: job.id,
    chunk,
    edge: edge.name,
    attempts: failures,
    failure: why,
    state: 'retrying',
    atMs: pass.nowMs,
  });
  pass.rowsLeft--;
}

function startsOf(job: JobDraft, chunk: number): number {
  return failuresOf(job, chunk, has(job.revived, chunk));
}

/** Of the instances that are wanted now. */
export function restartsOf(job: JobDraft): number {
  let restarts = 0;
  for (const [chunk, { failures }] of job.retries) if (has(job.ranges, chunk)) restarts += failures;
  return restarts;
}

export function isService(job: Pick<JobDraft, 'intent'>): boolean {
  return job.intent.spec.restart !== undefined;
}

/** `null`: its instances are not bound to edges. */
export function everywhereOf({ intent }: Pick<JobDraft, 'intent'>): Everywhere | null {
  return intent.spec.everywhere ?? null;
}

/** Instances that are bound to edges which are not there: nobody can make them ready. */
export function unreachableOf(pass: Pass, job: JobDraft): RangeSet {
  if (everywhereOf(job) === null) return emptyRanges;
  const gone: number[] = [];
  for (const [name, seat] of job.seats) {
    if (pass.edges.get(name)?.source.report?.connected !== true) gone.push(seat);
  }
  return fromChunks(gone);
}

/** Those that are wanted and have not ended for good. */
export function openInstancesOf(job: JobDraft): RangeSet {
  return subtract(subtract(subtract(job.ranges, job.done), job.dead), job.cancelled);
}
