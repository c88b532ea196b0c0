import {
  count,
  emptyRanges,
  intersect,
  isEmpty,
  last,
  type RangeSet,
  rangeOf,
  subtract,
  take,
  union,
  unionAll,
} from '../../model/ranges.ts';
import { numbersOf } from '../../services/instance-numbers.ts';
import { instancesMax } from '../../services/limits.ts';
import type { StandIns, Update } from '../../services/service.ts';
import { matchingEdges, roomOf } from '../pass/candidates.ts';
import { type JobDraft, leasedOf, lookAgain, type Pass, pendingOf } from '../pass/draft.ts';
import { hasSaidSince } from '../pass/edge-word.ts';
import { openInstancesOf } from './instance-ends.ts';

/**
 * While an edge gives its instances away, others stand in for them where there is room: a number
 * has one holder, so what moves stops before it starts elsewhere, and meanwhile as many are to be
 * ready as are wanted. They have the numbers above the highest, and go when all has moved. A
 * service that is brought to another generation has none, nor one whose instances come to an end:
 * nobody asked for one run more.
 */
export type Numbers = { readonly ranges: RangeSet; readonly standIns: StandIns | undefined };

export function numbersNow(pass: Pass, job: JobDraft): Numbers {
  const ranges = numbersOf(job.intent.chunking);
  const none = { ranges, standIns: undefined };
  const { update, restart } = job.intent.spec;
  if (update === undefined || job.intent.cancelled || isRolledOut(job)) return none;
  if (restart?.policy !== 'always') return none;
  const leaving = count(intersect(leavingOf(job), ranges));
  const had = standInsOf(job);
  if (leaving === 0 && isEmpty(had)) return none;
  const room = roomFor(pass, job);
  if (isEmpty(had)) {
    const from = (last(ranges) ?? -1) + 1;
    const most = Math.min(update.maxUnavailable, leaving, room - 1, instancesMax - from);
    if (most < 1) return none;
    const standIns = { atMs: pass.nowMs, readyAtMs: null };
    return { ranges: union(ranges, rangeOf(from, from + most)), standIns };
  }
  const standIns = seenNow(pass, job, job.standIns!);
  const isFull = leaving > 0 && room < 1;
  const isOver = leaving === 0 && progressOf(pass, job, update, standIns) !== 'waits';
  if (isOver || (isFull && standIns.readyAtMs !== null)) return none;
  const kept = take(isFull ? intersect(had, leasedOf(job)) : had, update.maxUnavailable).taken;
  return isEmpty(kept) ? none : { ranges: union(ranges, kept), standIns };
}

function isRolledOut({ rollout }: JobDraft): boolean {
  return rollout !== undefined && rollout.due.size + rollout.unsettled.size > 0;
}

export function standInsOf({ standIns, ranges, intent }: JobDraft): RangeSet {
  return standIns === undefined ? emptyRanges : subtract(ranges, numbersOf(intent.chunking));
}

function leavingOf({ leases }: JobDraft): RangeSet {
  const leaving = leases.filter(({ edge: { source } }) => {
    const { drain, removing } = source.config;
    return source.report?.connected === true && (drain !== null || removing?.force === false);
  });
  return unionAll(leaving.map((lease) => lease.running));
}

/** For so many more, those that wait already left out. */
export function roomFor(pass: Pass, job: JobDraft): number {
  const rooms = matchingEdges(pass, job).map((edge) => roomOf(job.demand, edge));
  return rooms.reduce((sum, room) => sum + room, -count(pendingOf(job)));
}

export function readyOf({ leases }: JobDraft): RangeSet {
  return unionAll(leases.map((lease) => intersect(lease.ready, lease.running)));
}

/** The same while nothing has changed. */
function seenNow(pass: Pass, job: JobDraft, before: StandIns): StandIns {
  const areReady = isEmpty(subtract(openInstancesOf(job), readyOf(job)));
  if (areReady === (before.readyAtMs !== null)) return before;
  return { ...before, readyAtMs: areReady ? pass.nowMs : null };
}

/** `late`: whatever keeps them, nobody waits for them any longer. */
export function progressOf(
  pass: Pass,
  job: JobDraft,
  { minReadySeconds, failAfterSeconds }: Update,
  { atMs, readyAtMs: sinceMs }: StandIns,
): 'ready' | 'late' | 'waits' {
  const readyMs = sinceMs === null ? Number.POSITIVE_INFINITY : sinceMs + minReadySeconds * 1000;
  if (readyMs <= pass.nowMs && (minReadySeconds === 0 || areStillReady(pass, job, readyMs))) {
    return 'ready';
  }
  const lateMs = atMs + failAfterSeconds * 1000;
  if (lateMs <= pass.nowMs) return 'late';
  lookAgain(pass, readyMs > pass.nowMs ? Math.min(readyMs, lateMs) : lateMs);
  return 'waits';
}

/** All edges are asked at once. */
function areStillReady(pass: Pass, job: JobDraft, atMs: number): boolean {
  const held = job.leases.filter(({ ranges }) => !isEmpty(ranges));
  const said = held.map(({ edge }) => hasSaidSince(pass, edge, atMs));
  return said.every((hasSaid) => hasSaid);
}
