import { notFound } from '../../../../core/contract/problem.ts';
import { chunksMax, shownLengthMax } from '../../../../core/model/limits.ts';
import type { StoredJob } from '../../../../core/model/stored-job.ts';
import { instancesMax } from '../../../../core/services/limits.ts';

/** The chunk that a path names; beyond the range of the job there is none. */
export function chunkOf(text: string, chunks: number): number {
  const chunk = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (chunk >= chunks) {
    const shown = text.slice(0, shownLengthMax);
    throw notFound(`chunk ${shown}; this job has chunks 0 to ${chunks - 1}`);
  }
  return chunk;
}

/**
 * Of a service some may have been taken out, and others stand in for those that move; of what runs
 * everywhere a number is that of an edge in one of its cells.
 */
export function numbersMaxOf({ chunking, spec }: Pick<StoredJob, 'chunking' | 'spec'>): number {
  if (spec.everywhere !== undefined) return chunksMax;
  return spec.restart === undefined ? chunking.chunks : instancesMax;
}
