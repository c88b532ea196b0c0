import { seesJob } from '../../../core/caller.ts';
import { edit, patchTowards } from '../../../core/jobs/edit.ts';
import { changeAttemptsMax } from '../../../core/limits.ts';
import { type JobId, jobIdOf } from '../../../core/names.ts';
import type { JobWithStatus } from '../../../core/stored-job.ts';
import { type JobBody, jobBodySchema } from '../../../core/wire/job-body.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf, checkQuery, newNameOf } from '../http/call.ts';
import { wantsAbsent } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { changeJob, contended, jobAnswer } from './change-job.ts';
import type { JobsWriteDeps } from './deps.ts';
import { storeJob } from './submit-job.ts';

/**
 * `PUT /v1/jobs/{id}`: creates the job under this id (202), or brings the one that is there to this
 * body (200). Of a job that exists only priority, labels and retries can change; what it runs
 * cannot. `If-None-Match: *` never overwrites.
 */
export async function putJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  checkQuery(call, []);
  const id = jobIdOf(newNameOf(call, 'id'));
  const body = readBody(call, jobBodySchema);
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const found = await deps.jobs.find(id);
    if (found !== null) return update(call, deps, found, body);
    const answer = await create(call, deps, id, body);
    if (answer !== 'id-taken') return answer;
  }
  throw contended();
}

async function create(
  call: Call,
  deps: JobsWriteDeps,
  id: JobId,
  body: JobBody,
): Promise<Answer | 'id-taken'> {
  if (call.headers['if-match'] !== undefined) throw new ProblemError('precondition-failed');
  return storeJob(call, deps, { id, body, key: null });
}

async function update(
  call: Call,
  deps: JobsWriteDeps,
  { job }: JobWithStatus,
  body: JobBody,
): Promise<Answer> {
  if (!seesJob(callerOf(call), job.spec)) throw new ProblemError('forbidden');
  if (wantsAbsent(call)) throw new ProblemError('precondition-failed');
  await changeJob(call, deps, (found, cells) => {
    const towards = patchTowards(found.job.spec, body);
    return towards.kind === 'refused' ? towards : edit(found, cells, towards.patch);
  });
  return jobAnswer(call, deps, 200);
}
