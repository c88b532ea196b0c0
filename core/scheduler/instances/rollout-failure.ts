import { first, has, intersect, isEmpty, subtract, unionAll } from '../../model/ranges.ts';
import type { Failure } from '../../protocol/progress-report.ts';
import { dueOf, type Rollout } from '../../services/rollout.ts';
import type { Update } from '../../services/service.ts';
import { type JobDraft, lookAgain, type Pass } from '../pass/draft.ts';
import type { InstanceEnd } from './instance-end.ts';
import { openInstancesOf, unreachableOf } from './instance-ends.ts';

/**
 * Why a rollout that moves has failed, in words for its user; `null` while it may go on. It never
 * stands still without an end: whatever keeps it, what is not brought in time has failed.
 */
export function failureOf(pass: Pass, job: JobDraft, update: Update): string | null {
  const end = job.instanceEnds.find((it) => isFailure(pass, job.rollout!, update, it));
  if (end !== undefined) {
    return `instance ${end.chunk} on ${end.edge} ended: ${wordsOf(end.failure)}`;
  }
  const awaited = awaitedBy(pass, job);
  if (awaited === null) return null;
  const atMs = awaited.sinceMs + update.failAfterSeconds * 1000;
  if (pass.nowMs >= atMs) {
    return `instance ${awaited.chunk} was not ready within ${update.failAfterSeconds} s`;
  }
  lookAgain(pass, atMs);
  return null;
}

type Awaited = { readonly chunk: number; readonly sinceMs: number };

/**
 * The instance for which it waits: one that was brought, or another one that is away while some are
 * due that could be brought. For edges that are not connected it waits without an end.
 */
function awaitedBy(pass: Pass, job: JobDraft): Awaited | null {
  const { unsettled, progressAtMs } = job.rollout!;
  if (unsettled.size > 0) return { chunk: Math.min(...unsettled.keys()), sinceMs: progressAtMs };
  const due = dueOf(job.rollout!);
  const isNext = job.leases.some(({ edge, ranges }) => {
    return edge.source.report?.connected === true && !isEmpty(intersect(ranges, due));
  });
  if (!isNext) return null;
  const ready = unionAll(job.leases.map((lease) => intersect(lease.ready, lease.running)));
  const reachable = subtract(openInstancesOf(job), unreachableOf(pass, job));
  const chunk = first(subtract(subtract(reachable, due), ready));
  if (chunk === undefined) return null;
  // One that went away a moment ago has all the time; one that ends again and again has not.
  const last = job.retries.get(chunk);
  const wentAtMs = last === undefined || (last.streak ?? 0) > 1 ? 0 : last.dueAtMs;
  return { chunk, sinceMs: Math.max(progressAtMs, wentAtMs) };
}

/**
 * An end of one that was brought, before it has settled. That it was ready for a moment, and has
 * settled where a moment is enough, says little of a generation that ends soon.
 */
function isFailure(pass: Pass, rollout: Rollout, update: Update, end: InstanceEnd): boolean {
  if (rollout.unsettled.has(end.chunk)) return true;
  const isBrought = !has(dueOf(rollout), end.chunk) && rollout.stable !== rollout.generation;
  return isBrought && pass.nowMs - end.sinceMs < update.failAfterSeconds * 1000;
}

function wordsOf(failure: Failure): string {
  return typeof failure === 'number' ? `exit code ${failure}` : failure;
}
