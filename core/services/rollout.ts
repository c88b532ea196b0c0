import type { ExecutorName, Requires } from '../model/job.ts';
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
import { askedAgain, type RestartWish } from './restart-wish.ts';
import type { RolloutState } from './service.ts';

/**
 * How a service comes from one generation to the next: instance by instance, each given up by what
 * ran before and taken by what is wanted now. Which instance is next is decided in
 * `core/scheduler/phases/roll-out.ts`; here is what is remembered of it.
 */

/** What a user wants of the generations of a service; absent: the first, never started anew. */
export type RolloutWish = {
  readonly generation: number;
  /** Those before it that are kept, in any order. */
  readonly earlier: readonly EarlierGeneration[];
  readonly restart: RestartWish | null;
};

/** What a cell must know of a generation that is not wanted any more. */
export type EarlierGeneration = {
  readonly generation: number;
  readonly specHash: string;
  readonly executor: ExecutorName;
  readonly requires: Requires;
  readonly resources: Readonly<Record<string, number>>;
};

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

/** The rollout when the wish is seen: the same as before where the wish says nothing new. */
export function rolloutTowards(
  wish: RolloutWish | undefined,
  ranges: RangeSet,
  before: Rollout | undefined,
  nowMs: number,
): Rollout | undefined {
  if (wish === undefined) return before;
  const at = before ?? firstRollout;
  const { generation: wanted, restart } = wish;
  const isNew = wanted > at.wanted;
  const isAgain = restart !== null && restart.epoch > at.restarts;
  if (!isNew && !isAgain) return before;
  const asked = isNew ? ranges : intersect(askedAgain(restart!, at.restarts) ?? ranges, ranges);
  const more = subtract(asked, dueOf(at));
  return {
    ...at,
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

/** Back to the last generation that ran everywhere; those that never left it are not touched. */
export function turnedBack(at: Rollout, ranges: RangeSet, nowMs: number, reason: string): Rollout {
  const kept = new Map(at.due);
  kept.delete(at.stable);
  return {
    ...at,
    generation: at.stable,
    state: 'rolled-back',
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
