import type { EventAnswer } from '../../../core/wire/job-answer.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import type { Ports } from '../ports.ts';
import { timeOf } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';

/**
 * `GET /v1/jobs/{id}/events`: the timeline, oldest first. That it was submitted is known from the
 * job itself.
 */
export async function listEvents(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, ['limit', 'cursor']);
  const limit = readLimit(call);
  const position = readCursor(call, 'events', /^\d{14}#[\w.-]{1,64}$/);
  const { job } = await visibleJob(call, deps);
  const rows = await deps.jobs.events(job.id, position, limit + 1);
  const submitted: EventAnswer = {
    at: timeOf(job.createdAtMs),
    kind: 'submitted',
    by: job.createdBy,
    detail: job.cut.chunks === 1 ? 'Submitted.' : `Submitted with ${job.cut.chunks} chunks.`,
  };
  const told = rows.map((row) => ({
    at: timeOf(row.atMs),
    kind: row.kind,
    by: row.by,
    detail: row.detail,
  }));
  const page = (position === null ? [submitted, ...told] : told).slice(0, limit);
  const taken = page.length - (position === null ? 1 : 0);
  const last = rows[taken - 1];
  const more = rows.length > taken;
  return {
    status: 200,
    body: {
      items: page,
      nextCursor: more ? encodeCursor(call, 'events', last?.position ?? beforeAll) : null,
    },
  };
}

/** The position before every event, for a page that held only the submission. */
const beforeAll = `${'0'.repeat(14)}#start`;
