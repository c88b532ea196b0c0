import { explain } from '../../../core/explain.ts';
import { isFinal } from '../../../core/job.ts';
import { mergeWaiting } from '../../../core/jobs/waiting.ts';
import type { WaitingCount } from '../../../core/plan.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import type { Ports } from '../ports.ts';
import { waitingView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';

/**
 * `GET /v1/jobs/{id}/explain`: why each pending chunk waits, computed now by the very decisions
 * that place. Reads the cells of the job; stores nothing.
 */
export async function explainJob(
  call: Call,
  deps: Pick<Ports, 'jobs' | 'cells' | 'cellStore'>,
): Promise<Answer> {
  checkQuery(call, []);
  const { job, status } = await visibleJob(call, deps);
  const { counts, state } = status;
  const pending = isFinal(state) ? 0 : counts.pending + counts.waiting;
  const counted: WaitingCount[] = [];
  if (pending > 0) {
    const { metas } = await deps.cells.peek(job.spec.pool, call.nowMs);
    const cells = new Set([...job.cells, ...metas.map((meta) => meta.id)]);
    for (const id of cells) {
      const cell = await deps.cellStore.load(id);
      if (cell?.jobs.has(job.id)) counted.push(...explain(cell, job.id, call.nowMs));
    }
  }
  const reasons = mergeWaiting(counted).map(waitingView);
  return { status: 200, body: { job: job.id, pending, reasons } };
}
