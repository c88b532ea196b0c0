import type { JobCells } from '../../../core/jobs/job-cells.ts';
import type { UpdateAround } from '../../../core/jobs/update-service.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import type { JobId } from '../../../core/model/names.ts';
import { hashOf } from '../../submissions/surroundings.ts';
import type { ChangeDeps } from '../jobs/change/change-job.ts';
import type { Context } from '../operation.ts';

/** What is stored of a service besides itself, by which its next generation is decided. */
export async function updateAround(
  id: JobId,
  cells: JobCells,
  { caller, nowMs }: Context,
  deps: Pick<ChangeDeps, 'jobs'>,
): Promise<UpdateAround> {
  const kept = await deps.jobs.generations(id);
  return { cells, kept, by: nameOfCaller(caller), nowMs, hash: hashOf };
}
