import type { Chunk, Job } from '../../../core/contract/resources.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  first,
  last,
  parseRanges,
  type RangeSet,
  union,
} from '../../../core/model/ranges.ts';
import type { Api } from '../../client/api.ts';
import { exitCode } from '../../exit-code.ts';
import { Failure, usage } from '../../failure.ts';
import { namedChunksMax } from '../../limits.ts';
import { jobPath } from './job-reference.ts';

/**
 * Which chunks the user means: a number, ranges and lists of both in any order, or `all`. What asks
 * for each by itself is bounded; `all` is not, because it is asked for as a whole.
 */
export type NamedChunks =
  | { readonly kind: 'all' }
  | { readonly kind: 'one'; readonly chunk: number }
  | { readonly kind: 'some'; readonly set: RangeSet };

export function readChunks(text: string): NamedChunks {
  if (text === 'all') return { kind: 'all' };
  const set = readSet(text);
  if (set === null) {
    throw usage(
      `"${text}" names no chunks.`,
      'Write a number, ranges like 0-41,43, or all. Chunks count from 0.',
    );
  }
  return count(set) === 1 ? { kind: 'one', chunk: first(set)! } : { kind: 'some', set };
}

function readSet(text: string): RangeSet | null {
  let set = emptyRanges;
  const parts = text.split(',', namedChunksMax + 1);
  if (parts.length > namedChunksMax) return null;
  for (const part of parts) {
    const read = part === '' ? null : parseRanges(part);
    if (read === null) return null;
    set = union(set, read);
  }
  return set;
}

/** Each of them as the API has it; a job that has not all of them is refused. */
export async function getChunks(api: Api, id: string, set: RangeSet): Promise<readonly Chunk[]> {
  if (count(set) > namedChunksMax) {
    throw usage(
      `${count(set)} chunks are too many to name; ${namedChunksMax} at once are not.`,
      'Write all, or choose them by --state.',
    );
  }
  await checkWithin(api, id, set);
  const chunks: Chunk[] = [];
  for (const chunk of chunksOf(set)) chunks.push(await api.get(jobPath(id, `/chunks/${chunk}`)));
  return chunks;
}

/** The job whose chunks they are. */
export async function checkWithin(api: Api, id: string, set: RangeSet): Promise<Job> {
  const job: Job = await api.get(jobPath(id));
  const { total } = job.status.chunks;
  if ((last(set) ?? 0) >= total) {
    throw new Failure(
      exitCode.usage,
      `The job has no chunk ${last(set)}.`,
      `Its chunks are 0 to ${total - 1}.`,
    );
  }
  return job;
}
