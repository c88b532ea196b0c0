import { executionsShownMax } from '../../../core/model/limits.ts';
import type { JobId } from '../../../core/model/names.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { jobView } from './view/job-view.ts';
import { withRetryTimes } from './view/retry-times.ts';
import { visibleJob } from './view/visible-job.ts';

/** `GET /v1/jobs/{id}`: the spec, and how far it is, with its first executions. */
export const getJob = defineOperation({
  name: 'getJob',
  read: (call): { readonly id: JobId } => {
    checkQuery(call, []);
    return { id: jobOfPath(call) };
  },
  run: async ({ id }, { caller, nowMs }, deps: Pick<Ports, 'jobs' | 'cellStore'>) => {
    const found = await visibleJob(id, caller, deps);
    const executions = await deps.jobs.executions(id, null, executionsShownMax);
    const worded = await withRetryTimes(found, nowMs, deps);
    return { version: found.job.version, view: jobView(worded, executions) };
  },
  answer: (job) => tagged(200, job),
});
