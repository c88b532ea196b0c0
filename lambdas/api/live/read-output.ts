import {
  type CollectedParts,
  collectParts,
  type ReadPlace,
} from '../../../core/live/collect-parts.ts';
import { liveAnswerBytesMax } from '../../../core/live/limits.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { LivePart } from '../../../core/ports/live-output.ts';
import type { Ports } from '../ports.ts';
import type { FollowedChunk } from './followed-chunk.ts';

/** What a reader gets: bytes of an attempt, and where it reads on. */
export type ReadOutput = {
  readonly bytes: Uint8Array;
  readonly attempt: number;
  readonly next: number;
  /** The chunk has ended, and this was the rest. */
  readonly complete: boolean;
  /** What is not kept between two of these bytes, as offsets. */
  readonly omitted?: { readonly from: number; readonly to: number };
};

/** What its edge has sent. */
export async function readLive(
  id: JobId,
  { chunk, edge }: FollowedChunk,
  place: ReadPlace,
  nowMs: number,
  deps: Pick<Ports, 'live' | 'outputs'>,
): Promise<ReadOutput & Pick<CollectedParts, 'isWhole' | 'isMore'>> {
  const parts = await deps.live.parts(id, chunk, place, nowMs);
  // Another edge may have begun the same attempt before, and was lost.
  const own = parts.filter((part) => edge === null || part.edge === edge);
  const { pieces, attempt, next, isWhole, isMore } = collectParts(own, place);
  const texts = await Promise.all(
    pieces.map(async ({ part, from, to }) => (await textOf(part, deps)).subarray(from, to)),
  );
  return { bytes: Buffer.concat(texts), attempt, next, complete: false, isWhole, isMore };
}

async function textOf({ text, key }: LivePart, { outputs }: Pick<Ports, 'outputs'>) {
  if (text !== null) return text;
  return (key === null ? null : await outputs.get(key)) ?? new Uint8Array();
}

/**
 * What the job keeps of it, from where the reader is; `null`: nothing. Who reads on gets beginning
 * and end in two answers, so that the offset says what is missing between them; who asks once gets
 * both. One that is kept whole is read piece by piece by who reads on.
 */
export async function readKept(
  { attempt, output, space }: FollowedChunk,
  reader: Pick<ReadOutput, 'attempt' | 'next'>,
  readsOn: boolean,
  { outputs, results }: Pick<Ports, 'outputs' | 'results'>,
): Promise<ReadOutput | null> {
  if (readsOn && output?.whole !== undefined) {
    const at = reader.attempt === attempt ? reader.next : 0;
    const to = Math.min(at + liveAnswerBytesMax, output.totalBytes ?? 0);
    const bytes = at < to ? await results.readPart(space, output.whole, at, to) : null;
    if (bytes !== null && bytes.length > 0) {
      const next = at + bytes.length;
      return {
        bytes,
        attempt: Math.max(1, attempt),
        next,
        complete: next >= (output.totalBytes ?? 0),
      };
    }
  }
  const kept = output === null ? null : await outputs.get(output.key);
  if (kept === null || output === null) return null;
  const total = Math.max(kept.length, output.totalBytes ?? 0);
  const head = Math.min(output.headBytes ?? 0, kept.length);
  const tailAt = total - (kept.length - head);
  const at = reader.attempt === attempt ? reader.next : 0;
  const of = { attempt: Math.max(1, attempt) };
  const isInHead = at < head && head < tailAt;
  if (isInHead && readsOn) {
    return { ...of, bytes: kept.subarray(at, head), next: head, complete: false };
  }
  const skipped = isInHead ? at : head + Math.max(0, at - tailAt);
  const bytes = kept.subarray(Math.min(kept.length, skipped));
  const omitted = isInHead ? { omitted: { from: head, to: tailAt } } : {};
  return { ...of, bytes, next: Math.max(at, total), complete: true, ...omitted };
}
