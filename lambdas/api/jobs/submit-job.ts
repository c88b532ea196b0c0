import { type JobBody, jobBodySchema } from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { jobIdRandomBytes, makeJobId } from '../../../core/model/names.ts';
import type { IdempotentRequest } from '../../../core/ports/idempotency.ts';
import { checkQuery } from '../http/call.ts';
import { answerAgain, firstAnswer, readIdempotencyKey, requestOf } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import { countedBody } from '../sweeps/counted-body.ts';
import type { Accepted } from './change/accepted.ts';
import { checkInputs } from './change/check-inputs.ts';
import { withEndReceiver } from './change/end-receiver.ts';
import { placedBody } from './change/placed-body.ts';
import { acceptedAnswer, type Submission, storeJob } from './change/store-job.ts';
import type { WithFiles } from './change/write-ports.ts';

type Submitted = {
  readonly body: JobBody;
  readonly keep: Submission['keep'];
  readonly request?: IdempotentRequest;
};

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
    const keep = (accepted: Accepted) => firstAnswer(call, key, acceptedAnswer(accepted));
    return { body, keep, request: requestOf(call, key) };
  },
  run: async (asked, context, deps: WithFiles): Promise<Accepted | 'key-taken'> => {
    const placed = withEndReceiver(placedBody(context.caller, asked.body), deps);
    await checkInputs(placed, deps.files, context.nowMs);
    const body = await countedBody(placed, deps.files, context.nowMs);
    const id = makeJobId(context.nowMs, deps.random.bytes(jobIdRandomBytes));
    const stored = storeJob({ id, body, keep: asked.keep }, context, deps);
    const outcome = await stored.catch((error) => ownName(error, asked, deps));
    if (outcome === 'id-taken') throw new ProblemError('job-exists');
    return outcome;
  },
  answer: (outcome, call, deps) =>
    outcome === 'key-taken'
      ? answerAgain(call, readIdempotencyKey(call) ?? '', deps.idempotency)
      : acceptedAnswer(outcome),
});

/** A name that this very request took when it was sent before. */
async function ownName(
  error: unknown,
  { request }: Submitted,
  { idempotency }: WithFiles,
): Promise<'key-taken'> {
  const isTaken = error instanceof ProblemError && error.code === 'name-taken';
  if (!isTaken || request === undefined || (await idempotency.find(request)) === null) throw error;
  return 'key-taken';
}
