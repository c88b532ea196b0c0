import { createHash, type Hash } from 'node:crypto';
import {
  chmodSync,
  createReadStream,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statfsSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { digestPattern } from '../../core/files/manifest.ts';
import { diskFreeBytesMin, partsKeptMs } from '../limits.ts';

/**
 * Files by the SHA-256 of what is in them, one copy for all chunks and jobs of the process, read
 * only. Bounded: what was used longest ago goes first, never what is in use. A file that somebody
 * changed is known by its time, and one that an earlier life left is read through before it counts.
 */
export type FileCache = {
  /** Where it is, whole; `null`: it is not there. Reads it through if need be. */
  find(digest: string): Promise<string | null>;
  /** Without a look at it, and without using it. */
  has(digest: string): boolean;
  /** The same for one that this process has seen whole; it is in use from now on. */
  intact(digest: string): string | null;
  /** Where what has arrived of it is kept. */
  partial(digest: string): string;
  /** The part is the whole. A part that came another way has a name of its own. */
  admit(digest: string, part?: string): void;
  /** Makes room for so many bytes more; false when what is in use leaves none. */
  makeRoom(bytes: number): boolean;
};

type Kept = { bytes: number; isSeen: boolean };

/** What no file that is written to has: seconds since 1970. */
const unchangedTime = 946_684_800;

export function openFileCache(deps: {
  readonly directory: string;
  readonly bytesMax: number;
  readonly isInUse: (digest: string) => boolean;
  readonly freeBytesOf?: (path: string) => number;
}): FileCache {
  const { directory, bytesMax, isInUse, freeBytesOf = freeBytes } = deps;
  const [whole, parts] = [join(directory, 'files'), join(directory, 'parts')];
  for (const path of [whole, parts]) mkdirSync(path, { recursive: true, mode: 0o700 });
  // In the order of their last use.
  const kept = new Map<string, Kept>();
  let total = 0;
  const pathOf = (digest: string): string => join(whole, digest);

  const drop = (digest: string): void => {
    total -= kept.get(digest)?.bytes ?? 0;
    kept.delete(digest);
    rmSync(pathOf(digest), { force: true });
  };

  const used = (digest: string, found: Kept): void => {
    kept.delete(digest);
    kept.set(digest, found);
  };

  for (const { name, bytes } of leftIn(whole)) {
    kept.set(name, { bytes, isSeen: false });
    total += bytes;
  }
  for (const name of readdirSync(whole)) {
    if (!kept.has(name)) rmSync(join(whole, name), { force: true, recursive: true });
  }

  for (const name of readdirSync(parts)) {
    const stat = statSync(join(parts, name), { throwIfNoEntry: false });
    const isOld = stat !== undefined && Date.now() - stat.mtimeMs > partsKeptMs;
    if (isOld) rmSync(join(parts, name), { force: true });
  }

  const intact = (digest: string): string | null => {
    const found = kept.get(digest);
    if (found === undefined || !found.isSeen) return null;
    const stat = statSync(pathOf(digest), { throwIfNoEntry: false });
    if (stat === undefined || !isUnchanged(stat, found)) {
      drop(digest);
      return null;
    }
    used(digest, found);
    return pathOf(digest);
  };

  return {
    intact,
    has: (digest) => kept.has(digest),
    partial: (digest) => join(parts, digest),
    async find(digest) {
      const found = kept.get(digest);
      if (found === undefined) return null;
      if (!found.isSeen) {
        const sum = await sumOf(pathOf(digest)).catch(() => null);
        if (sum?.digest('hex') !== digest) drop(digest);
        else found.isSeen = true;
      }
      return intact(digest);
    },
    admit(digest, name = digest) {
      const part = join(parts, name);
      chmodSync(part, 0o444);
      utimesSync(part, Date.now() / 1_000, unchangedTime);
      renameSync(part, pathOf(digest));
      const { size } = statSync(pathOf(digest));
      total += size - (kept.get(digest)?.bytes ?? 0);
      kept.set(digest, { bytes: size, isSeen: true });
    },
    makeRoom(bytes) {
      const fits = (): boolean =>
        total + bytes <= bytesMax && freeBytesOf(directory) >= bytes + diskFreeBytesMin;
      for (const digest of [...kept.keys()]) {
        if (fits()) return true;
        if (!isInUse(digest)) drop(digest);
      }
      return fits();
    },
  };
}

/** Of a file, as it is read now. */
export async function sumOf(path: string): Promise<Hash> {
  const sum = createHash('sha256');
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  return sum;
}

function isUnchanged(stat: Stats, { bytes }: Kept): boolean {
  return stat.isFile() && stat.size === bytes && stat.mtimeMs === unchangedTime * 1_000;
}

function leftIn(directory: string): readonly { readonly name: string; readonly bytes: number }[] {
  const found: { name: string; bytes: number; usedAtMs: number }[] = [];
  for (const name of readdirSync(directory)) {
    const stat = statSync(join(directory, name), { throwIfNoEntry: false });
    if (stat === undefined || !digestPattern.test(name)) continue;
    const bytes = stat.size;
    if (isUnchanged(stat, { bytes, isSeen: false })) {
      found.push({ name, bytes, usedAtMs: stat.atimeMs });
    }
  }
  return found.sort((a, b) => a.usedAtMs - b.usedAtMs);
}

export function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
