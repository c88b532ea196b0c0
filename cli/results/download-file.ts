import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { writePieces } from '../../edge-agent/inputs/write-pieces.ts';
import { exitCode } from '../exit-code.ts';
import { Failure } from '../failure.ts';
import { requestAttemptsMax, retryFirstMs, uploadStallMs } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

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
  const part = `${wanted.target}.part`;
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
  let offset = (await stat(part).catch(() => null))?.size ?? 0;
  let sum = offset === 0 ? createHash('sha256') : await sumOf(part);
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(new Error('it stands still')), uploadStallMs);
  try {
    const headers: Record<string, string> = offset === 0 ? {} : { range: `bytes=${offset}-` };
    const signal = AbortSignal.any([interrupted, stall.signal]);
    const answer = await fetch(url, { headers, signal, redirect: 'error' });
    // There is no byte after these: they are all of it, or of something else.
    const isAll = answer.status === 416 && offset > 0;
    if (!answer.ok && !isAll) {
      await answer.body?.cancel();
      if (answer.status === 404) return { reason: 'it is not kept any more', isFinal: true };
      return { reason: `the store answers ${answer.status}`, isFinal: answer.status < 500 };
    }
    if (answer.status === 200) [offset, sum] = [0, createHash('sha256')];
    const file = await open(part, offset === 0 ? 'w' : 'a', executable ? 0o777 : 0o666);
    try {
      if (!isAll && answer.body !== null) {
        await writePieces(file, answer.body, (piece) => {
          timer.refresh();
          sum.update(piece);
          moved(piece.length);
        });
      }
    } finally {
      await file.close();
    }
    if (sum.digest('hex') === sha256) return null;
    await rm(part, { force: true });
    return { reason: 'what came is not what the digest says', isFinal: false };
  } catch (error) {
    const { code = '', message, cause } = error as Error & { code?: string };
    const reason = cause instanceof Error ? cause.message : message;
    return { reason, isFinal: code === 'ENOSPC' || code === 'EACCES' || code === 'EDQUOT' };
  } finally {
    clearTimeout(timer);
  }
}

async function sumOf(path: string): Promise<Hash> {
  const sum = createHash('sha256');
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  return sum;
}
