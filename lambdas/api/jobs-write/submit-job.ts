import { createHash } from 'node:crypto';
import { seesJob } from '../../../core/caller.ts';
import { submit } from '../../../core/jobs/submit.ts';
import { changeAttemptsMax } from '../../../core/limits.ts';
import { type JobId, jobIdRandomBytes, makeJobId } from '../../../core/names.ts';
import type { JobWithStatus } from '../../../core/stored-job.ts';
import { type JobBody, jobBodySchema } from '../../../core/wire/job-body.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { answerAgain, firstAnswer, readIdempotencyKey } from '../http/idempotency.ts';
import { readBody } from '../http/json-body.ts';
import { jobView } from '../views/job-view.ts';
import { contended } from './change-job.ts';
import type { SubmitDeps } from './deps.ts';
import { surroundingsOf } from './surroundings.ts';

/**
 * `POST /v1/jobs`: checks the body, decides which cells get which chunks, and stores everything in
 * one transaction. Nothing of a refused request is stored.
 */
export async function submitJob(call: Call, deps: SubmitDeps): Promise<Answer> {
  checkQuery(call, []);
  const key = readIdempotencyKey(call);
  const body = readBody(call, jobBodySchema);
  const id = makeJobId(call.nowMs, deps.random.bytes(jobIdRandomBytes));
  const answer = await storeJob(call, deps, { id, body, key });
  if (answer === 'id-taken') throw new ProblemError('job-exists');
  return answer;
}

/** A token that is limited submits only where it sees. */
export function checkPlace(call: Call, body: JobBody): void {
  if (seesJob(callerOf(call), body)) return;
  throw new ProblemError('forbidden', 'This token may not submit to this pool and queue.');
}

export type Submission = {
  readonly id: JobId;
  readonly body: JobBody;
  readonly key: string | null;
};

/**
 * Load, decide, store; again when a job that it waits for has ended in between. The answer is made
 * before, because it is kept for whoever sends the same key again.
 */
export async function storeJob(
  call: Call,
  deps: SubmitDeps,
  { id, body, key }: Submission,
): Promise<Answer | 'id-taken'> {
  checkPlace(call, body);
  const caller = callerOf(call);
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const around = await surroundingsOf(deps, body, deps.cells.ofPool(body.pool, call.nowMs));
    const decision = submit({ id, body, caller }, around, call.nowMs, hashOf);
    if (decision.kind === 'refused') throw decision.problem;
    const answer = acceptedAnswer(decision);
    const kept = key === null ? null : firstAnswer(call, key, answer);
    const outcome = await deps.changes.create(decision, kept);
    if (outcome === 'created') return answer;
    if (outcome === 'key-taken') return answerAgain(call, key ?? '', deps.idempotency);
    if (outcome === 'id-taken') return outcome;
  }
  throw contended();
}

function acceptedAnswer(found: JobWithStatus): Answer {
  const answer = tagged(202, found.job.version, jobView(found, []));
  const location = `/v1/jobs/${found.job.id}`;
  return { ...answer, headers: { ...answer.headers, location } };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
