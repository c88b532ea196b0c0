import { emptyRanges, has, isEmpty, type RangeSet, subtract, union } from '../model/ranges.ts';
import { restartsKept } from './limits.ts';

/**
 * The wish that instances start anew. A pass sees the last one, which may be the second since the
 * pass before: so it carries those before it, as far as they are about other instances.
 */
export type RestartWish = OneRestart & {
  /** The newest first; each instance is in the last of them all that names it, and in no other. */
  readonly before?: readonly OneRestart[];
};

export type OneRestart = {
  /** Grows with each. */
  readonly epoch: number;
  /** `null`: all of them. */
  readonly chunks: RangeSet | null;
  /** Not where they run now, if another edge has room. */
  readonly elsewhere?: true;
};

export function restartAfter(last: RestartWish | undefined, next: OneRestart): RestartWish {
  const { chunks } = next;
  if (last === undefined || chunks === null) return next;
  const rest = partsOf(last).flatMap((it): OneRestart[] => {
    if (it.chunks === null) return [it];
    const others = subtract(it.chunks, chunks);
    return isEmpty(others) ? [] : [{ ...it, chunks: others }];
  });
  return rest.length === 0 ? next : { ...next, before: withoutMost(rest) };
}

/** The oldest become one: who has seen only a part of it starts more anew, and never less. */
function withoutMost(parts: readonly OneRestart[]): readonly OneRestart[] {
  const kept = parts.slice(0, restartsKept);
  const dropped = parts.slice(restartsKept);
  return dropped.reduce<readonly OneRestart[]>((all, { chunks, elsewhere }) => {
    const oldest = all.at(-1)!;
    const isAll = oldest.chunks === null || chunks === null;
    const { epoch } = oldest;
    const isElsewhere = oldest.elsewhere === true && elsewhere === true;
    const both = { epoch, chunks: isAll ? null : union(oldest.chunks!, chunks!) };
    return [...all.slice(0, -1), isElsewhere ? { ...both, elsewhere: true as const } : both];
  }, kept);
}

/** What was asked for after this one; `null` are all. */
export function askedAgain(wish: RestartWish, seen: number): RangeSet | null {
  let asked = emptyRanges;
  for (const { epoch, chunks } of partsOf(wish)) {
    if (epoch <= seen) continue;
    if (chunks === null) return null;
    asked = union(asked, chunks);
  }
  return asked;
}

/** Its user does not want it where it runs. */
export function isElsewhere(wish: RestartWish | null | undefined, chunk: number): boolean {
  const parts = wish == null ? [] : partsOf(wish);
  const own = parts.find(({ chunks }) => chunks === null || has(chunks, chunk));
  return own?.elsewhere === true && own.chunks !== null;
}

/** The newest first. */
export function partsOf({ before = [], ...last }: RestartWish): readonly OneRestart[] {
  return [last, ...before];
}
