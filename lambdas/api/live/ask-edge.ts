import { ProblemError } from '../../../core/contract/problem.ts';
import { liveRenewMs, liveWishTriesMax } from '../../../core/live/limits.ts';
import { encodeLiveWishes, withWish } from '../../../core/live/live-wishes.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { Ports } from '../ports.ts';
import type { FollowedChunk } from './followed-chunk.ts';

/**
 * Asks the edge of a chunk to send what it prints. However many look, one of them asks, and again
 * when the wish is about to end: the row decides who it is, the document of the edge is what it
 * sees.
 */
export async function askEdge(
  job: JobId,
  { chunk, edge }: Pick<FollowedChunk, 'chunk' | 'edge'>,
  nowMs: number,
  { live, liveShadows }: Pick<Ports, 'live' | 'liveShadows'>,
): Promise<void> {
  if (edge === null) return;
  for (let tries = 0; tries < liveWishTriesMax; tries++) {
    const { wishes, version } = await live.wishes(edge);
    const next = withWish(wishes, { job, chunk }, nowMs);
    if (next === 'known') return;
    if (next === 'full') throw tooManyFollowed(edge);
    if (!(await live.saveWishes(edge, version, next, nowMs))) continue;
    try {
      return await liveShadows.wish(edge, encodeLiveWishes(next));
    } catch (error) {
      // The edge does not know of it: whoever looks next asks again.
      await live.saveWishes(edge, version + 1, wishes, nowMs);
      throw error;
    }
  }
}

function tooManyFollowed(edge: string): ProblemError {
  const detail = `So many chunks of edge "${edge}" are followed that it can send no other.`;
  const headers = { 'retry-after': String(Math.ceil(liveRenewMs / 1_000)) };
  return new ProblemError('too-many-requests', detail, { headers });
}
