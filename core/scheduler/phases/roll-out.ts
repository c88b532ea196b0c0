import { workBytesMax } from '../../model/limits.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  fromChunks,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  rangeOf,
  subtract,
  unionAll,
} from '../../model/ranges.ts';
import { isElsewhere } from '../../services/restart-wish.ts';
import {
  dueOf,
  type Rollout,
  turnedBack,
  withoutChunks,
  withoutDue,
} from '../../services/rollout.ts';
import type { Update } from '../../services/service.ts';
import {
  everywhereOf,
  openInstancesOf,
  startElsewhere,
  unreachableOf,
} from '../instances/instance-ends.ts';
import { failureOf } from '../instances/rollout-failure.ts';
import { grant } from '../leases/grant.ts';
import { takeAway } from '../leases/take-back.ts';
import { documentBytes, hasRoomForEntry, matchingEdges, roomOf } from '../pass/candidates.ts';
import { isOverdrawn } from '../pass/capacity.ts';
import {
  changeLease,
  type EdgeDraft,
  type JobDraft,
  type LeaseDraft,
  leaseFor,
  lookAgain,
  type Pass,
  pendingOf,
} from '../pass/draft.ts';
import { hasSaidSince } from '../pass/edge-word.ts';
import { canAfford, jobCost, leaseCost, touchJob, touchLease } from '../plan/rows.ts';

/**
 * Brings the instances of a service to the generation that its user wants, never more of them away
 * at once than it allows: the next one follows when those before it have been ready for long
 * enough. Those that are away anyway come first. One of them that ends meanwhile, or is not ready
 * in time, pauses the rollout or turns it back; those that were not brought yet are not touched.
 *
 * An instance stays on its edge where that suits: its agent stops it and starts it anew, which is a
 * next attempt. On an edge that cannot be reached nothing is begun; of a job that runs everywhere,
 * instances on edges that are gone are not waited for, and come as what is wanted when they do.
 */
export function rollOut(pass: Pass): void {
  for (const job of pass.jobs.values()) {
    const { update } = job.intent.spec;
    if (job.rollout === undefined || update === undefined || job.intent.cancelled) continue;
    if (job.rollout !== job.before.rollout) touchWhenAffordable(pass, job);
    forgetEnded(pass, job, job.rollout);
    if (job.rollout.due.size === 0 && job.rollout.unsettled.size === 0) finish(pass, job);
    else advance(pass, job, update);
  }
}

function touchWhenAffordable(pass: Pass, job: JobDraft): void {
  if (canAfford(pass, jobCost(job))) touchJob(pass, job);
}

/** Whatever is remembered, is remembered with the job's own rows. */
function change(pass: Pass, job: JobDraft, next: Partial<Rollout>): boolean {
  if (!canAfford(pass, jobCost(job))) return false;
  touchJob(pass, job);
  job.rollout = { ...job.rollout!, ...next };
  return true;
}

/** Instances that are not wanted any more, or have ended for good. */
function forgetEnded(pass: Pass, job: JobDraft, { due, unsettled }: Rollout): void {
  const known = unionAll([dueOf({ due }), fromChunks(unsettled.keys())]);
  const gone = subtract(known, openInstancesOf(job));
  if (isEmpty(gone)) return;
  const next = { due: withoutDue(due, gone), unsettled: withoutChunks(unsettled, gone) };
  if (!change(pass, job, next) || everywhereOf(job) === null) return;
  const left = subtract(subtract(gone, job.done), job.dead);
  countAnew(pass, job, intersect(left, dueOf({ due })));
}

/** An edge may come back that never knew it was gone: what it runs still is not what is wanted. */
function countAnew(pass: Pass, job: JobDraft, chunks: RangeSet): void {
  const retries = new Map(job.retries);
  for (const chunk of chunksOf(chunks)) {
    const failures = (retries.get(chunk)?.failures ?? 0) + 1;
    retries.set(chunk, { failures, dueAtMs: pass.nowMs, last: 'its edge was gone', streak: 0 });
  }
  job.retries = retries;
}

