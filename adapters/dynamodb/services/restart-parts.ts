import { formatRanges, parseRanges, type RangeSet } from '../../../core/model/ranges.ts';
import { type OneRestart, partsOf, type RestartWish } from '../../../core/services/restart-wish.ts';
import { json } from '../rows/row-values.ts';
import {
  isFlag,
  isText,
  isWhole,
  listOf,
  optional,
  orNull,
  recordOf,
  type Shape,
  tupleOf,
} from '../rows/shapes.ts';

/** How a row holds the wish that instances start anew: the last one as the first version did. */
export type RestartText = {
  readonly restart: readonly [epoch: number, chunks: string | null] | null;
  readonly elsewhere?: boolean;
  readonly before?: readonly (readonly [
    epoch: number,
    chunks: string | null,
    elsewhere: boolean,
  ])[];
};

export const isRangesText: Shape = (value) =>
  isText(value) && parseRanges(value as string) !== null;
const isChunks = orNull(isRangesText);

export const restartShapes = {
  restart: orNull(tupleOf(isWhole, isChunks)),
  elsewhere: optional(isFlag),
  before: optional(listOf(tupleOf(isWhole, isChunks, isFlag))),
};

export function restartText(wish: RestartWish | null): RestartText {
  if (wish === null) return { restart: null };
  const [last, ...before] = partsOf(wish);
  return {
    restart: [last!.epoch, textOf(last!)],
    ...(last!.elsewhere === true && { elsewhere: true }),
    ...(before.length > 0 && {
      before: before.map((it) => [it.epoch, textOf(it), it.elsewhere === true] as const),
    }),
  };
}

export function restartOf({ restart, elsewhere, before = [] }: RestartText): RestartWish | null {
  if (restart === null) return null;
  const earlier = before.map((it) => oneOf(...it));
  const last = oneOf(...restart, elsewhere);
  return earlier.length === 0 ? last : { ...last, before: earlier };
}

function oneOf(epoch: number, named: string | null, elsewhere?: boolean): OneRestart {
  const chunks = named === null ? null : set(named);
  return { epoch, chunks, ...(elsewhere === true && { elsewhere }) };
}

function textOf({ chunks }: OneRestart): string | null {
  return chunks === null ? null : formatRanges(chunks);
}

/** Of a text whose shape was looked at. */
export function set(text: string): RangeSet {
  return parseRanges(text)!;
}

/** What a job holds of the last wish, so that the next one is about the others, too. */
export function encodeLastRestart(wish: RestartWish | null | undefined): string | null {
  return wish == null ? null : JSON.stringify(restartText(wish));
}

export function decodeLastRestart(value: unknown): { lastRestart?: RestartWish } {
  const text = json<RestartText | null>(value, recordOf(restartShapes), null);
  const lastRestart = text === null ? null : restartOf(text);
  return lastRestart === null ? {} : { lastRestart };
}
