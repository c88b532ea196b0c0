import type { JobAnswer } from '../../../../core/contract/job-answer.ts';
import { executionsShownMax } from '../../../../core/model/limits.ts';
import type { JobId } from '../../../../core/model/names.ts';
import type { Versioned } from '../../http/etag.ts';
import type { Context } from '../../operation.ts';
import type { Ports } from '../../ports.ts';
import { jobView } from './job-view.ts';
import { visibleJob } from './visible-job.ts';

/** The job as it is now, with its first executions. */
export async function jobNow(
  id: JobId,
  { caller }: Pick<Context, 'caller'>,
  deps: Pick<Ports, 'jobs'>,
): Promise<Versioned<JobAnswer>> {
  const found = await visibleJob(id, caller, deps);
  const executions = await deps.jobs.executions(id, null, executionsShownMax);
  return { version: found.job.version, view: jobView(found, executions) };
}
