import { mergeWaiting } from '../../../core/jobs/waiting.ts';
import { isFinal } from '../../../core/model/job.ts';
import type { WaitingCount } from '../../../core/model/plan.ts';
import { explain } from '../../../core/scheduler/explain.ts';
import { checkQuery, jobOfPath } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { waitingView } from './view/job-view.ts';
import { visibleJob } from './view/visible-job.ts';

/**
 * `GET /v1/jobs/{id}/explain`: why each pending chunk waits, computed now by the very decisions
 * that place. Reads the cells of the job; stores nothing.
 */
export const explainJob = defineOperation({
  name: 'explainJob',
  read: (call) => {
    checkQuery(call, []);
    return { id: jobOfPath(call) };
  },
  run: async ({ id }, { caller, nowMs }, deps: Pick<Ports, 'jobs' | 'cells' | 'cellStore'>) => {
    const { job, status } = await visibleJob(id, caller, deps);
    const { counts, state } = status;
    const pending = isFinal(state) ? 0 : counts.pending + counts.waiting;
    const counted: WaitingCount[] = [];
    if (pending > 0) {
      const { metas } = await deps.cells.peek(job.spec.pool, nowMs);
      const cells = new Set([...job.cells, ...metas.map((meta) => meta.id)]);
      for (const cellId of cells) {
        const cell = await deps.cellStore.load(cellId);
        if (cell?.jobs.has(id)) counted.push(...explain(cell, id, nowMs));
      }
    }
    return { job: id, pending, reasons: mergeWaiting(counted).map(waitingView) };
  },
  answer: (body) => ({ status: 200, body }),
});
