import {
  emptyRanges,
  has,
  intersect,
  isEmpty,
  type RangeSet,
  subtract,
  union,
  unionAll,
} from '../model/ranges.ts';
import { askedAgain } from './restart-wish.ts';
import type { RolloutTurn } from './rollout-turn.ts';
import { mayGo, type RolloutWish, wishNumber } from './rollout-wish.ts';
import type { RolloutState } from './service.ts';

/**
 * How a service comes from one generation to the next: instance by instance, each given up by what
 * ran before and taken by what is wanted now. Which instance is next is decided in
 * `core/scheduler/phases/roll-out.ts`; here is what is remembered of it.
 */

/** Of a slice; absent while the first generation is all there ever was. */
export type Rollout = {
  /** What instances are brought to: the one wanted last or, rolled back, the one before. */
  readonly generation: number;
  /** The wishes that it is about. */
  readonly wanted: number;
  readonly restarts: number;
  readonly state: RolloutState;
  /** The last generation that all instances were brought to. */
  readonly stable: number;
  /** Instances that are still to be brought, by the generation that they run. */
  readonly due: ReadonlyMap<number, RangeSet>;
  /** Instances that were, and since when they have been ready; `null` while they are not. */
  readonly unsettled: ReadonlyMap<number, number | null>;
  /** When an instance was last brought, or was ready for long enough. */
  readonly progressAtMs: number;
  /** What it was paused or rolled back for. */
  readonly reason: string | null;
  /** The wish for which the turn of this cell has not come: until then nothing more is brought. */
  readonly awaits?: { readonly wish: number; readonly generation: number };
  /** The generation that was taken back last. */
  readonly failed?: number;
  /** It was taken back and has not come to its end in time: other cells do not wait for it. */
  readonly late?: true;
};

const firstRollout: Rollout = {
  generation: 1,
  wanted: 1,
  restarts: 0,
  state: 'done',
  stable: 1,
  due: new Map(),
  unsettled: new Map(),
  progressAtMs: 0,
  reason: null,
};

/** What of an intent a rollout follows from. */
export type Wished = {
  readonly rollout?: RolloutWish | undefined;
  readonly turn?: RolloutTurn | undefined;
};

/** The rollout when the wish is seen: the same as before where the wish says nothing new. */
export function rolloutTowards(
  { rollout: wish, turn }: Wished,
  ranges: RangeSet,
  before: Rollout | undefined,
  nowMs: number,
): Rollout | undefined {
  if (wish === undefined) return before;
  const at = before ?? firstRollout;
  const { generation: wanted, restart } = wish;
  const back = turn?.wish === wishNumber(wish) ? turn.back : undefined;
  if (back !== undefined && at.failed !== wanted) {
    return withOthers(at, ranges, { wanted, back, nowMs });
  }
  const isNew = wanted > at.wanted;
  const isAgain = restart !== null && restart.epoch > at.restarts;
  if (!isNew && !isAgain) return before;
  if (!mayGo(wish, turn)) return awaiting(at, wish);
  const asked = isNew ? ranges : intersect(askedAgain(restart!, at.restarts) ?? ranges, ranges);
  const more = subtract(asked, dueOf(at));
  const { awaits: _awaits, late: _late, ...own } = at;
  return {
    ...own,
    generation: isNew ? wanted : at.generation,
    wanted,
    restarts: restart?.epoch ?? at.restarts,
    state: !isNew && at.state === 'rolled-back' ? at.state : 'moving',
    due: withDue(at.due, at.generation, more),
    unsettled: withoutChunks(at.unsettled, more),
    progressAtMs: nowMs,
    reason: isNew ? null : at.reason,
  };
}

/** It stays what it is until its turn; that it waits is remembered, because others look for it. */
function awaiting(at: Rollout, wish: RolloutWish): Rollout {
  const number = wishNumber(wish);
  if (at.awaits?.wish === number) return at;
  return { ...at, awaits: { wish: number, generation: wish.generation } };
}

type Failed = {
  readonly wanted: number;
  readonly back: NonNullable<RolloutTurn['back']>;
  readonly nowMs: number;
};

/**
 * What is wanted has failed in another cell: it goes back as that did, and where it has not come to
 * it, it never will.
 */
function withOthers(
  { awaits: _, ...at }: Rollout,
  ranges: RangeSet,
  { wanted, back, nowMs }: Failed,
): Rollout {
  const followed = { ...at, wanted, stable: back.to };
  if (at.generation !== back.to) return turnedBack(followed, ranges, nowMs, back.reason);
  return { ...followed, state: 'rolled-back', failed: wanted, reason: back.reason };
}

/** Nothing more is brought now: its user has to decide, or other cells are first. */
export function standsStill({ state, awaits }: Pick<Rollout, 'state' | 'awaits'>): boolean {
  return state === 'paused' || awaits !== undefined;
}

/** Back to the last generation that ran everywhere; those that never left it are not touched. */
export function turnedBack(
  { late: _, ...at }: Rollout,
  ranges: RangeSet,
  nowMs: number,
  reason: string,
): Rollout {
  const kept = new Map(at.due);
  kept.delete(at.stable);
  return {
    ...at,
    generation: at.stable,
    state: 'rolled-back',
    failed: at.wanted,
    due: withDue(kept, at.generation, subtract(ranges, dueOf(at))),
    unsettled: new Map(),
    progressAtMs: nowMs,
    reason,
  };
}

/** All instances that are still to be brought. */
export function dueOf({ due }: Pick<Rollout, 'due'>): RangeSet {
  return unionAll([...due.values()]);
}

/** Which of these chunks are to run which generation now. */
export function generationsOf(
  rollout: Pick<Rollout, 'due' | 'generation'> | undefined,
  chunks: RangeSet,
): ReadonlyMap<number, RangeSet> {
  const { due, generation } = rollout ?? firstRollout;
  const held = new Map<number, RangeSet>();
  let rest = chunks;
  for (const [earlier, some] of due) {
    const here = intersect(some, chunks);
    if (!isEmpty(here)) held.set(earlier, here);
    rest = subtract(rest, here);
  }
  if (!isEmpty(rest)) held.set(generation, union(held.get(generation) ?? emptyRanges, rest));
  return held;
}

export function withoutDue(due: Rollout['due'], chunks: RangeSet): Rollout['due'] {
  const kept = [...due].map(([earlier, some]) => [earlier, subtract(some, chunks)] as const);
  return new Map(kept.filter(([, some]) => !isEmpty(some)));
}

export function withoutChunks<T>(
  map: ReadonlyMap<number, T>,
  chunks: RangeSet,
): ReadonlyMap<number, T> {
  return new Map([...map].filter(([chunk]) => !has(chunks, chunk)));
}

function withDue(due: Rollout['due'], generation: number, chunks: RangeSet): Rollout['due'] {
  if (isEmpty(chunks)) return due;
  return new Map(due).set(generation, union(due.get(generation) ?? emptyRanges, chunks));
}
