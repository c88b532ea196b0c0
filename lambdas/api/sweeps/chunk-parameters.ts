import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { Files } from '../../../core/ports/files.ts';
import { sweepMarksReadMax } from '../../../core/sweeps/limits.ts';
import {
  type FileIndex,
  type MarkedPart,
  partOf,
  readPart,
} from '../../../core/sweeps/line-marks.ts';
import type { Parameters } from '../../../core/sweeps/parameters.ts';
import { parametersAt } from '../../../core/sweeps/sweep.ts';
import { storedIndex } from './stored-marks.ts';

/** What was found, as far as one answer goes; `next`: the first chunk that it does not reach. */
export type FoundParameters = {
  readonly found: ReadonlyMap<number, Parameters>;
  readonly next: number | null;
};

const none: FoundParameters = { found: new Map(), next: null };

/** The parameters of these chunks of a sweep; `chunks` rise. None are left of an old file. */
export async function parametersOf(
  { spec, chunking }: Pick<StoredJob, 'spec' | 'chunking'>,
  chunks: readonly number[],
  files: Files,
): Promise<FoundParameters> {
  const { params, pool } = spec;
  if (params === undefined) return none;
  if (!('file' in params)) {
    return { found: new Map(chunks.map((n) => [n, parametersAt(params, n)])), next: null };
  }
  const { file: digest, format } = params;
  const index = await storedIndex(files, { pool, digest, format });
  if (index === null || index.chunks !== chunking.chunks) return none;
  const { parts, next } = partsOf(index, chunks);
  const found = new Map<number, Parameters>();
  for (const [part, wanted] of parts) {
    const bytes = await files.readPart(pool, digest, part.from, part.to);
    if (bytes === null) return none;
    const all = readPart(index, part, bytes);
    for (const chunk of wanted) {
      const parameters = all[chunk - part.firstChunk];
      if (parameters !== undefined) found.set(chunk, parameters);
    }
  }
  return { found, next };
}

function partsOf(
  index: FileIndex,
  chunks: readonly number[],
): { readonly parts: ReadonlyMap<MarkedPart, readonly number[]>; readonly next: number | null } {
  const parts = new Map<MarkedPart, number[]>();
  let last: MarkedPart | null = null;
  for (const chunk of chunks) {
    if (last === null || chunk >= last.firstChunk + last.chunks) {
      if (parts.size === sweepMarksReadMax) return { parts, next: chunk };
      last = partOf(index, chunk);
      parts.set(last, []);
    }
    parts.get(last)!.push(chunk);
  }
  return { parts, next: null };
}
