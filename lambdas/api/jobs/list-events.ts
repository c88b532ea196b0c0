import type { EventAnswer } from '../../../core/contract/job-answer.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { timeOf } from './view/job-view.ts';
import { visibleJob } from './view/visible-job.ts';

const list = { name: 'events', position: /^\d{14}#[\w.-]{1,64}$/ };

/**
 * `GET /v1/jobs/{id}/events`: the timeline, oldest first. That it was submitted is known from the
 * job itself.
 */
export const listEvents = defineOperation({
  name: 'listEvents',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return { id: jobOfPath(call), paging: readPaging(call, list) };
  },
  run: async ({ id, paging }, { caller }, deps: Pick<Ports, 'jobs'>) => {
    const { position, limit } = paging;
    const { job } = await visibleJob(id, caller, deps);
    const rows = await deps.jobs.events(id, position, limit + 1);
    const submitted: EventAnswer = {
      at: timeOf(job.createdAtMs),
      kind: 'submitted',
      by: job.createdBy,
      detail:
        job.chunking.chunks === 1 ? 'Submitted.' : `Submitted with ${job.chunking.chunks} chunks.`,
    };
    const recorded = rows.map((row) => ({
      at: timeOf(row.atMs),
      kind: row.kind,
      by: row.by,
      detail: row.detail,
    }));
    const items = (position === null ? [submitted, ...recorded] : recorded).slice(0, limit);
    const taken = items.length - (position === null ? 1 : 0);
    const more = rows.length > taken;
    const last = rows[taken - 1]?.position ?? beforeAll;
    return { items, nextCursor: more ? paging.cursorOf(last) : null };
  },
  answer: pageAnswer,
});

/** The position before every event, for a page that held only the submission. */
const beforeAll = `${'0'.repeat(14)}#start`;
