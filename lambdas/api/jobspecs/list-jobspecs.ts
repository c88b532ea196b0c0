import { submissionsShownMax } from '../../../core/contract/jobspec/limits.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { seesPool } from '../../../core/model/caller.ts';
import { jobStates } from '../../../core/model/job.ts';
import { isName } from '../../../core/model/names.ts';
import type { Submission } from '../../../core/model/submission.ts';
import { namedValue } from '../../../core/protocol/named-values.ts';
import { badQuery, checkQuery, valuesOf } from '../http/call.ts';
import { askedPage, pagingOf } from '../http/cursor.ts';
import { hasLabels, labelsOf } from '../http/label-query.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import { type SubmissionReading, submissionView, visibleSubmission } from './submission-view.ts';

/**
 * `GET /v1/jobspecs`: those of a pool, newest first, each with what became of it. A page looks at a
 * bounded number of them; a state and labels filter what it looks at, and the cursor goes on
 * behind it.
 */
export const listJobspecs = defineOperation({
  name: 'listJobspecs',
  read: (call) => {
    checkQuery(call, ['pool', 'state', 'label', 'limit', 'cursor']);
    const { pool = 'default', state = null } = call.query;
    if (!isName(pool)) throw badQuery('pool', 'This cannot be a name.');
    if (state !== null && !(jobStates as readonly string[]).includes(state)) {
      throw badQuery('state', `This must be one of ${jobStates.join(', ')}.`);
    }
    const list = { name: 'jobspecs', position: /^\S+$/ };
    const texts = valuesOf(call, 'label');
    const filter = { pool, state, labels: texts.length === 0 ? null : texts.join('\n') };
    const labels = labelsOf(texts);
    return { pool, state, labels, paging: pagingOf(list, filter, askedPage(call)) };
  },
  run: async ({ pool, state, labels, paging }, { caller }, deps: SubmissionReading) => {
    if (!seesPool(caller, pool)) throw new ProblemError('forbidden');
    const limit = Math.min(paging.limit, submissionsShownMax);
    const listed = await deps.submissions.list(pool, paging.position, limit + 1);
    const positions = new Map<string, string>();
    const items = [];
    for (const { id, position } of listed.slice(0, limit)) {
      const found = await visibleSubmission(id, caller, deps).catch(notThere);
      if (found === null) continue;
      if (!hasLabels(labels, (key) => labelOf(found, key))) continue;
      const view = await submissionView(found, deps);
      if (state !== null && view.status.state !== state) continue;
      positions.set(id, position);
      items.push(view);
    }
    const next = listed.length > limit ? listed[limit - 1]!.position : null;
    return pageOf(paging, items, ({ id }) => positions.get(id)!, next);
  },
  answer: pageAnswer,
});

/** Its name is a label of its jobs, and so of it. */
function labelOf({ name, labels }: Submission, key: string): string | undefined {
  return key === 'jobspec' && name !== null ? name : namedValue(labels, key);
}

/** Removed since it was listed, or of a queue that the caller does not see. */
function notThere(error: unknown): null {
  if (error instanceof ProblemError && error.code === 'not-found') return null;
  throw error;
}
