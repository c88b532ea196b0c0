import { ProblemError } from '../../../core/contract/problem.ts';
import { purge } from '../../../core/jobs/cancel.ts';
import { submissionStatus } from '../../../core/jobs/submission-status.ts';
import { nameOfCaller } from '../../../core/model/caller.ts';
import { isFinal } from '../../../core/model/job.ts';
import type { Submission } from '../../../core/model/submission.ts';
import { type ChangeJobsDeps, changeOne } from '../../submissions/change-jobs.ts';
import { audit, auditEvent } from '../http/audit.ts';
import { checkQuery, flagOf, jobOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { contended } from '../http/outage.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { type Context, defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import {
  jobsOfSubmission,
  submissionView,
  visibleSubmission,
  wholeView,
} from './submission-view.ts';

export type ChangeSubmissionDeps = ChangeJobsDeps &
  Pick<Ports, 'submissions' | 'jobs' | 'changes' | 'audit'>;

/**
 * `DELETE /v1/jobspecs/{id}`: cancels every job of it that has not ended, those that are still to
 * be made as well. `?purge=true` removes one that has ended, with its jobs.
 */
export const cancelJobspec = defineOperation({
  name: 'cancelJobspec',
  read: (call) => {
    checkQuery(call, ['purge']);
    const precondition = readPrecondition(call);
    return { id: jobOfPath(call), purge: flagOf(call, 'purge'), precondition };
  },
  run: async (asked, context, deps: ChangeSubmissionDeps) => {
    const found = await visibleSubmission(asked.id, context.caller, deps);
    checkVersion(asked.precondition, found.version);
    if (asked.purge) return removeAll(found, context, deps);
    const { nowMs } = context;
    const version = found.version + 1;
    const cancelled = { ...found, cancelledAtMs: nowMs, isOpen: true, waits: false, version };
    if (!(await deps.submissions.save(cancelled, found.version))) throw contended();
    await audit(context, deps, 'jobspec-cancelled', found.id);
    for (const { id } of found.jobs) await changeOne(id, 'cancel', doer(context), deps);
    const closed = { ...cancelled, isOpen: false, version: cancelled.version + 1 };
    await deps.submissions.save(closed, cancelled.version);
    const view = wholeView(closed, await submissionView(closed, deps));
    return { version: closed.version, view };
  },
  answer: (cancelled) => (cancelled === null ? { status: 204 } : tagged(202, cancelled)),
});

/** Who asked, for the trails of the jobs. */
export function doer(context: Context) {
  return {
    by: nameOfCaller(context.caller),
    nowMs: context.nowMs,
    auditFor: (action: string, target: string) => auditEvent(context, action, target),
  };
}

async function removeAll(
  submission: Submission,
  context: Context,
  deps: ChangeSubmissionDeps,
): Promise<null> {
  const jobs = await jobsOfSubmission(submission, deps);
  const { state } = submissionStatus(submission, jobs);
  if (submission.isOpen || !isFinal(state)) throw new ProblemError('not-finished');
  for (const job of jobs.values()) {
    const decision = purge(job);
    if (decision.kind === 'refused') throw decision.problem;
    await deps.changes.purge(decision);
  }
  await deps.submissions.remove(submission.id);
  await audit(context, deps, 'jobspec-purged', submission.id);
  return null;
}
