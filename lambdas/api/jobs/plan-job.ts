import type * as z from 'zod';
import type { planSchema } from '../../../core/contract/job-answer.ts';
import { type JobBody, jobBodySchema } from '../../../core/contract/job-body.ts';
import { submit } from '../../../core/jobs/submit.ts';
import { mergeWaiting } from '../../../core/jobs/waiting.ts';
import { powerOf } from '../../../core/model/job.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { WaitingCount } from '../../../core/model/plan.ts';
import { count } from '../../../core/model/ranges.ts';
import { planJob as planInCell } from '../../../core/scheduler/explain.ts';
import { surroundingsOf } from '../../submissions/surroundings.ts';
import { checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { countedBody } from '../sweeps/counted-body.ts';
import { placedBody } from './change/placed-body.ts';
import { waitingView } from './view/job-view.ts';

/**
 * `POST /v1/plan`: where this job would go if it were submitted now, or why not: what submitting
 * decides, and then what a pass does in each of its cells. Stores nothing.
 */
export const planJob = defineOperation({
  name: 'planJob',
  read: (call): JobBody => {
    checkQuery(call, []);
    return readBody(call, jobBodySchema);
  },
  run: async (asked, { caller, nowMs }, deps: PlanDeps): Promise<JobPlan> => {
    const own = placedBody(caller, asked);
    const body = await countedBody(own, deps.files, nowMs, 'not kept');
    const around = await surroundingsOf(deps, body, deps.cells.peek(body.pool, nowMs));
    const wanted = { id: jobIdOf('plan'), body, caller };
    const decision = submit(wanted, around, nowMs, () => '');
    if (decision.kind === 'refused') throw decision.problem;
    const { chunking } = decision.job;
    const placements = [];
    const counted: WaitingCount[] = [];
    if (around.metas.length === 0) counted.push(noEdges(chunking.chunks));
    for (const [id, { intent, ranges }] of decision.intents) {
      const cell = await deps.cellStore.load(id);
      if (cell === null) continue;
      const plan = planInCell(cell, intent, nowMs, ranges);
      counted.push(...plan.waiting);
      for (const it of plan.executions) {
        const power = powerOf(chunking, it.chunks);
        placements.push({ edge: it.edge, cell: id, chunks: count(it.chunks), power });
      }
    }
    const placed = placements.reduce((sum, it) => sum + it.chunks, 0);
    const waiting = mergeWaiting(counted).map(waitingView);
    return { feasible: placed > 0, ...chunking, placed, placements, waiting };
  },
  answer: (body) => ({ status: 200, body }),
});

type PlanDeps = Pick<Ports, 'jobs' | 'edges' | 'cells' | 'cellStore' | 'files'>;
type JobPlan = z.output<typeof planSchema>;

function noEdges(chunks: number): WaitingCount {
  return {
    reason: 'no-edges',
    chunks,
    edges: 0,
    examples: [],
    detail: 'this pool has no edges',
  };
}
