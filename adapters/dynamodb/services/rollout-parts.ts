import { type ExecutorName, executorNames, type Requires } from '../../../core/model/job.ts';
import { formatRanges, type RangeSet } from '../../../core/model/ranges.ts';
import type { Rollout, RolloutWish } from '../../../core/services/rollout.ts';
import { type RolloutState, rolloutStates } from '../../../core/services/service.ts';
import { isRequires, isResources } from '../rows/job-shapes.ts';
import { json } from '../rows/row-values.ts';
import { isText, isTime, isWhole, listOf, orNull, recordOf, tupleOf } from '../rows/shapes.ts';
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
});

export function encodeWish({ generation, earlier, restart }: RolloutWish): string {
  return JSON.stringify({ generation, earlier, ...restartText(restart) });
}

export function decodeWish(value: unknown): { rollout?: RolloutWish } {
  const wish = json<WishText | null>(value, isWish, null);
  if (wish === null) return {};
  const { generation, earlier } = wish;
  return { rollout: { generation, earlier, restart: restartOf(wish) } };
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
