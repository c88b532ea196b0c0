import { resultSpaceOf } from '../../../core/files/result-space.ts';
import { placeOf } from '../../../core/jobs/chunk-board.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { EdgeName, JobId } from '../../../core/model/names.ts';
import type { StoredChunk } from '../../../core/ports/jobs.ts';
import type { OutputStream } from '../../../core/ports/outputs.ts';
import { chunkOf, numbersMaxOf } from '../jobs/view/chunk-number.ts';
import { loadBoard } from '../jobs/view/chunk-view.ts';
import { visibleJob } from '../jobs/view/visible-job.ts';
import type { Ports } from '../ports.ts';

/** Where a chunk is whose output somebody reads. */
export type FollowedChunk = {
  readonly chunk: number;
  readonly edge: EdgeName | null;
  /** The one that runs, or ran last; 0 before the first. */
  readonly attempt: number;
  /** An edge has it, so it prints or will print. */
  readonly isHeld: boolean;
  readonly isOver: boolean;
  /** What is kept of it, of the stream that is asked for. */
  readonly output: StoredChunk['output'];
  /** Where all of it lies, if it is kept whole. */
  readonly space: string;
};

export async function chunkPlaceOf(
  id: JobId,
  { named, stream }: { readonly named: string; readonly stream: OutputStream },
  caller: Caller,
  { jobs }: Pick<Ports, 'jobs'>,
): Promise<FollowedChunk> {
  const found = await visibleJob(id, caller, { jobs });
  const chunk = chunkOf(named, numbersMaxOf(found.job));
  const [board, stored] = await Promise.all([loadBoard(jobs, found), jobs.chunk(id, chunk)]);
  const { state, edge, attempts } = placeOf(board, chunk, stored?.end ?? null);
  return {
    chunk,
    edge,
    attempt: attempts,
    isHeld: edge !== null && (state === 'running' || state === 'scheduled'),
    isOver: state === 'done' || state === 'dead' || state === 'cancelled',
    space: resultSpaceOf(found.job),
    output: (stream === 'stderr' ? stored?.errors : stored?.output) ?? null,
  };
}