function finish(pass: Pass, job: JobDraft): void {
  const { state, generation, stable } = job.rollout!;
  if (state === 'paused' || (state !== 'moving' && stable === generation)) return;
  const next = state === 'moving' ? ('done' as const) : state;
  change(pass, job, { state: next, stable: generation });
}

function advance(pass: Pass, job: JobDraft, update: Update): void {
  const ready = unionAll(job.leases.map((lease) => intersect(lease.ready, lease.running)));
  settle(pass, job, { ready, update });
  const { state, due, unsettled, awaits } = job.rollout!;
  // Nobody looks again for its own sake at what has come to its end.
  if (due.size + unsettled.size === 0) {
    finish(pass, job);
    return;
  }
  if (awaits !== undefined) return;
  if (state === 'moving') {
    const why = failureOf(pass, job, update);
    if (why !== null) {
      giveUp(pass, job, update, why);
      return;
    }
  }
  if (state !== 'paused') bring(pass, job, { ready, update });
  if (state === 'rolled-back') noteLate(pass, job, update);
}

/** Only who takes turns with it has to know. */
function noteLate(pass: Pass, job: JobDraft, update: Update): void {
  const { progressAtMs, late } = job.rollout!;
  if (job.intent.rollout?.byTurns !== true || late === true) return;
  const atMs = progressAtMs + update.failAfterSeconds * 1000;
  if (pass.nowMs < atMs) lookAgain(pass, atMs);
  else change(pass, job, { late: true });
}

type Now = { readonly ready: RangeSet; readonly update: Update };

/**
 * Since when those that were brought have been ready. After long enough they count again, once
 * their edge says that they still are.
 */
function settle(pass: Pass, job: JobDraft, { ready, update }: Now): void {
  const { unsettled } = job.rollout!;
  const next = new Map(unsettled);
  let progressAtMs = job.rollout!.progressAtMs;
  const unreachable = unreachableOf(pass, job);
  const anew = startedAnewOf(job);
  for (const [chunk, readyAtMs] of unsettled) {
    if (has(unreachable, chunk)) next.delete(chunk);
    else if (!has(ready, chunk)) next.set(chunk, null);
    else {
      const sinceMs = has(anew, chunk) ? pass.nowMs : (readyAtMs ?? pass.nowMs);
      const settledAtMs = sinceMs + update.minReadySeconds * 1000;
      next.set(chunk, sinceMs);
      if (settledAtMs > pass.nowMs) lookAgain(pass, settledAtMs);
      else if (update.minReadySeconds === 0 || isStillReady(pass, job, chunk, settledAtMs)) {
        next.delete(chunk);
        progressAtMs = pass.nowMs;
      }
    }
  }
  const isSame =
    next.size === unsettled.size && [...next].every(([chunk, at]) => unsettled.get(chunk) === at);
  if (!isSame) change(pass, job, { unsettled: next, progressAtMs });
}

/** On edges whose agents died since the pass before: whether with what they ran, nobody knows. */
function startedAnewOf(job: JobDraft): RangeSet {
  const leases = job.leases.filter(({ edge: { boot, before } }) => boot !== before.boot);
  return unionAll(leases.map(({ ranges }) => ranges));
}

function isStillReady(pass: Pass, job: JobDraft, chunk: number, atMs: number): boolean {
  const lease = job.leases.find(({ ranges }) => has(ranges, chunk));
  return lease !== undefined && hasSaidSince(pass, lease.edge, atMs);
}

/** A service that was only started anew has nothing to go back to. */
function giveUp(pass: Pass, job: JobDraft, { onFailure }: Update, reason: string): void {
  const rollout = job.rollout!;
  const isBack = onFailure === 'rollback' && rollout.stable !== rollout.generation;
  const next = isBack
    ? turnedBack(rollout, openInstancesOf(job), pass.nowMs, reason)
    : { state: 'paused' as const, reason };
  // What it is brought to now is placed by what that asks for: in the pass that follows.
  if (!change(pass, job, next)) return;
  job.refusals = new Map();
  lookAgain(pass, pass.nowMs);
}

