import {
  type JobBatchBody,
  type JobBody,
  jobBatchBodySchema,
} from '../../../core/contract/job-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import {
  type Submitted as Decided,
  ofBatch,
  submitBatch,
} from '../../../core/jobs/submit-batch.ts';
import { changeAttemptsMax } from '../../../core/model/limits.ts';
import { type JobId, jobIdRandomBytes, makeJobId } from '../../../core/model/names.ts';
import type { KeptAnswer } from '../../../core/ports/jobs.ts';
import { keptAnswerBytesMax } from '../../limits.ts';
import { submittedWords } from '../../submissions/submitted-words.ts';
import { hashOf, surroundingsOf } from '../../submissions/surroundings.ts';
import { auditEvent } from '../http/audit.ts';
import { type Answer, checkQuery } from '../http/call.ts';
import { answerAgain, firstAnswer, readIdempotencyKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { type Context, defineOperation } from '../operation.ts';
import { countedBody } from '../sweeps/counted-body.ts';
import { checkInputs } from './change/check-inputs.ts';
import { withEndReceiver } from './change/end-receiver.ts';
import { placedBody } from './change/placed-body.ts';
import { cellsFor } from './change/store-job.ts';
import type { SubmitDeps, WithFiles } from './change/write-ports.ts';
import { newJobView } from './view/job-view.ts';

type Views = readonly ReturnType<typeof newJobView>[];
type Batch = {
  readonly body: JobBatchBody;
  readonly keep: ((items: Views) => KeptAnswer) | null;
};

/**
 * `POST /v1/jobs/batch`: up to a hundred jobs, all or none, each as `POST /v1/jobs` takes it; one
 * pass places them. The key is for the whole.
 */
export const submitJobs = defineOperation({
  name: 'submitJobs',
  read: (call): Batch => {
    checkQuery(call, []);
    const key = readIdempotencyKey(call);
    const body = readBody(call, jobBatchBodySchema);
    return { body, keep: key === null ? null : (items) => firstAnswer(call, key, accepted(items)) };
  },
  run: async ({ body, keep }, context, deps: WithFiles): Promise<Views | 'key-taken'> => {
    const placed = body.jobs.map((job, at) =>
      inPlace(at, () => withEndReceiver(placedBody(context.caller, job), deps)),
    );
    await checkAllInputs(placed, context, deps);
    const bodies = await countedBodies(placed, context, deps);
    const ids = body.jobs.map((_, at) => {
      return makeJobId(context.nowMs + at, deps.random.bytes(jobIdRandomBytes));
    });
    for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
      const decision = submitBatch(
        await surround(bodies, ids, context, deps),
        context.nowMs,
        hashOf,
      );
      if (decision.kind === 'refused') throw decision.problem;
      const { jobs } = decision;
      const views = jobs.map((job) => newJobView(job, []));
      const kept = keep === null ? null : keep(views);
      if ((kept?.answer.body.length ?? 0) > keptAnswerBytesMax) throw tooLongToKeep();
      const audits = jobs.map(({ job }) => auditEvent(context, submittedWords(job), job.id));
      const outcome = await deps.changes.createMany(jobs, kept, audits);
      if (outcome === 'created') return views;
      if (outcome === 'key-taken') return outcome;
      if (outcome === 'id-taken') throw new ProblemError('job-exists');
    }
    throw contended();
  },
  answer: (outcome, call, deps) =>
    outcome === 'key-taken'
      ? answerAgain(call, readIdempotencyKey(call) ?? '', deps.idempotency)
      : accepted(outcome),
});

/** One after the other: what the first loads of a pool is remembered for the others. */
async function surround(
  bodies: readonly JobBody[],
  ids: readonly JobId[],
  { caller, nowMs }: Context,
  deps: SubmitDeps,
): Promise<readonly Decided[]> {
  const submitted: Decided[] = [];
  for (const [at, body] of bodies.entries()) {
    const around = await surroundingsOf(deps, body, cellsFor(deps, body, nowMs));
    submitted.push({ submission: { id: ids[at]!, body, caller }, around });
  }
  return submitted;
}

/** Jobs of one batch mostly need the same files, which are looked for once. */
async function checkAllInputs(
  bodies: readonly JobBody[],
  { nowMs }: Context,
  { files }: WithFiles,
): Promise<void> {
  const looked = new Set<string>();
  for (const [at, body] of bodies.entries()) {
    const wanted = JSON.stringify([body.pool, body.inputs]);
    if (looked.has(wanted)) continue;
    looked.add(wanted);
    await checkInputs(body, files, nowMs).catch((error: unknown) => {
      throw error instanceof ProblemError ? ofBatch(error, at) : error;
    });
  }
}

/** One after the other: of several sweeps over one file the first reads it through. */
async function countedBodies(
  bodies: readonly JobBody[],
  { nowMs }: Context,
  { files }: WithFiles,
): Promise<JobBody[]> {
  const counted: JobBody[] = [];
  for (const [at, body] of bodies.entries()) {
    const one = await countedBody(body, files, nowMs).catch((error: unknown) => {
      throw error instanceof ProblemError ? ofBatch(error, at) : error;
    });
    counted.push(one);
  }
  return counted;
}

function inPlace<T>(at: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof ProblemError ? ofBatch(error, at) : error;
  }
}

function accepted(items: Views): Answer {
  return { status: 202, body: { items } };
}

function tooLongToKeep(): ProblemError {
  const detail =
    'The answer to this batch is too long to be kept with its Idempotency-Key: ' +
    'send fewer jobs at once.';
  return new ProblemError('body-too-large', detail);
}
