import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJobId } from '../../core/model/names.ts';
import { type ChunkName, wholeNameOf } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
import { wholeErrorsWord } from '../launcher/launcher-protocol.ts';
import { outputsOnDiskMax, outputUploadsAtOnce } from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import {
  type ControlPlaneApi,
  ControlPlaneError,
  type OutputPlace,
} from '../link/control-plane-api.ts';
import { makeLimiter } from '../link/limiter.ts';
import { removeQuietly } from './data-directory.ts';
import type { KeptText } from './kept-text.ts';

/**
 * Kept outputs on their way to the output store: on disk until the control plane has taken them, so
 * that they wait out a lost connection and a restart. Bounded: the oldest go first. What the
 * control plane refuses is dropped. One that is kept whole follows its ends.
 */
export type OutputStore = {
  keep(name: ChunkName, kept: KeptText): void;
  /** Of a chunk that has ended nothing more is kept. */
  discard(name: ChunkName): void;
  /** What an earlier life left of chunks that run no more. */
  keepOnly(running: readonly ChunkName[]): void;
  close(): void;
};

export function openOutputStore(deps: {
  directory: string;
  /** Where chunks print that are kept whole. */
  printed: string;
  sendWhole: (path: string, place: OutputPlace, secret: string) => Promise<void>;
  api: Pick<ControlPlaneApi, 'putOutput'>;
  clock: Clock;
  secretOf: (edge: string) => string | null;
}): OutputStore {
  const { directory, printed, api, clock } = deps;
  const turn = makeLimiter(outputUploadsAtOnce);
  const backoff = makeBackoff(1_000, 60_000);
  const waiting = new Set<string>();
  let closed = false;
  let cancelRetry: (() => void) | null = null;

  const upload = async (file: string): Promise<void> => {
    const place = parseFileName(file);
    const secret = place === null ? null : deps.secretOf(place.edge);
    if (closed || place === null) return;
    const path = join(directory, file);
    const isWhole = file.endsWith(wholeWord);
    try {
      const ends = isWhole ? file.slice(0, -wholeWord.length) : null;
      if (secret === null || (ends !== null && waiting.has(ends))) return retryLater();
      if (isWhole) await deps.sendWhole(path, place, secret);
      else await api.putOutput(secret, place, readFileSync(path));
      backoff.reset();
    } catch (error) {
      if (error instanceof ControlPlaneError && error.isTemporary) return retryLater();
    }
    waiting.delete(file);
    removeQuietly(path);
  };

  const retryLater = (): void => {
    if (closed) return;
    cancelRetry ??= clock.after(backoff.next(), () => {
      cancelRetry = null;
      for (const file of [...waiting]) void turn(() => upload(file));
    });
  };

  for (const file of readdirSync(directory)) waiting.add(file);
  if (waiting.size > 0) retryLater();
  return {
    keep(name, kept) {
      const file = fileNameOf(name, kept);
      try {
        writeFileSync(join(directory, file), kept.bytes, { mode: 0o600 });
      } catch {
        return;
      }
      waiting.add(file);
      const whole = takeWhole(join(printed, printedName(name, kept)), join(directory, file), kept);
      if (whole) waiting.add(`${file}${wholeWord}`);
      while (waiting.size > outputsOnDiskMax) {
        const [oldest] = waiting;
        waiting.delete(oldest!);
        removeQuietly(join(directory, oldest!));
      }
      const sent = turn(() => upload(file));
      if (whole) void sent.then(() => turn(() => upload(`${file}${wholeWord}`)));
    },
    discard(name) {
      for (const isErrors of [false, true]) {
        removeQuietly(join(printed, printedName(name, { isErrors })));
      }
    },
    keepOnly(running) {
      const names = new Set(running.map(wholeNameOf));
      for (const file of readdirSync(printed)) {
        if (!names.has(file.replace(wholeErrorsWord, ''))) removeQuietly(join(printed, file));
      }
    },
    close() {
      closed = true;
      cancelRetry?.();
    },
  };
}

/** What is not all there any more is not kept whole; what its ends hold need not be. */
function takeWhole(from: string, file: string, { wholeMb = 0, total, head }: KeptText): boolean {
  if (head === 0) return false;
  try {
    const { size } = statSync(from);
    if (size !== total || size > wholeMb * 1024 * 1024) return false;
    renameSync(from, `${file}${wholeWord}`);
    return true;
  } catch {
    return false;
  }
}

function printedName(name: ChunkName, { isErrors }: { readonly isErrors?: boolean }): string {
  return `${wholeNameOf(name)}${isErrors === true ? wholeErrorsWord : ''}`;
}

const errorsWord = 'stderr';
const wholeWord = '_whole';

/** Names hold no underscore, so it separates. */
function fileNameOf({ edge, job, chunk, attempt }: ChunkName, kept: KeptText): string {
  const words = [edge, job, chunk, attempt, kept.total, kept.head];
  return [...words, ...(kept.isErrors ? [errorsWord] : [])].join('_');
}

function parseFileName(file: string): (ChunkName & OutputPlace) | null {
  const [edge, name, chunk, attempt, total, head, stream] = file.split('_');
  const job = parseJobId(name ?? '');
  if (edge === undefined || job === null || attempt === undefined) return null;
  const place = { edge, job, chunk: Number(chunk), attempt: Number(attempt) };
  if (total === undefined) return place;
  const isErrors = stream === errorsWord;
  const headBytes = head === undefined ? {} : { head: Number(head) };
  return { ...place, total: Number(total), ...headBytes, ...(isErrors && { isErrors }) };
}
