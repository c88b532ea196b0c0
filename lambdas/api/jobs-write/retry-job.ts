import { executionsShownMax } from '../../../core/limits.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { checkIfMatch, tagged } from '../http/etag.ts';
import { jobView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';
import type { JobsWriteDeps } from './deps.ts';
import { tellJob } from './job-event.ts';

/**
 * `POST /v1/jobs/{id}/retry`: the dead chunks run again, with fresh attempts. 409 when there are
 * none.
 */
export async function retryJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  checkQuery(call, []);
  const found = await visibleJob(call, deps);
  checkIfMatch(call, found.job.version);
  if (found.status.counts.dead === 0) throw new ProblemError('nothing-to-retry');
  if (found.job.cancelledAtMs !== null) {
    throw new ProblemError('conflict', 'The job was cancelled; submit it anew.');
  }
  if ((await deps.changes.retry(found)) === 'conflict') return retryJob(call, deps);
  const detail = `${found.status.counts.dead} dead chunks run again.`;
  await tellJob(call, deps, found.job.id, 'retried', detail);
  const after = await visibleJob(call, deps);
  const executions = await deps.jobs.executions(after.job.id, null, executionsShownMax);
  return tagged(202, after.job.version, jobView(after, executions));
}
