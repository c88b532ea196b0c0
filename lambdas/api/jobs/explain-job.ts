import { withRetryWords } from '../../../core/jobs/retry-words.ts';
import { mergeWaiting, withCellWords } from '../../../core/jobs/waiting.ts';
import { isFinal } from '../../../core/model/job.ts';
import { waitingExamplesMax } from '../../../core/model/limits.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type { WaitingCount } from '../../../core/model/plan.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { explain, holdersOf, standstillOf } from '../../../core/scheduler/explain.ts';
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
    const { job, status, unreadable } = await visibleJob(id, caller, deps);
    const { counts, state } = status;
    const pending = isFinal(state) ? 0 : counts.pending + counts.waiting;
    const holders: EdgeName[] = [];
    const counted: WaitingCount[] = unreadable === undefined ? [] : [...status.waiting];
    if (!isFinal(state)) {
      const { metas } = await deps.cells.peek(job.spec.pool, nowMs);
      const cells = new Set([...job.cells, ...metas.map((meta) => meta.id)]);
      for (const cellId of cells) {
        const cell = await deps.cellStore.load(cellId, id);
        if (cell === null) continue;
        holders.push(...holdersOf(cell, id));
        const found = pending > 0 ? explain(cell, id, nowMs) : standstillOf(cell, id);
        const retries = cell.jobs.get(id)?.slice.retries ?? new Map();
        const waiting = withRetryWords(found, retries, nowMs);
        const others = isInOneCell(job) ? metas.filter(({ id }) => id !== cellId) : [];
        const edges = others.reduce((sum, { summary }) => sum + summary.edges.total, 0);
        counted.push(...withCellWords(waiting, edges));
      }
    }
    const examples = holders.slice(0, waitingExamplesMax);
    const held = { inputsHeld: { edges: holders.length, examples } };
    const reasons = mergeWaiting(counted).map(waitingView);
    return { job: id, pending, reasons, ...(holders.length > 0 && held) };
  },
  answer: (body) => ({ status: 200, body }),
});

function isInOneCell({ spec }: StoredJob): boolean {
  return spec.restart !== undefined && spec.everywhere === undefined;
}
