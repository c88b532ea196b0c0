import { rollbackBodySchema } from '../../../core/contract/services/generation-body.ts';
import { rollbackService } from '../../../core/jobs/update-service.ts';
import { checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readOptionalBody } from '../http/json-body.ts';
import { type ChangeDeps, changeJob, readChange } from '../jobs/change/change-job.ts';
import { jobNow } from '../jobs/view/job-now.ts';
import { defineOperation } from '../operation.ts';
import { updateAround } from './update-around.ts';

/** `POST /v1/jobs/{id}/rollback`: an earlier generation is wanted again, as a new one. */
export const rollbackJob = defineOperation({
  name: 'rollbackJob',
  read: (call) => {
    checkQuery(call, []);
    return { ...readChange(call), body: readOptionalBody(call, rollbackBodySchema) };
  },
  run: async ({ body, ...change }, context, deps: ChangeDeps) => {
    await changeJob(change, context, deps, async (found, cells) =>
      rollbackService(found, body.generation, await updateAround(change.id, cells, context, deps)),
    );
    return jobNow(change.id, context, deps);
  },
  answer: (job) => tagged(202, job),
});
