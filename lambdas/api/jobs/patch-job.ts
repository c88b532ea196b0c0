import { jobPatchSchema } from '../../../core/contract/job-body.ts';
import { edit } from '../../../core/jobs/edit.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import { type ChangeDeps, changeJob, readChange } from './change/change-job.ts';
import { jobNow } from './view/job-now.ts';

/**
 * `PATCH /v1/jobs/{id}`: priority, labels and retries may change while a job is open; its labels
 * always.
 */
export const patchJob = defineOperation({
  name: 'patchJob',
  read: (call) => {
    checkQuery(call, []);
    const patch = readBody(call, jobPatchSchema);
    return { ...readChange(call), patch };
  },
  run: async ({ patch, ...change }, context, deps: ChangeDeps) => {
    await changeJob(change, context, deps, (found, cells) => edit(found, cells, patch));
    return jobNow(change.id, context, deps);
  },
  answer: (job) => tagged(200, job),
});
