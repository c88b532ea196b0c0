import { type ExecutorName, executorNames, type Requires } from '../../../core/model/job.ts';
import { formatRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { Rollout } from '../../../core/services/rollout.ts';
import type { RolloutTurn } from '../../../core/services/rollout-turn.ts';
import type { RolloutWish } from '../../../core/services/rollout-wish.ts';
import { type RolloutState, rolloutStates } from '../../../core/services/service.ts';
import { isRequires, isResources, isRolloutTurn } from '../rows/job-shapes.ts';
import { json } from '../rows/row-values.ts';
import {
  isFlag,
  isText,
  isTime,
  isWhole,
  listOf,
  optional,
  orNull,
  recordOf,
  tupleOf,
} from '../rows/shapes.ts';
import {
  isRangesText,
  type RestartText,
  restartOf,
  restartShapes,
  restartText,
  set,
} from './restart-parts.ts';

/** What rows hold of the generations of a service, each one JSON text: `wish` and `rollout`. */
type WishText = RestartText & {
  readonly byTurns?: true;
  readonly generation: number;
  readonly earlier: readonly {
    readonly generation: number;
    readonly specHash: string;
    readonly executor: ExecutorName;
    readonly requires: Requires;
    readonly resources: Readonly<Record<string, number>>;
  }[];
};

const isExecutor = (value: unknown) => executorNames.some((name) => name === value);

const isWish = recordOf({
  generation: isWhole,
  earlier: listOf(
    recordOf({
      generation: isWhole,
      specHash: isText,
      executor: isExecutor,
      requires: isRequires,
      resources: isResources,
    }),
  ),
  ...restartShapes,
  byTurns: optional(isFlag),
});

export function encodeWish({ generation, earlier, restart, byTurns }: RolloutWish): string {
  const turns = byTurns === true ? { byTurns } : {};
  return JSON.stringify({ generation, earlier, ...restartText(restart), ...turns });
}

export function decodeWish(value: unknown): { rollout?: RolloutWish } {
  const wish = json<WishText | null>(value, isWish, null);
  if (wish === null) return {};
  const { generation, earlier, byTurns } = wish;
  const turns = byTurns === true ? { byTurns } : {};
  return { rollout: { generation, earlier, restart: restartOf(wish), ...turns } };
}

export function encodeTurn(turn: RolloutTurn): string {
  return JSON.stringify(turn);
}

export function decodeTurn(value: unknown): { turn?: RolloutTurn } {
  const turn = json<RolloutTurn | null>(value, isRolloutTurn, null);
  return turn === null ? {} : { turn };
}

type RolloutText = Omit<Rollout, 'due' | 'unsettled'> & {
  readonly due: readonly (readonly [generation: number, chunks: string])[];
  readonly unsettled: readonly (readonly [chunk: number, readyAtMs: number | null])[];
};

const isRollout = recordOf({
  generation: isWhole,
  wanted: isWhole,
  restarts: isWhole,
  state: (value) => rolloutStates.some((state: RolloutState) => state === value),
  stable: isWhole,
  due: listOf(tupleOf(isWhole, isRangesText)),
  unsettled: listOf(tupleOf(isWhole, orNull(isTime))),
  progressAtMs: isTime,
  reason: orNull(isText),
  awaits: optional(recordOf({ wish: isWhole, generation: isWhole })),
  failed: optional(isWhole),
  late: optional(isFlag),
});

export function encodeRollout(rollout: Rollout): string {
  const due = encodeGenerations(rollout.due);
  return JSON.stringify({ ...rollout, due, unsettled: [...rollout.unsettled] });
}

export function decodeRollout(value: unknown): { rollout?: Rollout } {
  const rollout = json<RolloutText | null>(value, isRollout, null);
  if (rollout === null) return {};
  const due = decodeGenerations(rollout.due);
  return { rollout: { ...rollout, due, unsettled: new Map(rollout.unsettled) } };
}

const areGenerations = listOf(tupleOf(isWhole, isRangesText));

/** What an execution holds of each. */
export function generationsIn(value: unknown): { generations?: ReadonlyMap<number, RangeSet> } {
  const held = json<RolloutText['due'] | null>(value, areGenerations, null);
  return held === null ? {} : { generations: decodeGenerations(held) };
}

export function encodeGenerations(held: ReadonlyMap<number, RangeSet>): RolloutText['due'] {
  return [...held].map(([generation, chunks]) => [generation, formatRanges(chunks)] as const);
}

function decodeGenerations(held: RolloutText['due']): ReadonlyMap<number, RangeSet> {
  return new Map(held.map(([generation, chunks]) => [generation, set(chunks)]));
}
