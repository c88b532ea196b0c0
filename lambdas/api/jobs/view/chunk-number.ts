import { notFound } from '../../../../core/contract/problem.ts';

/** The chunk that a path names; beyond the range of the job there is none. */
export function chunkOf(text: string, chunks: number): number {
  const chunk = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (chunk >= chunks) {
    throw notFound(`chunk ${text.slice(0, 20)}; this job has chunks 0 to ${chunks - 1}`);
  }
  return chunk;
}
