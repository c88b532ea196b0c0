import { seesJob } from '../../../core/caller.ts';
import { planJob as planInCell } from '../../../core/explain.ts';
import { powerOf } from '../../../core/job.ts';
import type { JobId } from '../../../core/names.ts';
import type { WaitingCount } from '../../../core/plan.ts';
import { count } from '../../../core/ranges.ts';
import { askOf, type StoredJob } from '../../../core/stored-job.ts';
import { fillJob, jobBodySchema } from '../../../core/wire/job-body.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf, checkQuery } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import { openParentsOf } from '../jobs-write/submit-job.ts';
import type { Ports } from '../ports.ts';
import { divideJob } from '../views/divide-job.ts';
import { waitingView } from '../views/job-view.ts';
import { mergeWaiting } from './merge-waiting.ts';

/**
 * `POST /v1/plan`: where this job would go if it were submitted now, or why not. Stores nothing.
 */
export async function planJob(
  call: Call,
  deps: Pick<Ports, 'jobs' | 'edges' | 'cells' | 'cellStore'>,
): Promise<Answer> {
  checkQuery(call, []);
  const body = readBody(call, jobBodySchema);
  if (!seesJob(callerOf(call), body)) {
    throw new ProblemError('forbidden', 'This token may not plan for this pool and queue.');
  }
  const pool = await deps.cells.peek(body.pool, call.nowMs);
  const { spec, cut } = fillJob(body, pool);
  const openParents = await openParentsOf(call, deps, body);
  const ask = askOf(dryJob(call, spec, cut), openParents.length > 0);
  const placements = [];
  const counted: WaitingCount[] = [];
  if (pool.metas.length === 0) counted.push(noEdges(cut.chunks));
  const shares = await divideJob(deps, spec, cut, pool.metas);
  for (const [id, ranges] of shares) {
    const cell = await deps.cellStore.load(id);
    if (cell === null) continue;
    const plan = planInCell(cell, ask, call.nowMs, ranges);
    counted.push(...plan.waiting);
    for (const it of plan.executions) {
      const power = powerOf(cut, it.chunks);
      placements.push({ edge: it.edge, cell: id, chunks: count(it.chunks), power });
    }
  }
  const placed = placements.reduce((sum, it) => sum + it.chunks, 0);
  const waiting = mergeWaiting(counted).map(waitingView);
  const feasible = placed > 0;
  return { status: 200, body: { feasible, ...cut, placed, placements, waiting } };
}

function dryJob(call: Call, spec: StoredJob['spec'], cut: StoredJob['cut']): StoredJob {
  return {
    id: 'plan' as JobId,
    spec,
    cut,
    specHash: '',
    cells: [],
    generation: 1,
    createdAtMs: call.nowMs,
    createdBy: '',
    version: 1,
    retryEpoch: 0,
    cancelledAtMs: null,
  };
}

function noEdges(chunks: number): WaitingCount {
  return {
    reason: 'no-edges',
    chunks,
    edges: 0,
    examples: [],
    detail: 'this pool has no edges',
  };
}
