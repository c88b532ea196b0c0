import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputTailBytesMax } from '../../core/model/limits.ts';
import { parseJobId } from '../../core/model/names.ts';
import type { ChunkName } from '../executors/executor.ts';
import type { Clock } from '../host/clock.ts';
import { outputsOnDiskMax, outputUploadsAtOnce } from '../limits.ts';
import { makeBackoff } from '../link/backoff.ts';
import { makeTurnstile } from '../link/limiter.ts';
import { type PlaneApi, PlaneError } from '../link/plane-api.ts';
import { removeQuietly } from './data-directory.ts';

/**
 * Kept outputs on their way to the output store: on disk until the plane has taken them, so that
 * they wait out a lost connection and a restart. Bounded: the oldest go first. What the plane
 * refuses is dropped.
 */
export type OutputStore = {
  keep(name: ChunkName, output: Uint8Array): void;
  close(): void;
};

export function openOutputStore(deps: {
  directory: string;
  api: PlaneApi;
  clock: Clock;
  secretOf: (edge: string) => string | null;
}): OutputStore {
  const { directory, api, clock } = deps;
  const turn = makeTurnstile(outputUploadsAtOnce);
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
      if (error instanceof PlaneError && error.isTemporary) return retryLater();
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
    keep(name, output) {
      if (output.length === 0) return;
      const file = fileNameOf(name);
      try {
        writeFileSync(join(directory, file), output.subarray(-outputTailBytesMax), { mode: 0o600 });
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

/** Names hold no underscore, so it separates. */
function fileNameOf({ edge, job, chunk, attempt }: ChunkName): string {
  return `${edge}_${job}_${chunk}_${attempt}`;
}

function parseFileName(file: string): ChunkName | null {
  const [edge, name, chunk, attempt] = file.split('_');
  const job = parseJobId(name ?? '');
  if (edge === undefined || job === null || attempt === undefined) return null;
  return { edge, job, chunk: Number(chunk), attempt: Number(attempt) };
}
