import type { JobspecExplanation } from '../../../core/contract/jobspec/jobspec-answer.ts';
import { checkQuery, flagOf, jobOfPath } from '../http/call.ts';
import { checkNoFields } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { CandidateDeps } from './candidates.ts';
import { chooseAgain } from './choose-again.ts';
import { type SubmissionReading, visibleSubmission } from './submission-view.ts';

/**
 * `POST /v1/jobspecs/{id}/explain`: the choice made again, with what clusters have and say of
 * themselves today. Whatever it says, the jobspec stays where it went.
 */
export const explainJobspec = defineOperation({
  name: 'explainJobspec',
  read: (call) => {
    checkQuery(call, ['live']);
    checkNoFields(call);
    return { id: jobOfPath(call), live: flagOf(call, 'live') };
  },
  run: async ({ id, live }, context, deps: SubmissionReading & CandidateDeps) => {
    const submission = await visibleSubmission(id, context.caller, deps);
    const { answers, totals, selection } = await chooseAgain(submission, live, context, deps);
    return {
      id,
      cluster: submission.cluster,
      clusters: [...answers],
      totals,
      selection: selection as JobspecExplanation['selection'],
    } satisfies JobspecExplanation;
  },
  answer: (body) => ({ status: 200, body }),
});
