import { withRetryWords } from '../../../../core/jobs/retry-words.ts';
import type { Slice } from '../../../../core/model/cell.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import type { Ports } from '../../ports.ts';

/**
 * The job, whose status says of what failed when it is tried again, and after what. The cells that
 * know it are read only while something waits for that.
 */
export async function withRetryTimes(
  found: JobWithStatus,
  nowMs: number,
  { cellStore }: Pick<Ports, 'cellStore'>,
): Promise<JobWithStatus> {
  const { job, status } = found;
  if (!status.waiting.some(({ reason }) => reason === 'backoff')) return found;
  const cells = await Promise.all(job.cells.map((cell) => cellStore.load(cell, job.id)));
  const retries: Slice['retries'] = new Map(
    cells.flatMap((cell) => [...(cell?.jobs.get(job.id)?.slice.retries ?? [])]),
  );
  return {
    ...found,
    status: { ...status, waiting: withRetryWords(status.waiting, retries, nowMs) },
  };
}
