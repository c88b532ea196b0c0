import { seesQueue } from '../../../core/caller.ts';
import { namePattern } from '../../../core/names.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import { encodeCursor, readCursor, readLimit } from '../http/cursor.ts';
import { pageAnswer } from '../http/page.ts';
import type { Ports } from '../ports.ts';
import { executionView } from '../views/job-view.ts';
import { visibleEdge } from '../views/visible-edge.ts';

/** `GET /v1/edges/{name}/jobs`: what this edge has done and does, newest job first. */
export async function listEdgeJobs(
  call: Call,
  deps: Pick<Ports, 'edges' | 'jobs'>,
): Promise<Answer> {
  checkQuery(call, ['limit', 'cursor']);
  const limit = readLimit(call);
  const position = readCursor(call, 'edge-jobs', namePattern);
  const edge = await visibleEdge(call, deps);
  const ids = await deps.jobs.listOfEdge(edge.name, position, limit + 1);
  const page = ids.slice(0, limit);
  const [executions, jobs] = await Promise.all([
    deps.jobs.executionsOn(edge.name, page),
    deps.jobs.findMany(page),
  ]);
  const byId = new Map(jobs.map((it) => [it.job.id, it]));
  const caller = callerOf(call);
  const items = page.flatMap((id) => {
    const execution = executions.find((it) => it.job === id);
    const job = byId.get(id);
    if (execution === undefined || job === undefined) return [];
    if (!seesQueue(caller, job.job.spec.queue)) return [];
    const view = executionView(job.status, execution);
    return [{ job: id, name: job.job.spec.name, state: job.status.state, execution: view }];
  });
  const last = page.at(-1);
  const more = ids.length > limit && last !== undefined;
  const cursorOf = ({ job }: { job: string }) => encodeCursor(call, 'edge-jobs', job);
  return pageAnswer(items, cursorOf, more ? cursorOf({ job: last }) : null);
}
