import { type Caller, seesJob } from '../../../../core/caller.ts';
import type { JobId } from '../../../../core/names.ts';
import type { JobRecords } from '../../../../core/ports/jobs.ts';
import type { JobWithStatus } from '../../../../core/stored-job.ts';
import { notFound } from '../../../../core/wire/problem.ts';

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
  if (found === null || !seesJob(caller, found.job.spec)) throw notFound(`job "${id}"`);
  return found;
}
