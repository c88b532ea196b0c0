import { notFound } from '../../../core/wire/problem.ts';
import type { Call } from '../http/call.ts';

/** The chunk that the path names; beyond the range of the job there is none. */
export function readChunkNumber(call: Call, chunks: number): number {
  const text = call.params.chunk ?? '';
  const chunk = /^(0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  if (chunk >= chunks) {
    throw notFound(`chunk ${text.slice(0, 20)}; this job has chunks 0 to ${chunks - 1}`);
  }
  return chunk;
}
