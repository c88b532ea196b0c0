/**
 * When the lines of a log file were written, for those who ask by time: a file beside it with pairs
 * of a place and a time, of the lines that the local cloud writes itself. What a process prints
 * between two of them has the time of the first. A log without such a file has the time of its
 * last change.
 */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export type LineTimes = {
  /** A line begins at this place now. */
  note(place: number): void;
  /** The log is empty again. */
  restart(): void;
  close(): void;
};

const pairBytes = 16;

/** Hidden, because whoever looks into the folder looks for logs. */
const timesPath = (logPath: string): string =>
  join(dirname(logPath), `.${basename(logPath)}.times`);

export function openLineTimes(logPath: string): LineTimes {
  const file = openSync(timesPath(logPath), 'a');
  const pair = Buffer.alloc(pairBytes);
  let lastMs = 0;
  return {
    note: (place) => {
      const nowMs = Date.now();
      if (nowMs === lastMs) return;
      lastMs = nowMs;
      pair.writeDoubleLE(place, 0);
      pair.writeDoubleLE(nowMs, 8);
      writeSync(file, pair);
    },
    restart: () => ftruncateSync(file, 0),
    close: () => closeSync(file),
  };
}

/** The time at which the line at a place was written, asked for places that only grow. */
export function readLineTimes(logPath: string, otherwiseMs: number): (place: number) => number {
  const pairs = pairsOf(timesPath(logPath));
  let at = 0;
  let timeMs = pairs[0]?.timeMs ?? otherwiseMs;
  return (place) => {
    for (let next = pairs[at]; next !== undefined && next.place <= place; next = pairs[at]) {
      timeMs = next.timeMs;
      at += 1;
    }
    return timeMs;
  };
}

function pairsOf(path: string): { place: number; timeMs: number }[] {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return [];
  }
  return Array.from({ length: Math.floor(bytes.length / pairBytes) }, (_, index) => ({
    place: bytes.readDoubleLE(index * pairBytes),
    timeMs: bytes.readDoubleLE(index * pairBytes + 8),
  }));
}
