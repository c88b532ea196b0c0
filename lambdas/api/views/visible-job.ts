import type { JobsStore, JobWithStatus } from '../../../adapters/dynamodb/jobs-store.ts';
import { seesJob } from '../../../core/caller.ts';
import type { JobId } from '../../../core/names.ts';
import { notFound } from '../../../core/wire/problem.ts';
import { type Call, callerOf, paramOf } from '../http/call.ts';

/**
 * The job that the path names, or 404: also when the caller may not see it, which says nothing of
 * its existence.
 */
export async function visibleJob(
  call: Call,
  deps: { readonly jobs: JobsStore },
): Promise<JobWithStatus> {
  const id = paramOf(call, 'id', 'such job') as JobId;
  const found = await deps.jobs.find(id);
  if (found === null || !seesJob(callerOf(call), found.job.spec)) throw notFound(`job "${id}"`);
  return found;
}
