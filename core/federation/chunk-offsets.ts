import { chunksMax } from '../model/limits.ts';
import { count, isEmpty, last, nth, parseRanges, type RangeSet } from '../model/ranges.ts';
import { chunkNumbersLengthMax } from './limits.ts';

/**
 * A job may be a part of another, which is somewhere else: its chunks are numbered from 0 as ever,
 * and what they run sees the numbers that they have there.
 */
export type ChunkOffsets = {
  /** Chunk `i` is the `i`-th of these, in the text form of ranges: `0-99,140`. */
  readonly numbers: string;
  /** How many chunks the other job has; absent: as many as this one. */
  readonly total?: number | undefined;
  /** What chunks see as the id of their job; absent: that of this one. */
  readonly job?: string | undefined;
  /** The deployments that handed it over, the first one first; absent: it began here. */
  readonly path?: readonly string[] | undefined;
};

export const noNumbers = 'Numbers of chunks are written like 0-41,43: rising, each once.';

/** From text that came from outside: the numbers, or what is wrong with them as a sentence. */
export function readNumbers(text: string): RangeSet | string {
  if (text.length > chunkNumbersLengthMax) {
    return `Numbers of chunks have at most ${chunkNumbersLengthMax} characters.`;
  }
  const numbers = parseRanges(text);
  if (numbers === null || isEmpty(numbers)) return noNumbers;
  if (last(numbers)! >= chunksMax) return `No chunk has a number of ${chunksMax} or more.`;
  return numbers;
}

/** How many chunks these offsets make; `null`: none are given, or they make no sense. */
export function countOfOffsets(offsets: ChunkOffsets | undefined): number | null {
  const numbers = offsets === undefined ? '' : readNumbers(offsets.numbers);
  return typeof numbers === 'string' ? null : count(numbers);
}

/** What a spec says of the numbers that its chunks see. */
export type Numbered = {
  readonly chunks: number;
  readonly chunkOffsets?: ChunkOffsets | undefined;
};

/** Read once for all chunks of a spec. */
const known = new WeakMap<ChunkOffsets, RangeSet | string>();

/** The number that a chunk sees as its own. */
export function shownChunk({ chunkOffsets }: Numbered, chunk: number): number {
  if (chunkOffsets === undefined) return chunk;
  let numbers = known.get(chunkOffsets);
  if (numbers === undefined) {
    numbers = readNumbers(chunkOffsets.numbers);
    known.set(chunkOffsets, numbers);
  }
  return typeof numbers === 'string' ? chunk : (nth(numbers, chunk) ?? chunk);
}

/** Of how many chunks a chunk believes to be one. */
export function shownChunks({ chunks, chunkOffsets }: Numbered): number {
  return chunkOffsets?.total ?? chunks;
}

/** The id that a chunk sees as that of its job. */
export function shownJob({ chunkOffsets }: Pick<Numbered, 'chunkOffsets'>, job: string): string {
  return chunkOffsets?.job ?? job;
}
