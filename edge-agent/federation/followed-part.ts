import { count, emptyRanges, nth, type RangeSet } from '../../core/model/ranges.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { ChunkName, ChunkOrder } from '../executors/executor.ts';
import type { ResultsBelow } from './bring-results.ts';
import type { DownstreamJob } from './downstream-api.ts';
import type { PartName } from './part.ts';

/** A job below that is followed until nothing is expected of it any more. */
export type FollowedPart = {
  name: PartName;
  id: string;
  /** Only needed to hand it over; `null` of one that an earlier life handed over. */
  readonly handed: Handed | null;
  readonly keepOutput: AgentSpec['keepOutput'];
  /** Files that chunks leave there and that are brought here; `null`: none are wanted. */
  readonly results: ResultsBelow | null;
  isThere: boolean;
  /** Some of it is not wanted any more, and may be under way there. */
  isLeft: boolean;
  isCancelling: boolean;
  /** By their numbers in the job below: of these an end is expected. */
  open: RangeSet;
  /** Not wanted any more, while others are, and not cancelled there yet. */
  leaving: RangeSet;
  running: RangeSet;
  /** So many were cancelled there when their ends were last asked for. */
  cancelledThere: number;
  /** Ends that are not written down yet. */
  taking: number;
  /** Looks at which it seemed that nothing there will ever run it. */
  hopeless: number;
  lookedAtMs: number;
};

/** What it takes to hand a part over. */
export type Handed = { readonly spec: AgentSpec; readonly power: number };

export function newFollowedPart(
  what: Pick<
    FollowedPart,
    'id' | 'name' | 'handed' | 'keepOutput' | 'results' | 'open' | 'leaving'
  >,
  lookedAtMs: number,
): FollowedPart {
  return {
    ...what,
    ...{ isThere: false, isLeft: false, isCancelling: false, taking: 0, hopeless: 0 },
    cancelledThere: 0,
    running: emptyRanges,
    lookedAtMs,
  };
}

export function nameOf(
  { name: { edge, job, attempt, chunks } }: Pick<FollowedPart, 'name'>,
  index: number,
): ChunkName {
  return { edge, job, chunk: nth(chunks, index) ?? -1, attempt };
}

/** How long one took, as far as a look now and then can know it. */
export function meanMs(passedMs: number, { running }: DownstreamJob, ended: number): number | null {
  return ended === 0 ? null : (passedMs * Math.max(1, count(running))) / ended;
}

/** Orders that can be one job below. */
export function alikeOf(orders: readonly ChunkOrder[]): Iterable<readonly ChunkOrder[]> {
  const alike = new Map<string, ChunkOrder[]>();
  for (const order of orders) {
    const key = `${order.edge}/${order.attempt}/${order.power}`;
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [order]);
    else known.push(order);
  }
  return alike.values();
}
