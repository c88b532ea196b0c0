import type { ResultFile } from '../../../core/contract/files/result-body.ts';
import { manifestBytesMax } from '../../../core/files/limits.ts';
import { parseManifest } from '../../../core/files/manifest.ts';
import type { ResultFiles } from '../../../core/ports/files.ts';
import type { ChunkResult } from '../../../core/ports/jobs.ts';
import { storedJson } from '../http/json-body.ts';

/** A file that a chunk left, without where it can be read. */
export type ChunkFile = Omit<ResultFile, 'url'> & {
  /** Its place in the list of the chunk. */
  readonly at: number;
};

export type ListedChunk = { readonly chunk: number; readonly result: ChunkResult };

/** By path. What is not stored any more is not there. */
export async function filesOfChunk(
  { chunk, result }: ListedChunk,
  space: string,
  results: Pick<ResultFiles, 'read'>,
): Promise<readonly ChunkFile[]> {
  const bytes = await results.read(space, result.manifest, manifestBytesMax);
  const list = bytes === null ? '' : parseManifest(storedJson(bytes));
  if (typeof list === 'string') return [];
  const files = [
    ...list.files.map(({ path, sha256, bytes, isExecutable }) => {
      return { chunk, path, bytes, sha256, ...(isExecutable && { executable: true as const }) };
    }),
    ...list.links.map(({ path, link }) => ({ chunk, path, link })),
  ];
  files.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  return files.map((file, at) => ({ ...file, at }));
}
