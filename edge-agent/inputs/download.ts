import { createHash, type Hash } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileBytesMax } from '../../core/files/limits.ts';
import type { Clock } from '../host/clock.ts';
import { downloadStallMs } from '../limits.ts';
import { causeOf } from '../link/control-plane-api.ts';
import { askStore } from './ask-store.ts';
import { sumOf } from './file-cache.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { InputFault } from './input-fault.ts';
import { ObjectReplaced, readObject, StoreRefusal } from './read-object.ts';
import { writePieces } from './write-pieces.ts';

/**
 * Fetches one file to where its part is kept, going on where an earlier try ended, and holds every
 * byte against the digest. Nothing of it is ever whole in memory.
 */
export type Download = {
  readonly url: string;
  readonly digest: string;
  readonly path: string;
  /** Asked before the first byte is kept: false when there is no room for so many. */
  readonly makeRoom: (bytes: number) => boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of somebody else than the store, who is asked for all of it at once. */
  readonly fetchOf?: GuardedFetch;
  /** Of somebody who may send more than was said; without it what any file may have. */
  readonly bytesMax?: number;
};

export async function download(wanted: Download): Promise<void> {
  const { digest, path } = wanted;
  const bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const part = { bytes, sum: bytes > 0 ? await sumOf(path) : createHash('sha256') };
  const sum = await bringRest(wanted, part).catch((error: unknown) => {
    // What is here is of another one than what would come.
    if (error instanceof ObjectReplaced) rmSync(path, { force: true });
    throw faultOf(error);
  });
  if (sum.digest('hex') === digest) return;
  rmSync(path, { force: true });
  // What an earlier life left may be damaged, and the store not.
  if (bytes > 0) return download(wanted);
  throw new InputFault('input-corrupt', `${digest} has other bytes than it should`);
}

type Part = { readonly bytes: number; readonly sum: Hash };

/** Answers with the sum of all that is there then. */
async function bringRest(wanted: Download, part: Part): Promise<Hash> {
  const { url, path, clock, makeRoom, fetchOf, bytesMax = fileBytesMax } = wanted;
  const ask = fetchOf ?? askStore;
  const stall = makeStall(clock, wanted.signal);
  try {
    const read = await readObject({
      ask: (asked) => ask(url, asked),
      ...{ start: part.bytes, isWhole: fetchOf !== undefined },
      ...{ signal: stall.signal, moved: stall.moved },
    });
    try {
      const { start, bytes } = read;
      const isAllHere = start > 0 && bytes === 0;
      if (start + bytes > fileBytesMax || !(isAllHere || makeRoom(bytes))) {
        throw new InputFault('no-free-disk', `${start + bytes} bytes do not fit`);
      }
      const goesOn = start === part.bytes;
      const sum = goesOn ? part.sum : createHash('sha256');
      const file = await open(path, goesOn ? 'a' : 'w', 0o600);
      try {
        const pieces = upTo(bytesMax, start, read.pieces);
        await writePieces(file, pieces, (piece) => sum.update(piece));
      } finally {
        await file.close();
      }
      return sum;
    } finally {
      read.close();
    }
  } finally {
    stall.over();
  }
}

async function* upTo(
  bytesMax: number,
  start: number,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let bytes = start;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > bytesMax) {
      throw new InputFault('input-corrupt', `it has more than ${bytesMax} bytes`);
    }
    yield piece;
  }
}

function faultOf(error: unknown): InputFault {
  if (error instanceof InputFault) return error;
  const code = (error as { code?: string }).code ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new InputFault('no-free-disk', 'the disk is full');
  }
  if (error instanceof StoreRefusal && [404, 410].includes(error.status)) {
    return new InputFault('input-missing', 'it is not stored');
  }
  return new InputFault('input-unreachable', causeOf(error));
}

/** Ends a download that has not moved for a while. */
function makeStall(clock: Clock, outer: AbortSignal) {
  const controller = new AbortController();
  let cancel = (): void => {};
  const moved = (): void => {
    cancel();
    cancel = clock.after(downloadStallMs, () => controller.abort(new Error('it stands still')));
  };
  moved();
  return {
    signal: AbortSignal.any([outer, controller.signal]),
    moved,
    over: () => cancel(),
  };
}
