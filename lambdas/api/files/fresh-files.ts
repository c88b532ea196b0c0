import { fileLooksAtOnce, filesFreshMs } from '../../../core/files/limits.ts';
import { isBound } from '../../../core/model/caller.ts';
import type { Files } from '../../../core/ports/files.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import type { Context } from '../operation.ts';

/**
 * Which of these will be there for a good while. What is stored is removed after a time; an old
 * file counts as missing here, so that who needs it sends it once more and it stays.
 */
/** Who is bound to clusters does not learn what others stored: it sends what it needs. */
export async function knownFiles(
  files: Files,
  pool: string,
  digests: readonly string[],
  { caller, nowMs }: Pick<Context, 'caller' | 'nowMs'>,
): Promise<ReadonlySet<string>> {
  return isBound(caller) ? new Set() : freshFiles(files, pool, digests, nowMs);
}

export async function freshFiles(
  files: Files,
  pool: string,
  digests: readonly string[],
  nowMs: number,
): Promise<ReadonlySet<string>> {
  const fresh = new Set<string>();
  await forEachLimited([...new Set(digests)], fileLooksAtOnce, async (digest) => {
    const found = await files.find(pool, digest);
    if (found !== null && nowMs - found.storedAtMs < filesFreshMs) fresh.add(digest);
  });
  return fresh;
}
