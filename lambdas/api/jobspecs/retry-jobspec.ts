import { ProblemError } from '../../../core/contract/problem.ts';
import type { JobCreation } from '../../../core/jobs/submit.ts';
import { jobIdRandomBytes, makeJobId } from '../../../core/model/names.ts';
import type { Submission, SubmittedJob } from '../../../core/model/submission.ts';
import { changeOne } from '../../submissions/change-jobs.ts';
import { type MakeDeps, makeJobs } from '../../submissions/make-jobs.ts';
import { submittedWords } from '../../submissions/submitted-words.ts';
import { audit, auditEvent } from '../http/audit.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { checkNoFields } from '../http/json-body.ts';
import { contended } from '../http/outage.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { type ChangeSubmissionDeps, doer } from './cancel-jobspec.ts';
import {
  type FoundJobs,
  jobsOfSubmission,
  submissionView,
  visibleSubmission,
  wholeView,
} from './submission-view.ts';

/**
 * `POST /v1/jobspecs/{id}/retry`: what died runs again, and after it what waited for it. A job that
 * never began because another failed has ended for good, so another one takes its place.
 */
export const retryJobspec = defineOperation({
  name: 'retryJobspec',
  read: (call) => {
    checkQuery(call, []);
    checkNoFields(call);
    return jobOfPath(call);
  },
  run: async (id, context, deps: ChangeSubmissionDeps & MakeDeps & Pick<Ports, 'random'>) => {
    const found = await visibleSubmission(id, context.caller, deps);
    if (found.cancelledAtMs !== null) {
      throw new ProblemError('conflict', 'The jobspec was cancelled; submit it anew.');
    }
    const jobs = await jobsOfSubmission(found, deps);
    const dead = found.jobs.filter((it) => (jobs.get(it.id)?.status.counts.dead ?? 0) > 0);
    const neverBegan = found.jobs.filter((it) => isToBeginAnew(it, found, jobs));
    if (dead.length + neverBegan.length === 0) {
      throw new ProblemError('nothing-to-retry', 'Nothing of this jobspec has failed.');
    }
    for (const it of dead) await changeOne(it.id, 'retry', doer(context), deps);
    const anew = new Set(neverBegan);
    const version = found.version + 1;
    const open: Submission = {
      ...found,
      jobs: found.jobs.map((it, at) =>
        anew.has(it)
          ? { ...it, id: makeJobId(context.nowMs + at, deps.random.bytes(jobIdRandomBytes)) }
          : it,
      ),
      impossible: [],
      isOpen: true,
      version,
    };
    if (!(await deps.submissions.save(open, found.version))) throw contended();
    await audit(context, deps, 'jobspec-retried', id);
    const auditFor = ({ job }: JobCreation) => auditEvent(context, submittedWords(job), job.id);
    const impossible = await makeJobs(open, context.caller, auditFor, deps);
    const made = { ...open, impossible, isOpen: false, version: version + 1 };
    await deps.submissions.save(made, version);
    return wholeView(made, await submissionView(made, deps));
  },
  answer: (body) => ({ status: 202, body }),
});

function isToBeginAnew(
  { id, unit }: SubmittedJob,
  { impossible }: Submission,
  jobs: FoundJobs,
): boolean {
  const status = jobs.get(id)?.status;
  if (status === undefined) return impossible.includes(unit);
  return status.dependencyFailed && status.counts.dead === 0 && status.state === 'failed';
}
