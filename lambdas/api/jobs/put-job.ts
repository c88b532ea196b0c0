import type { JobAnswer } from '../../../core/contract/job-answer.ts';
import { type JobBody, jobBodySchema } from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { edit, patchTowards } from '../../../core/jobs/edit.ts';
import { updateService } from '../../../core/jobs/update-service.ts';
import { seesJob } from '../../../core/model/caller.ts';
import type { JobSpec } from '../../../core/model/job.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { JobWithStatus } from '../../../core/model/stored-job.ts';
import { unsupportedRun } from '../../../core/runs/unsupported-run.ts';
import { machinesFor } from '../../submissions/surroundings.ts';
import { checkQuery, newNameOf } from '../http/call.ts';
import { tagged, type Versioned } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { checkAbsent, checkPresent, readPrecondition } from '../http/precondition.ts';
import { type Context, defineOperation } from '../operation.ts';
import { updateAround } from '../services/update-around.ts';
import { countedBody } from '../sweeps/counted-body.ts';
import { type Change, changeJob } from './change/change-job.ts';
import { checkInputs } from './change/check-inputs.ts';
import { withEndReceiver } from './change/end-receiver.ts';
import { placedBody } from './change/placed-body.ts';
import { acceptedAnswer, storeJob } from './change/store-job.ts';
import type { WithFiles } from './change/write-ports.ts';
import { jobNow } from './view/job-now.ts';

type Put = Change & { readonly body: JobBody };
type Stored = { readonly created: boolean; readonly job: Versioned<JobAnswer> };

/**
 * `PUT /v1/jobs/{id}`: creates the job under this id (202), or brings the one that is there to this
 * body (200). Of a job that exists only priority, labels and retries can change, and of a service
 * also how many instances it has and what they run: that is another generation.
 * `If-None-Match: *` never overwrites.
 */
export const putJob = defineOperation({
  name: 'putJob',
  read: (call): Put => {
    checkQuery(call, []);
    const id = jobIdOf(newNameOf(call, 'id'));
    return { id, body: readBody(call, jobBodySchema), precondition: readPrecondition(call) };
  },
  run: async (put, context, deps: WithFiles): Promise<Stored> => {
    const { id, body, precondition } = put;
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const found = await deps.jobs.find(id);
      if (found !== null) return update(put, found, context, deps);
      checkAbsent(precondition);
      const placed = withEndReceiver(placedBody(context.caller, body), deps);
      await checkInputs(placed, deps.files, context.nowMs);
      const counted = await countedBody(placed, deps.files, context.nowMs);
      const outcome = await storeJob({ id, body: counted, keep: null }, context, deps);
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
  deps: WithFiles,
): Promise<Stored> {
  if (!seesJob(context.caller, job)) throw new ProblemError('forbidden');
  checkPresent(put.precondition, job.version);
  const body = placedBody(context.caller, put.body);
  await changeJob(put, context, deps, async (found, cells) => {
    const towards = patchTowards(found.job.spec, body);
    if (towards.kind === 'refused') return towards;
    if (towards.kind === 'patch') return edit(found, cells, towards.patch);
    await checkInputs(body, deps.files, context.nowMs);
    await checkMachines(towards.spec, body, context, deps);
    const around = await updateAround(put.id, cells, context, deps);
    return updateService(found, towards.spec, around);
  });
  return { created: false, job: await jobNow(put.id, context, deps) };
}

/** A generation that no edge can run would only take the place of one that runs. */
async function checkMachines(
  spec: JobSpec,
  body: JobBody,
  { nowMs }: Context,
  deps: WithFiles,
): Promise<void> {
  if (!('vm' in spec.run)) return;
  const machines = await machinesFor(body, deps.cells.peek(body.pool, nowMs), deps);
  const unsupported = unsupportedRun(spec, machines ?? []);
  if (unsupported !== null) throw unsupported;
}
