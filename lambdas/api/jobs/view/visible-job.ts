import { notFound } from '../../../../core/contract/problem.ts';
import { type Caller, seesJob } from '../../../../core/model/caller.ts';
import type { JobId } from '../../../../core/model/names.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import type { JobRecords } from '../../../../core/ports/jobs.ts';

/**
 * The job of this id, or 404: also when the caller may not see it, which says nothing of its
 * existence.
 */
export async function visibleJob(
  id: JobId,
  caller: Caller,
  deps: { readonly jobs: Pick<JobRecords, 'find'> },
): Promise<JobWithStatus> {
  const found = await deps.jobs.find(id);
  if (found === null || !seesJob(caller, found.job)) throw notFound(`job "${id}"`);
  return found;
}
