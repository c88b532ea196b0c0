import { notFound } from '../../../core/contract/problem.ts';
import type { ReadPlace } from '../../../core/live/collect-parts.ts';
import { firstLookMs, livePartsLookMs, livePlaceLookMs } from '../../../core/live/limits.ts';
import type { JobId } from '../../../core/model/names.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { askEdge } from './ask-edge.ts';
import { chunkPlaceOf, type FollowedChunk } from './followed-chunk.ts';
import { isFollowing, type OutputQuery, readOutputQuery } from './output-query.ts';
import { pause } from './pause.ts';
import { type ReadOutput, readKept, readLive } from './read-output.ts';

/**
 * `GET /v1/jobs/{id}/chunks/{n}/output`: what the chunk printed, byte for byte. While it runs its
 * edge is asked to send that, and who waits gets what comes next; after its end it is what the job
 * keeps.
 */
type Asked = { readonly id: JobId; readonly chunk: string; readonly query: OutputQuery };

type Needed = Pick<Ports, 'jobs' | 'outputs' | 'results' | 'live' | 'liveShadows' | 'clock'>;

export const getOutput = defineOperation({
  name: 'getOutput',
  read: (call): Asked => {
    checkQuery(call, ['offset', 'attempt', 'waitSeconds', 'stream']);
    const query = readOutputQuery(call);
    return { id: jobOfPath(call), chunk: call.params.chunk ?? '', query };
  },
  run: (asked, context, deps: Needed): Promise<ReadOutput> => follow(asked, context, deps),
  answer: ({ bytes, attempt, next, complete, omitted }) => ({
    status: 200,
    headers: {
      'content-type': 'application/octet-stream',
      'edgewise-attempt': String(attempt),
      'edgewise-next-offset': String(next),
      'edgewise-complete': String(complete),
      ...(omitted && { 'edgewise-omitted': `${omitted.from}-${omitted.to}` }),
    },
    body: bytes,
  }),
});

async function follow(asked: Asked, { caller }: Context, deps: Needed): Promise<ReadOutput> {
  const { id, query } = asked;
  const { stream } = query;
  const look = () => chunkPlaceOf(id, { named: asked.chunk, stream }, caller, deps);
  // Standard error apart is shown when it is kept.
  const readSent = (chunk: FollowedChunk, nowMs: number) =>
    stream === 'stderr'
      ? { ...nothingSent, ...nextIn(placeIn(query, chunk)) }
      : readLive(id, chunk, placeIn(query, chunk), nowMs, deps);
  const begunAtMs = deps.clock.nowMs();
  const lookMs = stream === 'stderr' ? 0 : firstLookMs;
  const waitMs = isFollowing(query) ? query.waitMs : lookMs;
  const looksMax = Math.ceil(waitMs / livePartsLookMs);
  let chunk = await look();
  let lookedAt = 0;
  for (let looks = 0; looks <= looksMax; looks++) {
    const nowMs = deps.clock.nowMs();
    const live = await readSent(chunk, nowMs);
    const isLate = looks >= looksMax || nowMs - begunAtMs >= waitMs;
    // Who does not follow gets what is there, and not the first piece of it.
    const isEnough = isFollowing(query) || !live.isMore || isLate;
    if (live.bytes.length > 0 && isEnough) {
      return { ...live, complete: chunk.isOver && live.isWhole };
    }
    if (chunk.isOver) return atItsEnd(id, chunk, live, query, deps);
    if (!isFollowing(query) && live.bytes.length === 0) {
      const kept = await readKept(chunk, live, false, deps);
      if (kept !== null) return kept;
      if (!chunk.isHeld || chunk.output !== null) throw notKept(id, chunk);
    }
    if (isLate) break;
    if (chunk.isHeld && stream === 'stdout') await askEdge(id, chunk, nowMs, deps);
    await pause(livePartsLookMs);
    // The end of the attempt is known before that of the chunk.
    if (!live.isWhole && looks - lookedAt < looksPerPlace) continue;
    chunk = await look();
    lookedAt = looks;
  }
  return readSent(chunk, deps.clock.nowMs());
}

const nothingSent = { bytes: new Uint8Array(), complete: false, isWhole: false, isMore: false };

const nextIn = ({ attempt, offset }: ReadPlace) => ({ attempt, next: offset });

const looksPerPlace = Math.ceil(livePlaceLookMs / livePartsLookMs);

function placeIn({ attempt, offset }: OutputQuery, chunk: FollowedChunk): ReadPlace {
  return { attempt: attempt ?? Math.max(1, chunk.attempt), offset };
}

async function atItsEnd(
  id: JobId,
  chunk: FollowedChunk,
  live: ReadOutput & { readonly isWhole: boolean },
  query: OutputQuery,
  deps: Needed,
): Promise<ReadOutput> {
  const kept = await readKept(chunk, live, isFollowing(query), deps);
  if (kept !== null) return kept;
  const sawNothing = live.next === 0 && !live.isWhole;
  if (sawNothing || !isFollowing(query)) throw notKept(id, chunk);
  return { ...live, complete: true };
}

function notKept(id: JobId, { chunk }: FollowedChunk) {
  return notFound(`kept output of chunk ${chunk} of job "${id}"`);
}
