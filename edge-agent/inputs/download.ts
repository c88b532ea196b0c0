import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileBytesMax } from '../../core/files/limits.ts';
import type { Clock } from '../host/clock.ts';
import { downloadStallMs } from '../limits.ts';
import { causeOf } from '../link/control-plane-api.ts';
import { sumOf } from './file-cache.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { InputFault } from './input-fault.ts';
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
  readonly fetchOf?: GuardedFetch;
  /** Of somebody who may send more than was said; without it what any file may have. */
  readonly bytesMax?: number;
};

export async function download(wanted: Download): Promise<void> {
  const { digest, path } = wanted;
  let sum = createHash('sha256');
  let offset = 0;
  if (existsSync(path)) {
    const file = await open(path, 'r');
    offset = (await file.stat()).size;
    await file.close();
    if (offset > 0) sum = await sumOf(path);
  }
  const hadPart = offset > 0;
  const stall = makeStall(wanted.clock, wanted.signal);
  try {
    const answer = await ask(wanted, offset, stall.signal);
    if (answer.status === 416) {
      // There is no byte after these: they are all of it, or of something else.
      await answer.body?.cancel();
    } else {
      const goesOn = answer.status === 206 && startOf(answer) === offset;
      if (!goesOn) [sum, offset] = [createHash('sha256'), 0];
      const bytes = Number(answer.headers.get('content-length') ?? 0);
      if (offset + bytes > fileBytesMax || !wanted.makeRoom(bytes)) {
        await answer.body?.cancel();
        throw new InputFault('no-free-disk', `${offset + bytes} bytes do not fit`);
      }
      const { bytesMax = fileBytesMax } = wanted;
      let size = offset;
      await write(answer, path, goesOn, (chunk) => {
        size += chunk.length;
        if (size > bytesMax)
          throw new InputFault('input-corrupt', `it has more than ${bytesMax} bytes`);
        stall.moved();
        sum.update(chunk);
      });
    }
  } catch (error) {
    throw faultOf(error);
  } finally {
    stall.over();
  }
  if (sum.digest('hex') === digest) return;
  rmSync(path, { force: true });
  // What an earlier life left may be damaged, and the store not.
  if (hadPart) return download(wanted);
  throw new InputFault('input-corrupt', `${digest} has other bytes than it should`);
}

/** An address of a store is where the bytes are. */
const fetchFromStore: GuardedFetch = (url, { headers, signal }) =>
  fetch(url, { headers, signal, redirect: 'error' });

async function ask(
  { url, fetchOf = fetchFromStore }: Download,
  offset: number,
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = offset === 0 ? {} : { range: `bytes=${offset}-` };
  const answer = await fetchOf(url, { headers, signal });
  if (answer.ok || (answer.status === 416 && offset > 0)) return answer;
  await answer.body?.cancel();
  if (answer.status === 404 || answer.status === 410)
    throw new InputFault('input-missing', 'it is not stored');
  throw new InputFault('input-unreachable', `the store answers ${answer.status}`);
}

async function write(
  answer: Response,
  path: string,
  goesOn: boolean,
  seen: (chunk: Uint8Array) => void,
): Promise<void> {
  const file = await open(path, goesOn ? 'a' : 'w', 0o600);
  try {
    if (answer.body !== null) await writePieces(file, answer.body, seen);
  } finally {
    await file.close();
  }
}

function startOf(answer: Response): number {
  const match = /^bytes (\d+)-/.exec(answer.headers.get('content-range') ?? '');
  return match === null ? -1 : Number(match[1]);
}

function faultOf(error: unknown): InputFault {
  if (error instanceof InputFault) return error;
  const code = (error as { code?: string }).code ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new InputFault('no-free-disk', 'the disk is full');
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
