import { type JobBody, jobBodySchema } from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { jobIdRandomBytes, makeJobId } from '../../../core/model/names.ts';
import { checkQuery } from '../http/call.ts';
import { answerAgain, firstAnswer, readIdempotencyKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import { countedBody } from '../sweeps/counted-body.ts';
import type { Accepted } from './change/accepted.ts';
import { checkInputs } from './change/check-inputs.ts';
import { withEndReceiver } from './change/end-receiver.ts';
import { placedBody } from './change/placed-body.ts';
import { acceptedAnswer, type Submission, storeJob } from './change/store-job.ts';
import type { WithFiles } from './change/write-ports.ts';

type Submitted = { readonly body: JobBody; readonly keep: Submission['keep'] };

/**
 * `POST /v1/jobs`: checks the body, decides which cells get which chunks, and stores everything in
 * one transaction. `key-taken`: this key was sent before, and its first answer is given again.
 */
export const submitJob = defineOperation({
  name: 'submitJob',
  read: (call): Submitted => {
    checkQuery(call, []);
    const key = readIdempotencyKey(call);
    const body = readBody(call, jobBodySchema);
    if (key === null) return { body, keep: null };
    return { body, keep: (accepted) => firstAnswer(call, key, acceptedAnswer(accepted)) };
  },
  run: async (asked, context, deps: WithFiles): Promise<Accepted | 'key-taken'> => {
    const placed = withEndReceiver(placedBody(context.caller, asked.body), deps);
    await checkInputs(placed, deps.files, context.nowMs);
    const body = await countedBody(placed, deps.files, context.nowMs);
    const id = makeJobId(context.nowMs, deps.random.bytes(jobIdRandomBytes));
    const outcome = await storeJob({ id, body, keep: asked.keep }, context, deps);
    if (outcome === 'id-taken') throw new ProblemError('job-exists');
    return outcome;
  },
  answer: (outcome, call, deps) =>
    outcome === 'key-taken'
      ? answerAgain(call, readIdempotencyKey(call) ?? '', deps.idempotency)
      : acceptedAnswer(outcome),
});
