import { seesJob } from '../../../core/caller.ts';
import type { JobRecords } from '../../../core/ports/jobs.ts';
import type { JobWithStatus } from '../../../core/stored-job.ts';
import { notFound } from '../../../core/wire/problem.ts';
import { type Call, callerOf, jobOfPath } from '../http/call.ts';

/**
 * The job that the path names, or 404: also when the caller may not see it, which says nothing of
 * its existence.
 */
export async function visibleJob(
  call: Call,
  deps: { readonly jobs: Pick<JobRecords, 'find'> },
): Promise<JobWithStatus> {
  const id = jobOfPath(call);
  const found = await deps.jobs.find(id);
  if (found === null || !seesJob(callerOf(call), found.job.spec)) throw notFound(`job "${id}"`);
  return found;
}
