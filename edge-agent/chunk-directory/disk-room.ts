import { statfsSync } from 'node:fs';
import { executorOf } from '../../core/model/job.ts';
import type { AgentSpec } from '../../core/protocol/agent-spec.ts';
import type { Clock } from '../host/clock.ts';
import { diskFreeBytesMin, diskLookEveryMs, diskTroubleMs } from '../limits.ts';

/**
 * Whether the disk of chunks has room for another directory. While it has none, chunks that need
 * one are not started: the edge says `no-free-disk` and others get the work, so that no attempt of
 * a user is spent on a disk that is not theirs.
 */
export type DiskRoom = {
  /** Why no chunk of this job may start now, in words that stay the same while it is so. */
  obstacle(spec: AgentSpec): string | null;
  /** A directory could not be made. */
  failed(error: unknown): void;
  /** Below what every chunk needs, or troubled in another way. */
  isTroubled(): boolean;
};

const bytesPerMb = 1024 * 1024;

export function makeDiskRoom(
  root: string,
  clock: Clock,
  freeBytesOf: (path: string) => number = freeBytes,
): DiskRoom {
  let free = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let trouble = '';
  let troubledUntilMs = Number.NEGATIVE_INFINITY;

  const look = (): number => {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedAtMs < diskLookEveryMs) return free;
    lookedAtMs = nowMs;
    free = freeBytesOf(root);
    return free;
  };

  const current = (): string | null => (clock.monotonicMs() < troubledUntilMs ? trouble : null);

  return {
    obstacle(spec) {
      if (executorOf(spec.run) === 'simulate') return null;
      const known = current();
      if (known !== null) return known;
      const asked = (spec.resources.diskMb ?? 0) * bytesPerMb;
      const needed = Math.max(diskFreeBytesMin, asked);
      if (look() >= needed) return null;
      return `no-free-disk: less than ${Math.ceil(needed / bytesPerMb)} MB are free`;
    },
    failed(error) {
      const code = (error as { code?: string }).code ?? 'error';
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      trouble = isFull ? 'no-free-disk: the disk takes no directory' : `no directory: ${code}`;
      troubledUntilMs = clock.monotonicMs() + diskTroubleMs;
    },
    isTroubled: () => current() !== null || look() < diskFreeBytesMin,
  };
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
