import type { LivePart } from '../ports/live-output.ts';
import { liveAnswerBytesMax } from './limits.ts';

/**
 * What comes next of an output for a reader who is at `offset` of an attempt. Parts may overlap,
 * because an edge that is asked again begins anew; what lies between two of them was not sent, and
 * is skipped.
 */
export type ReadPlace = { readonly attempt: number; readonly offset: number };

export type CollectedParts = ReadPlace & {
  /** Of each part the bytes from `from` to `to`, in this order. */
  readonly pieces: readonly { readonly part: LivePart; readonly from: number; to: number }[];
  /** Where the reader is then. */
  readonly next: number;
  /** The attempt has ended, and this is all of it. */
  readonly isWhole: boolean;
  /** The edge has said that more of it is there. */
  readonly isMore: boolean;
};

export function collectParts(parts: readonly LivePart[], place: ReadPlace): CollectedParts {
  const attempt = Math.max(place.attempt, ...parts.map((part) => part.attempt));
  const offset = attempt === place.attempt ? place.offset : 0;
  const pieces: { part: LivePart; from: number; to: number }[] = [];
  let next = offset;
  let isWhole = false;
  let isMore = false;
  let bytes = 0;
  for (const part of parts) {
    const end = part.offset + part.bytes;
    if (part.attempt !== attempt || end < next) continue;
    // A gap ends the answer: the offset of the next one says that there is one.
    if (part.offset > next && pieces.length > 0) break;
    const at = Math.max(next, part.offset);
    if (bytes + end - at > liveAnswerBytesMax) break;
    if (end > at) pieces.push({ part, from: at - part.offset, to: part.bytes });
    bytes += end - at;
    next = end;
    isWhole = part.isLast;
    isMore = part.isMore;
  }
  return { attempt, offset, pieces, next, isWhole, isMore };
}
