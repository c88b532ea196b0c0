import { namePattern } from '../../../core/names.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import type { Ports } from '../ports.ts';
import { executionView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';

/** `GET /v1/jobs/{id}/executions`: every edge where the job ran or runs, by name. */
export async function listExecutions(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, ['limit', 'cursor']);
  const limit = readLimit(call);
  const position = readCursor(call, 'executions', namePattern);
  const { job, status } = await visibleJob(call, deps);
  const rows = await deps.jobs.executions(job.id, position, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  const cursorOf = ({ edge }: { edge: string }) => encodeCursor(call, 'executions', edge);
  const items = page.map((execution) => executionView(status, execution));
  return pageAnswer(items, cursorOf, more ? cursorOf(last) : null);
}
