import { removeInstance, stopInstance } from '../../../core/jobs/stop-instance.ts';
import { chunksMax } from '../../../core/model/limits.ts';
import { checkQuery, flagOf } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { type ChangeDeps, changeJob, readChange } from '../jobs/change/change-job.ts';
import { chunkOf } from '../jobs/view/chunk-number.ts';
import { jobNow } from '../jobs/view/job-now.ts';
import { defineOperation } from '../operation.ts';
import { updateAround } from './update-around.ts';

/**
 * `DELETE /v1/jobs/{id}/chunks/{n}`: one instance of a service stops, and starts again. With
 * `?scale=true` it does not, and there is one instance fewer.
 */
export const stopChunk = defineOperation({
  name: 'stopChunk',
  read: (call) => {
    checkQuery(call, ['scale']);
    const chunk = chunkOf(call.params.chunk ?? '', chunksMax);
    return { ...readChange(call), chunk, isFewer: flagOf(call, 'scale') };
  },
  run: async ({ chunk, isFewer, ...change }, context, deps: ChangeDeps) => {
    await changeJob(change, context, deps, async (found, cells) => {
      if (isFewer) return removeInstance(found, chunk, cells);
      return stopInstance(found, chunk, await updateAround(change.id, cells, context, deps));
    });
    return jobNow(change.id, context, deps);
  },
  answer: (job) => tagged(202, job),
});
