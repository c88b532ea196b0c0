import { createHash } from 'node:crypto';
import type { JobAnswer } from '../../../../core/contract/job-answer.ts';
import type { JobBody } from '../../../../core/contract/job-body.ts';
import { ProblemError } from '../../../../core/contract/problem.ts';
import { submit } from '../../../../core/jobs/submit.ts';
import { type Caller, seesJob } from '../../../../core/model/caller.ts';
import { changeAttemptsMax } from '../../../../core/model/limits.ts';
import type { JobId } from '../../../../core/model/names.ts';
import type { KeptAnswer } from '../../../../core/ports/jobs.ts';
import type { Answer } from '../../http/call.ts';
import { tagged, type Versioned } from '../../http/etag.ts';
import type { Context } from '../../operation.ts';
import { jobView } from '../view/job-view.ts';
import { contended } from './change-job.ts';
import { surroundingsOf } from './surroundings.ts';
import type { SubmitDeps } from './write-ports.ts';

export type Accepted = Versioned<JobAnswer>;

export type Submission = {
  readonly id: JobId;
  readonly body: JobBody;
  /** What is stored with the job for whoever sends the same key again. */
  readonly keep: ((accepted: Accepted) => KeptAnswer) | null;
};

/** A token that is limited submits only where it sees. */
export function checkPlace(caller: Caller, body: JobBody): void {
  if (seesJob(caller, body)) return;
  throw new ProblemError('forbidden', 'This token may not submit to this pool and queue.');
}

/**
 * Load, decide, store, in one transaction; again when a job that it waits for has ended in between.
 * Nothing of a refused job is stored.
 */
export async function storeJob(
  { id, body, keep }: Submission,
  { caller, nowMs }: Context,
  deps: SubmitDeps,
): Promise<Accepted | 'id-taken' | 'key-taken'> {
  checkPlace(caller, body);
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const around = await surroundingsOf(deps, body, deps.cells.ofPool(body.pool, nowMs));
    const decision = submit({ id, body, caller }, around, nowMs, hashOf);
    if (decision.kind === 'refused') throw decision.problem;
    const accepted = { version: decision.job.version, view: jobView(decision, []) };
    const outcome = await deps.changes.create(decision, keep === null ? null : keep(accepted));
    if (outcome === 'created') return accepted;
    if (outcome === 'key-taken' || outcome === 'id-taken') return outcome;
  }
  throw contended();
}

export function acceptedAnswer(accepted: Accepted): Answer {
  const answer = tagged(202, accepted);
  const location = `/v1/jobs/${accepted.view.id}`;
  return { ...answer, headers: { ...answer.headers, location } };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}
