import { chunksMax } from '../model/limits.ts';
import { isCount, isRecord } from '../protocol/json.ts';
import { sweepMarkBytes, sweepMarksMax, sweepRecordBytesMax } from './limits.ts';
import { namesProblem, type Parameters } from './parameters.ts';
import { scanRecords, TooLongRecord } from './record-scanner.ts';
import { namesOfFirst, parametersOf } from './record-text.ts';
import type { SweepFormat } from './sweep.ts';

/**
 * What is known of a file of parameters once it was read through: how many lines it has, what they
 * name, and where some of them begin, so that the parameters of a few chunks are a few small reads.
 */
export type FileIndex = {
  readonly format: SweepFormat;
  readonly bytes: number;
  readonly chunks: number;
  readonly names: readonly string[];
  /** The first chunk behind each mark, and the offset at which its line begins. */
  readonly marks: readonly (readonly [chunk: number, offset: number])[];
};

export type FileIndexer = {
  feed(piece: Uint8Array): void;
  /** The index, or what is wrong with the file as a sentence. */
  end(): FileIndex | string;
};

class BadFile extends Error {}

/** Reads a file through, in pieces, and holds every line against what a chunk can be given. */
export function indexFile(format: SweepFormat): FileIndexer {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const marks: [number, number][] = [];
  let names: readonly string[] | null = format === 'lines' ? ['line'] : null;
  let bytes = 0;
  let chunks = 0;
  let lines = 0;
  let problem: string | null = null;

  const take = (record: Uint8Array, at: number): void => {
    lines += 1;
    let text: string;
    try {
      text = decoder.decode(record);
    } catch {
      throw new BadFile(`Line ${lines} is not UTF-8.`);
    }
    if (names === null) {
      const found = namesOfFirst(text, format);
      if (typeof found === 'string') throw new BadFile(`The first line: ${found}`);
      names = found;
      if (format === 'csv') return;
    }
    const parameters = parametersOf(text, format, names);
    if (typeof parameters === 'string') throw new BadFile(`Line ${lines} ${parameters}.`);
    const last = marks.at(-1);
    if (last === undefined || at - last[1] >= sweepMarkBytes) marks.push([chunks, at]);
    chunks += 1;
    if (chunks > chunksMax) throw new BadFile(`A job has at most ${chunksMax} chunks.`);
  };
  const scanner = scanRecords(format, 0, take);

  const attempt = (work: () => void): void => {
    if (problem !== null) return;
    try {
      work();
    } catch (error) {
      if (error instanceof TooLongRecord) {
        problem = `Line ${lines + 1} has more than ${sweepRecordBytesMax} bytes.`;
      } else if (error instanceof BadFile) problem = error.message;
      else throw error;
    }
  };

  return {
    feed(piece) {
      bytes += piece.length;
      attempt(() => scanner.feed(piece));
    },
    end() {
      attempt(() => scanner.end());
      if (problem !== null) return problem;
      if (chunks === 0) return 'It has no line that a chunk could be made of.';
      return { format, bytes, chunks, names: names ?? [], marks };
    },
  };
}

/** As it was stored; `null` for what is none. */
export function parseFileIndex(value: unknown, format: SweepFormat): FileIndex | null {
  if (!isRecord(value)) return null;
  const { bytes, chunks, names, marks } = value;
  if (!isCount(bytes) || !isCount(chunks) || chunks > chunksMax || value.format !== format) {
    return null;
  }
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) return null;
  if (namesProblem(names) !== null) return null;
  if (!Array.isArray(marks) || marks.length > sweepMarksMax) return null;
  const isMark = (mark: unknown): mark is [number, number] =>
    Array.isArray(mark) && mark.length === 2 && mark.every(isCount);
  return marks.every(isMark) ? { format, bytes, chunks, names, marks } : null;
}

/** A part of the file between two marks: which chunks it has, and where its bytes are. */
export type MarkedPart = {
  readonly firstChunk: number;
  readonly chunks: number;
  readonly from: number;
  readonly to: number;
};

/** The part that has this chunk. */
export function partOf(index: FileIndex, chunk: number): MarkedPart {
  let low = 0;
  let high = index.marks.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (index.marks[middle]![0] <= chunk) low = middle;
    else high = middle - 1;
  }
  const [firstChunk, from] = index.marks[low]!;
  const [nextChunk, to] = index.marks[low + 1] ?? [index.chunks, index.bytes];
  return { firstChunk, chunks: nextChunk - firstChunk, from, to };
}

/** The parameters of the chunks of a part, in order. */
export function readPart(index: FileIndex, part: MarkedPart, bytes: Uint8Array): Parameters[] {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const found: Parameters[] = [];
  const scanner = scanRecords(index.format, part.from, (record) => {
    const parameters = parametersOf(decoder.decode(record), index.format, index.names);
    if (typeof parameters !== 'string') found.push(parameters);
  });
  scanner.feed(bytes);
  scanner.end();
  return found;
}
