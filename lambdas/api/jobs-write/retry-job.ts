import { retry } from '../../../core/jobs/retry.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { type ChangeDeps, changeJob, jobAnswer } from './change-job.ts';

/**
 * `POST /v1/jobs/{id}/retry`: the dead chunks run again, with fresh attempts. 409 when there are
 * none.
 */
export async function retryJob(call: Call, deps: ChangeDeps): Promise<Answer> {
  checkQuery(call, []);
  await changeJob(call, deps, async (found, cells) =>
    retry(found, cells, await deps.changes.allExecutions(found.job.id)),
  );
  return jobAnswer(call, deps, 202);
}
