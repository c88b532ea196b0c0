import {
  chunksOf,
  count,
  fromChunks,
  has,
  intersect,
  isEmpty,
  subtract,
} from '../../core/model/ranges.ts';
import type { ChunkEnd } from '../executors/executor.ts';
import type { DownstreamApi, DownstreamJob } from './downstream-api.ts';
import type { FollowedPart } from './followed-part.ts';

/** What became of the chunks of a part, by their numbers in the job below. */
export async function endsOf(
  api: Pick<DownstreamApi, 'chunks'>,
  part: Pick<FollowedPart, 'id' | 'open' | 'cancelledThere'>,
  job: DownstreamJob,
): Promise<ReadonlyMap<number, ChunkEnd>> {
  const ends = new Map<number, ChunkEnd>();
  for (const index of chunksOf(intersect(job.done, part.open))) ends.set(index, { kind: 'done' });
  let open = subtract(part.open, fromChunks(ends.keys()));
  if (job.counts.dead > 0 && !isEmpty(open)) {
    for (const [index, failure] of await api.chunks(part.id, 'dead')) {
      if (has(open, index)) ends.set(index, { kind: 'failed', failure });
    }
    open = subtract(open, fromChunks(ends.keys()));
  }
  if (job.counts.cancelled !== part.cancelledThere && !isEmpty(open)) {
    for (const index of (await api.chunks(part.id, 'cancelled')).keys()) {
      if (has(open, index)) ends.set(index, { kind: 'failed', failure: 'cancelled in edgewise' });
    }
  }
  return ends;
}

/** Reasons that time alone does not end. */
const lasting: ReadonlySet<string> = new Set([
  'chunk-larger-than-any-edge',
  'expression-does-not-match',
  'labels-do-not-match',
  'edge-refused',
]);

/** Why nothing below can run a job as things are; `null` when something may. */
export function whyNever(job: DownstreamJob): string | null {
  const isAnyRunning = count(job.running) > 0;
  if (isAnyRunning || job.counts.pending === 0 || job.waiting.length === 0) return null;
  if (!job.waiting.every(({ reason }) => lasting.has(reason))) return null;
  return job.waiting.map(({ reason, detail }) => `${reason}: ${detail}`).join('; ');
}