function bring(pass: Pass, job: JobDraft, { ready, update }: Now): void {
  bringWaiting(pass, job);
  const settled = subtract(ready, fromChunks(job.rollout!.unsettled.keys()));
  const reachable = subtract(openInstancesOf(job), unreachableOf(pass, job));
  let away = count(reachable) - count(intersect(settled, reachable));
  for (const lease of job.leases) {
    if (lease.edge.source.report?.connected !== true) continue;
    // One that left for another edge is among what that holds, and is brought already.
    const unready = subtract(intersect(lease.ranges, dueOf(job.rollout!)), ready);
    for (const chunk of chunksOf(unready)) if (!bringOne(pass, lease, chunk)) return;
  }
  for (const chunk of chunksOf(intersect(dueOf(job.rollout!), ready))) {
    if (away >= update.maxUnavailable) return;
    const lease = job.leases.find((it) => has(it.ranges, chunk));
    if (lease?.edge.source.report?.connected !== true) continue;
    if (!bringOne(pass, lease, chunk)) return;
    away++;
  }
}

/** What nobody holds comes as what is wanted now, and without waiting for what it was. */
function bringWaiting(pass: Pass, job: JobDraft): void {
  const chunks = intersect(dueOf(job.rollout!), pendingOf(job));
  if (isEmpty(chunks) || !brought(pass, job, chunks)) return;
  const retries = new Map(job.retries);
  for (const chunk of chunksOf(chunks)) {
    const retry = retries.get(chunk);
    if (retry !== undefined) retries.set(chunk, { ...retry, dueAtMs: pass.nowMs, streak: 0 });
  }
  job.retries = retries;
}

function brought(pass: Pass, job: JobDraft, chunks: RangeSet): boolean {
  const { due, unsettled } = job.rollout!;
  const awaited = subtract(chunks, unreachableOf(pass, job));
  const more = [...chunksOf(awaited)].map((chunk) => [chunk, null] as const);
  return change(pass, job, {
    due: withoutDue(due, chunks),
    unsettled: new Map([...unsettled, ...more]),
    progressAtMs: pass.nowMs,
  });
}

function bringOne(pass: Pass, lease: LeaseDraft, chunk: number): boolean {
  const { job, edge } = lease;
  const one = rangeOf(chunk, chunk + 1);
  const { generation, due } = job.rollout!;
  const isSame = has(due.get(generation) ?? emptyRanges, chunk);
  // An edge to go to, and its lease, are two more.
  if (!canAfford(pass, leaseCost(lease) + 3) || !brought(pass, job, one)) return false;
  const why = isSame ? 'started anew' : `brought to generation ${generation}`;
  startElsewhere(pass, lease, one, why);
  edge.documentBytes = -1;
  const isBound = everywhereOf(job) !== null;
  const others = matchingEdges(pass, job);
  const suits = isBound || (others.includes(edge) && !isOverdrawn(edge.free));
  const other = leaves(job, chunk) ? roomiest(pass, job, edge) : undefined;
  if (other === undefined && suits && documentBytes(edge) <= workBytesMax) {
    lease.ready = subtract(lease.ready, one);
    changeLease(lease, { running: subtract(lease.running, one) });
  } else takeAway(lease, one);
  touchLease(pass, lease, true);
  if (other !== undefined) grant(pass, leaseFor(pass, other, job), one, 1);
  return true;
}

/** Its user does not want it where it runs. */
function leaves(job: JobDraft, chunk: number): boolean {
  return isElsewhere(job.intent.rollout?.restart, chunk) && everywhereOf(job) === null;
}

function roomiest(pass: Pass, job: JobDraft, edge: EdgeDraft): EdgeDraft | undefined {
  const roomFor = (it: EdgeDraft) => (it === edge ? 0 : roomOf(job.demand, it));
  const others = matchingEdges(pass, job).filter((it) => roomFor(it) > 0 && hasRoomForEntry(it));
  return others.sort((a, b) => roomFor(b) - roomFor(a))[0];
}
