import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJobId } from '../../core/model/names.ts';
import type { ChunkName } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
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
 * control plane refuses is dropped.
 */
export type OutputStore = {
  keep(name: ChunkName, kept: KeptText): void;
  close(): void;
};

export function openOutputStore(deps: {
  directory: string;
  api: ControlPlaneApi;
  clock: Clock;
  secretOf: (edge: string) => string | null;
}): OutputStore {
  const { directory, api, clock } = deps;
  const turn = makeLimiter(outputUploadsAtOnce);
  const backoff = makeBackoff(1_000, 60_000);
  const waiting = new Set<string>();
  let closed = false;
  let cancelRetry: (() => void) | null = null;

  const upload = async (file: string): Promise<void> => {
    const place = parseFileName(file);
    const secret = place === null ? null : deps.secretOf(place.edge);
    if (closed || place === null) return;
    try {
      if (secret === null) return retryLater();
      await api.putOutput(secret, place, readFileSync(join(directory, file)));
      backoff.reset();
    } catch (error) {
      if (error instanceof ControlPlaneError && error.isTemporary) return retryLater();
    }
    waiting.delete(file);
    removeQuietly(join(directory, file));
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
      while (waiting.size > outputsOnDiskMax) {
        const [oldest] = waiting;
        waiting.delete(oldest!);
        removeQuietly(join(directory, oldest!));
      }
      void turn(() => upload(file));
    },
    close() {
      closed = true;
      cancelRetry?.();
    },
  };
}

const errorsWord = 'stderr';

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
