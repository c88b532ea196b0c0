import type { ExecutorName, Requires } from '../model/job.ts';
import type { RestartWish } from './restart-wish.ts';
import type { RolloutTurn } from './rollout-turn.ts';

/** What a user wants of the generations of a service; absent: the first, never started anew. */
export type RolloutWish = {
  readonly generation: number;
  /** Those before it that are kept, in any order. */
  readonly earlier: readonly EarlierGeneration[];
  readonly restart: RestartWish | null;
  /** Its cells follow it one after the other, so that together they have no more away than one. */
  readonly byTurns?: true;
};

/** What a cell must know of a generation that is not wanted any more. */
export type EarlierGeneration = {
  readonly generation: number;
  readonly specHash: string;
  readonly executor: ExecutorName;
  readonly requires: Requires;
  readonly resources: Readonly<Record<string, number>>;
};

/** Each change of a wish raises the one or the other by one. */
export function wishNumber({ generation, restart }: RolloutWish): number {
  return generation + (restart?.epoch ?? 0);
}

export function mayGo(wish: RolloutWish, turn: RolloutTurn | undefined): boolean {
  if (wish.byTurns !== true) return true;
  return turn !== undefined && turn.back === undefined && turn.wish >= wishNumber(wish);
}
