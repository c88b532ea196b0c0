import { checkQuery, jobOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { defineOperation } from '../operation.ts';
import {
  type SubmissionReading,
  submissionView,
  visibleSubmission,
  wholeView,
} from './submission-view.ts';

/** `GET /v1/jobspecs/{id}`: the jobspec as it was sent, where it went, and what became of it. */
export const getJobspec = defineOperation({
  name: 'getJobspec',
  read: (call) => {
    checkQuery(call, []);
    return jobOfPath(call);
  },
  run: async (id, { caller }, deps: SubmissionReading) => {
    const submission = await visibleSubmission(id, caller, deps);
    const view = wholeView(submission, await submissionView(submission, deps));
    return { version: submission.version, view };
  },
  answer: (submission) => tagged(200, submission),
});
