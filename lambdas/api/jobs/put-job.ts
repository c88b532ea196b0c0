import type { JobAnswer } from '../../../core/contract/job-answer.ts';
import { type JobBody, jobBodySchema } from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { edit, patchTowards } from '../../../core/jobs/edit.ts';
import { seesJob } from '../../../core/model/caller.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import { checkQuery, newNameOf } from '../http/call.ts';
import { tagged, type Versioned } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { checkAbsent, checkPresent, readPrecondition } from '../http/precondition.ts';
import { type Context, defineOperation } from '../operation.ts';
import { type Change, changeJob, contended } from './change/change-job.ts';
import { acceptedAnswer, storeJob } from './change/store-job.ts';
import type { SubmitDeps } from './change/write-ports.ts';
import { jobNow } from './view/job-now.ts';

type Put = Change & { readonly body: JobBody };
type Stored = { readonly created: boolean; readonly job: Versioned<JobAnswer> };

/**
 * `PUT /v1/jobs/{id}`: creates the job under this id (202), or brings the one that is there to this
 * body (200). Of a job that exists only priority, labels and retries can change; what it runs
 * cannot. `If-None-Match: *` never overwrites.
 */
export const putJob = defineOperation({
  name: 'putJob',
  read: (call): Put => {
    checkQuery(call, []);
    const id = jobIdOf(newNameOf(call, 'id'));
    return { id, body: readBody(call, jobBodySchema), precondition: readPrecondition(call) };
  },
  run: async (put, context, deps: SubmitDeps): Promise<Stored> => {
    const { id, body, precondition } = put;
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const found = await deps.jobs.find(id);
      if (found !== null) return update(put, found, context, deps);
      checkAbsent(precondition);
      const outcome = await storeJob({ id, body, keep: null }, context, deps);
      if (typeof outcome !== 'string') return { created: true, job: outcome };
    }
    throw contended();
  },
  answer: ({ created, job }) => (created ? acceptedAnswer(job) : tagged(200, job)),
});

async function update(
  put: Put,
  { job }: JobWithStatus,
  context: Context,
  deps: SubmitDeps,
): Promise<Stored> {
  if (!seesJob(context.caller, job.spec)) throw new ProblemError('forbidden');
  checkPresent(put.precondition, job.version);
  await changeJob(put, context, deps, (found, cells) => {
    const towards = patchTowards(found.job.spec, put.body);
    return towards.kind === 'refused' ? towards : edit(found, cells, towards.patch);
  });
  return { created: false, job: await jobNow(put.id, context, deps) };
}
