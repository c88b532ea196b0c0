import { type JobId, namePattern } from '../../../core/model/names.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { type AskedPage, askedPage, type Paging, pagingOf } from '../http/cursor.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { executionViews } from './view/job-view.ts';
import { visibleJob } from './view/visible-job.ts';

export type ExecutionsAsked = { readonly id: JobId; readonly paging: Paging };

/** `GET /v1/jobs/{id}/executions`: every edge where the job ran or runs, by name. */
export const listExecutions = defineOperation({
  name: 'listExecutions',
  read: (call): ExecutionsAsked => {
    checkQuery(call, ['limit', 'cursor']);
    return executionsAsked(jobOfPath(call), askedPage(call));
  },
  run: async ({ id, paging }, { caller }, deps: Pick<Ports, 'jobs'>) => {
    const { position, limit } = paging;
    const { job, status } = await visibleJob(id, caller, deps);
    const rows = await deps.jobs.executions(job.id, position, limit + 1);
    const page = rows.slice(0, limit);
    const items = page.flatMap((execution) => executionViews(status, execution));
    const next = rows.length > limit ? (page.at(-1)?.edge ?? null) : null;
    return pageOf(paging, items, ({ edge }) => edge, next);
  },
  answer: pageAnswer,
});

export function executionsAsked(id: JobId, page: AskedPage): ExecutionsAsked {
  const list = { name: 'executions', position: namePattern };
  return { id, paging: pagingOf(list, { id }, page) };
}
