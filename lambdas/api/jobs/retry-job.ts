import { retry } from '../../../core/jobs/retry.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { checkNoFields } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import { type ChangeDeps, changeJob, readChange } from './change/change-job.ts';
import { jobNow } from './view/job-now.ts';

/**
 * `POST /v1/jobs/{id}/retry`: the dead chunks run again, with fresh attempts. 409 when there are
 * none.
 */
export const retryJob = defineOperation({
  name: 'retryJob',
  read: (call) => {
    checkQuery(call, []);
    checkNoFields(call);
    return readChange(call);
  },
  run: async (change, context, deps: ChangeDeps) => {
    await changeJob(change, context, deps, async (found, cells) =>
      retry(found, cells, await deps.changes.allExecutions(found.job.id)),
    );
    return jobNow(change.id, context, deps);
  },
  answer: (job) => tagged(202, job),
});
