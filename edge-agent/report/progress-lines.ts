import { type ChunkName, keyOf } from '../executors/executor.ts';
import type { OutputPart } from '../launcher/launcher-protocol.ts';
import { progressLineBytesMax } from '../limits.ts';

/**
 * What chunks print of how far they are: lines `EDGEWISE_PROGRESS 50`, for programs that can print
 * and cannot write a file, as behind a wrapper. Reading goes on where it ended; of a chunk that
 * prints faster than it is read the end is read, in which its last number is.
 */
export type ProgressLines = {
  /** The last number that was read; `null`: none. */
  percentOf(name: ChunkName): number | null;
  /** Reads on in what these have printed, and forgets the others. */
  read(names: readonly ChunkName[]): Promise<void>;
};

type Reading = { readonly next: number; readonly percent: number | null };

const lineEnd = 10;

export function readProgressLines(
  look: (name: ChunkName, from: number) => Promise<OutputPart | null>,
): ProgressLines {
  let readings = new Map<string, Reading>();

  const readOn = async (name: ChunkName, before: Reading): Promise<Reading> => {
    const part = await look(name, before.next);
    if (part === null) return before;
    const percent = lastProgressIn(part, before.next) ?? before.percent;
    const end = part.from + part.bytes.length;
    if (end >= part.total) return { next: part.from + wholeLines(part.bytes), percent };
    const last = await look(name, Math.max(end, part.total - part.bytes.length));
    if (last === null) return { next: end, percent };
    return {
      next: last.from + wholeLines(last.bytes),
      percent: lastProgressIn(last, null) ?? percent,
    };
  };

  return {
    percentOf: (name) => readings.get(keyOf(name))?.percent ?? null,
    async read(names) {
      const next = new Map<string, Reading>();
      for (const name of names) {
        const key = keyOf(name);
        next.set(key, await readOn(name, readings.get(key) ?? { next: 0, percent: null }));
      }
      readings = next;
    },
  };
}

/** How many of the bytes are lines that have ended; all of them, where nothing ends. */
function wholeLines(bytes: Uint8Array): number {
  const end = bytes.lastIndexOf(lineEnd);
  return end < 0 && bytes.length > progressLineBytesMax ? bytes.length : end + 1;
}

const progressLine = /^EDGEWISE_PROGRESS[ \t=]+(\d{1,3}(?:\.\d{1,9})?)[ \t]*\r?\n/gm;

/** The last number that a line says; one that may have begun before `lineAt` is left out. */
function lastProgressIn({ from, bytes }: OutputPart, lineAt: number | null): number | null {
  let last: string | undefined;
  const own = from === lineAt ? bytes : bytes.subarray(bytes.indexOf(lineEnd) + 1);
  for (const [, number] of Buffer.from(own).toString('latin1').matchAll(progressLine))
    last = number;
  return last === undefined ? null : Number(last);
}
