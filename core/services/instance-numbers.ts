import type { Chunking } from '../model/job.ts';
import {
  chunksOf,
  fromChunks,
  last,
  type RangeSet,
  rangeOf,
  subtract,
  take,
  union,
} from '../model/ranges.ts';

/**
 * Which numbers the instances of a service have: the lowest there are, without those that were
 * taken out one by one. A number that is free again is the first to come back.
 */
export function numbersOf({ chunks, gaps }: Pick<Chunking, 'chunks' | 'gaps'>): RangeSet {
  if (gaps === undefined) return rangeOf(0, chunks);
  return subtract(rangeOf(0, chunks + gaps.length), fromChunks(gaps));
}

/** More fill the gaps first; of fewer the highest numbers go. */
export function scaledTo(chunking: Chunking, chunks: number): Chunking {
  const numbers = numbersOf(chunking);
  const kept = take(numbers, chunks).taken;
  const gaps = fromChunks(chunking.gaps ?? []);
  const more = Math.max(0, chunks - chunking.chunks);
  return withGaps(chunking, chunks, kept, take(gaps, more).rest);
}

export function withoutNumber(chunking: Chunking, chunk: number): Chunking {
  const one = rangeOf(chunk, chunk + 1);
  const kept = subtract(numbersOf(chunking), one);
  const gaps = union(fromChunks(chunking.gaps ?? []), one);
  return withGaps(chunking, chunking.chunks - 1, kept, gaps);
}

/** What lies above the highest number is no gap. */
function withGaps(
  { gaps: _, ...rest }: Chunking,
  chunks: number,
  kept: RangeSet,
  gaps: RangeSet,
): Chunking {
  const below = [...chunksOf(gaps)].filter((chunk) => chunk < (last(kept) ?? 0));
  return { ...rest, chunks, ...(below.length > 0 && { gaps: below }) };
}
