import { chunksMax } from '../model/limits.ts';
import { type JobId, parseJobId } from '../model/names.ts';
import { liveChunksPerEdgeMax, liveRenewMs, liveWishesBytesMax, liveWishMs } from './limits.ts';

/**
 * Whose output an edge shall send while it is printed: somebody looks at it. A wish ends by itself;
 * who goes on looking renews it.
 */
export type LiveWish = {
  readonly job: JobId;
  readonly chunk: number;
  readonly untilMs: number;
};

/**
 * The wishes of an edge with this one among them: `known` when it is there for long enough, `full`
 * when the edge has as many as its document holds. What has ended goes.
 */
export function withWish(
  wishes: readonly LiveWish[],
  { job, chunk }: Pick<LiveWish, 'job' | 'chunk'>,
  nowMs: number,
): readonly LiveWish[] | 'known' | 'full' {
  const open = wishes.filter(({ untilMs }) => untilMs > nowMs);
  const others = open.filter((it) => it.job !== job || it.chunk !== chunk);
  const own = open.find((it) => !others.includes(it));
  if (own !== undefined && own.untilMs - nowMs > liveRenewMs) return 'known';
  const next = [...others, { job, chunk, untilMs: nowMs + liveWishMs }];
  const isTooMuch = encodeLiveWishes(next).length > liveWishesBytesMax;
  return next.length > liveChunksPerEdgeMax || isTooMuch ? 'full' : next;
}

/** One scalar, `job:3:t4x2k1`: a shadow replaces it whole. */
export function encodeLiveWishes(wishes: readonly LiveWish[]): string {
  return wishes
    .map(({ job, chunk, untilMs }) => `${job}:${chunk}:${Math.ceil(untilMs / 1_000).toString(36)}`)
    .join(',');
}

/** What makes no sense is left out. */
export function parseLiveWishes(value: unknown): LiveWish[] {
  if (typeof value !== 'string' || value.length > liveWishesBytesMax) return [];
  return value.split(',').flatMap((one): LiveWish[] => {
    const [name = '', number = '', until = ''] = one.split(':');
    const job = parseJobId(name);
    if (job === null || !/^\d{1,8}$/.test(number) || !/^[0-9a-z]{1,8}$/.test(until)) return [];
    const chunk = Number(number);
    const untilMs = Number.parseInt(until, 36) * 1_000;
    return chunk < chunksMax ? [{ job, chunk, untilMs }] : [];
  });
}
