import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { askStore } from '../../edge-agent/inputs/ask-store.ts';
import { ObjectReplaced, readObject, StoreRefusal } from '../../edge-agent/inputs/read-object.ts';
import { writePieces } from '../../edge-agent/inputs/write-pieces.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { requestAttemptsMax, retryFirstMs, uploadStallMs } from '../limits.ts';
import type { Terminal } from '../terminal.ts';
import { partialOf } from './partial.ts';

/**
 * Brings one file here: what an earlier try left is gone on with, every byte is held against the
 * digest, and the file has its name only when it is whole.
 */
export type Wanted = {
  readonly url: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly target: string;
  readonly executable: boolean;
};

/** False: it was there already. */
export async function downloadFile(
  terminal: Terminal,
  wanted: Wanted,
  moved: (bytes: number) => void,
): Promise<boolean> {
  if (await isThere(wanted)) return false;
  const part = partialOf(wanted);
  for (let attempt = 1; ; attempt++) {
    const problem = await bring(wanted, part, terminal.interrupted, moved);
    if (problem === null) break;
    if (terminal.interrupted.aborted) throw new Failure(exitCode.interrupted, 'Interrupted.');
    if (problem.isFinal || attempt >= requestAttemptsMax) {
      const remedy = 'What has come stays; pull again to go on.';
      throw new Failure(exitCode.failure, `${wanted.target}: ${problem.reason}.`, remedy);
    }
    await terminal.sleep(retryFirstMs * 2 ** (attempt - 1) * (0.5 + terminal.random()));
  }
  await rename(part, wanted.target);
  return true;
}

async function isThere({ target, bytes, sha256 }: Wanted): Promise<boolean> {
  const found = await stat(target).catch(() => null);
  if (found === null || !found.isFile() || found.size !== bytes) return false;
  return (await sumOf(target)).digest('hex') === sha256;
}

type Problem = { readonly reason: string; readonly isFinal: boolean };

async function bring(
  { url, sha256, executable }: Wanted,
  part: string,
  interrupted: AbortSignal,
  moved: (bytes: number) => void,
): Promise<Problem | null> {
  const here = (await stat(part).catch(() => null))?.size ?? 0;
  const sumOfPart = here === 0 ? createHash('sha256') : await sumOf(part);
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(new Error('it stands still')), uploadStallMs);
  try {
    const read = await readObject({
      ask: (asked) => askStore(url, asked),
      ...{ start: here, signal: AbortSignal.any([interrupted, stall.signal]) },
      moved: () => timer.refresh(),
    });
    const goesOn = read.start === here;
    const sum = goesOn ? sumOfPart : createHash('sha256');
    const file = await open(part, goesOn ? 'a' : 'w', executable ? 0o777 : 0o666);
    try {
      await writePieces(file, read.pieces, (piece) => {
        sum.update(piece);
        moved(piece.length);
      });
    } finally {
      read.close();
      await file.close();
    }
    if (sum.digest('hex') === sha256) return null;
    await rm(part, { force: true });
    return { reason: 'what came is not what the digest says', isFinal: false };
  } catch (error) {
    if (error instanceof ObjectReplaced) await rm(part, { force: true });
    return problemOf(error as Error);
  } finally {
    clearTimeout(timer);
  }
}

function problemOf(error: Error & { readonly code?: string }): Problem {
  if (error instanceof StoreRefusal) {
    if (error.status === 404) return { reason: 'it is not kept any more', isFinal: true };
    return { reason: error.message, isFinal: error.status < 500 };
  }
  const { code = '', message, cause } = error;
  const reason = cause instanceof Error ? cause.message : message;
  return { reason, isFinal: code === 'ENOSPC' || code === 'EACCES' || code === 'EDQUOT' };
}

async function sumOf(path: string): Promise<Hash> {
  const sum = createHash('sha256');
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  return sum;
}
