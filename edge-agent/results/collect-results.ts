import { createHash } from 'node:crypto';
import { manifestBytesMax } from '../../core/files/limits.ts';
import { formatManifest, type ManifestEntry } from '../../core/files/manifest.ts';
import type { JobOutputs } from '../../core/model/job.ts';
import type { DirectoryOwner } from '../chunk-directory/chunk-directories.ts';
import type { FileToStore } from '../link/control-plane-api.ts';
import { findResults } from './find-results.ts';
import { digestFile } from './read-file.ts';
import { ResultFault } from './result-fault.ts';

/** What a chunk left, by what is in it. */
export type Collected = {
  /** Each content once, and where it lies. */
  readonly sources: readonly ResultSource[];
  readonly manifest: { readonly sha256: string; readonly text: Buffer };
  readonly files: number;
  readonly bytes: number;
};

export type ResultSource = FileToStore & { readonly from: string };

const bytesPerMb = 1024 * 1024;

export async function collectResults(
  root: string,
  { paths, maxMb }: JobOutputs,
  owner: DirectoryOwner | null,
  signal: AbortSignal,
): Promise<Collected> {
  const found = findResults(root, paths);
  const files: ManifestEntry[] = [];
  const sources = new Map<string, ResultSource>();
  let total = 0;
  for (const { path, from } of found.files) {
    signal.throwIfAborted();
    const { isExecutable, ...read } = await digestFile(root, from, owner);
    const { sha256, bytes } = read;
    total += bytes;
    if (total > maxMb * bytesPerMb) throw new ResultFault(`they are more than ${maxMb} MB (maxMb)`);
    files.push({ path, sha256, bytes, isExecutable });
    sources.set(sha256, { ...read, from });
  }
  const text = Buffer.from(formatManifest({ files, links: found.links }));
  if (text.length > manifestBytesMax) throw new ResultFault('their names are too long together');
  const sha256 = createHash('sha256').update(text).digest('hex');
  const count = files.length + found.links.length;
  return {
    sources: [...sources.values()],
    manifest: { sha256, text },
    files: count,
    bytes: total,
  };
}
