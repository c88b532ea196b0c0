import { edit } from '../../../core/jobs/edit.ts';
import { jobPatchSchema } from '../../../core/wire/job-body.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { type ChangeDeps, changeJob, jobAnswer } from './change-job.ts';

/**
 * `PATCH /v1/jobs/{id}`: priority, labels and retries may change while a job is open; its labels
 * always.
 */
export async function patchJob(call: Call, deps: ChangeDeps): Promise<Answer> {
  checkQuery(call, []);
  const patch = readBody(call, jobPatchSchema);
  await changeJob(call, deps, (found, cells) => edit(found, cells, patch));
  return jobAnswer(call, deps, 200);
}
