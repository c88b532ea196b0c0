import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { filePartBytes } from '../../core/files/limits.ts';
import { summedAtOnceMax, summedBytes } from '../limits.ts';

/**
 * The digest of a large file and those of its parts, by one reading of it: the whole is summed
 * here and the parts by a thread beside, so that they take no longer together. Both see the very
 * same bytes, in memory that they share.
 */
export type LargeFileSums = {
  readonly sha256: string;
  readonly parts: readonly string[];
  readonly bytes: number;
};

export async function largeFileSums(path: string): Promise<LargeFileSums> {
  const file = await open(path);
  const memory = new SharedArrayBuffer(summedAtOnceMax * summedBytes);
  const beside = startPartSums(memory);
  try {
    const whole = createHash('sha256');
    let bytes = 0;
    let coming = readNext(file, memory, 0, bytes);
    for (let turn = 1; ; turn++) {
      const piece = await coming;
      if (piece.length === 0) break;
      bytes += piece.length;
      beside.add(piece, bytes % filePartBytes === 0);
      // The place of the next one is free when the thread is through with what was there.
      await beside.until(turn + 1 - summedAtOnceMax);
      coming = readNext(file, memory, turn, bytes);
      whole.update(piece);
    }
    if (bytes % filePartBytes > 0) beside.add(new Uint8Array(memory, 0, 0), true);
    return { sha256: whole.digest('hex'), parts: await beside.all(), bytes };
  } finally {
    await beside.stop();
    await file.close();
  }
}

/** No piece is of two parts. */
async function readNext(
  file: FileHandle,
  memory: SharedArrayBuffer,
  turn: number,
  at: number,
): Promise<Uint8Array> {
  const bytes = Math.min(summedBytes, filePartBytes - (at % filePartBytes));
  const room = new Uint8Array(memory, (turn % summedAtOnceMax) * summedBytes, bytes);
  return room.subarray(0, (await file.read(room, 0, bytes, at)).bytesRead);
}

/** What the thread gets: a piece of the memory, and whether a part ends with it. */
type Piece = { readonly from: number; readonly bytes: number; readonly isEnd: boolean };

function startPartSums(memory: SharedArrayBuffer) {
  const worker = new Worker(`(${sumParts.toString()})()`, { eval: true, workerData: memory });
  const parts: string[] = [];
  let [added, done] = [0, 0];
  let failure: Error | null = null;
  let wake = (): void => {};
  worker.on('message', (part: string | null) => {
    done += 1;
    if (part !== null) parts.push(part);
    wake();
  });
  worker.once('error', (error: Error) => {
    failure = error;
    wake();
  });
  const until = async (count: number): Promise<void> => {
    while (done < count) {
      if (failure !== null) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    add({ byteOffset: from, length: bytes }: Uint8Array, isEnd: boolean): void {
      added += 1;
      worker.postMessage({ from, bytes, isEnd } satisfies Piece);
    },
    /** So many of what was added have been summed. */
    until,
    async all(): Promise<readonly string[]> {
      await until(added);
      return parts;
    },
    stop: () => worker.terminate(),
  };
}

/** What the thread runs: its text alone is known there, and nothing else of this module. */
function sumParts(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { createHash: startSum } = process.getBuiltinModule('node:crypto');
  let sum = startSum('sha256');
  parentPort?.on('message', ({ from, bytes, isEnd }: Piece) => {
    sum.update(new Uint8Array(workerData as SharedArrayBuffer, from, bytes));
    parentPort.postMessage(isEnd ? sum.digest('hex') : null);
    if (isEnd) sum = startSum('sha256');
  });
}
