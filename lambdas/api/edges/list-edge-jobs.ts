import { seesQueue } from '../../../core/model/caller.ts';
import { checkQuery, edgeOfPath } from '../http/call.ts';
import { readPaging } from '../http/cursor.ts';
import { pageAnswer, pageOf } from '../http/page.ts';
import { jobPositionPattern } from '../jobs/view/job-position.ts';
import { executionView } from '../jobs/view/job-view.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { visibleEdge } from './view/visible-edge.ts';

const list = { name: 'edge-jobs', position: jobPositionPattern };

/** `GET /v1/edges/{name}/jobs`: what this edge has done and does, newest job first. */
export const listEdgeJobs = defineOperation({
  name: 'listEdgeJobs',
  read: (call) => {
    checkQuery(call, ['limit', 'cursor']);
    return { name: edgeOfPath(call), paging: readPaging(call, list) };
  },
  run: async ({ name, paging }, { caller }, deps: Pick<Ports, 'edges' | 'jobs'>) => {
    const { position, limit } = paging;
    const edge = await visibleEdge(name, caller, deps);
    const listed = await deps.jobs.listOfEdge(edge.name, position, limit + 1);
    const places = new Map(listed.slice(0, limit).map((it) => [it.id, it.position]));
    const page = [...places.keys()];
    const [executions, jobs] = await Promise.all([
      deps.jobs.executionsOn(edge.name, page),
      deps.jobs.findMany(page),
    ]);
    const byId = new Map(jobs.map((it) => [it.job.id, it]));
    const items = page.flatMap((id) => {
      const execution = executions.find((it) => it.job === id);
      const job = byId.get(id);
      if (execution === undefined || job === undefined) return [];
      if (!seesQueue(caller, job.job.spec.queue)) return [];
      const view = executionView(job.status, execution);
      return [{ job: id, name: job.job.spec.name, state: job.status.state, execution: view }];
    });
    const next = listed.length > limit ? (listed[limit - 1]?.position ?? null) : null;
    return pageOf(paging, items, ({ job }) => places.get(job)!, next);
  },
  answer: pageAnswer,
});
