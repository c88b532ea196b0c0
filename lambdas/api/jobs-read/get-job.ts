import { executionsShownMax } from '../../../core/limits.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import type { Ports } from '../ports.ts';
import { jobView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';

/** `GET /v1/jobs/{id}`: the spec, and how far it is, with its first executions. */
export async function getJob(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, []);
  const found = await visibleJob(call, deps);
  const executions = await deps.jobs.executions(found.job.id, null, executionsShownMax);
  return tagged(200, found.job.version, jobView(found, executions));
}
