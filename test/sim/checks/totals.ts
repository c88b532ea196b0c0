import type { StatsAnswer } from '../../../core/contract/fleet-body.ts';
import type { JobState } from '../../../core/model/job.ts';
import { powerOf } from '../../../core/model/job.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import { count } from '../../../core/model/ranges.ts';
import { getStats } from '../../../lambdas/api/fleet/get-stats.ts';
import type { Call } from '../../../lambdas/api/http/call.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import type { StoredView } from '../table/stored-view.ts';
import { must } from './truth.ts';

/** The figures that users read, held against what every job says of itself when all is over. */
export async function checkTotals(stored: StoredView, stores: Stores): Promise<void> {
  const { total, ...states } = (await statsOf(stores)).jobs;
  const jobs = [...stored.jobs.values()];
  must(total === jobs.length, () => `${total} jobs are counted, and there are ${jobs.length}`);
  for (const [state, counted] of Object.entries(states) as [JobState, number][]) {
    const found = jobs.filter(({ status }) => status?.state === state).length;
    must(counted === found, () => `${counted} jobs are counted as ${state}, and ${found} are`);
  }
  checkEdges(stored);
  checkCells(stored);
}

async function statsOf(stores: Stores): Promise<StatsAnswer> {
  const call: Call = {
    requestId: 'figures',
    method: 'GET',
    path: '/v1/stats',
    params: {},
    query: {},
    repeated: {},
    headers: {},
    body: Buffer.from(''),
    caller: { ...noCaller, id: 'figures', name: 'figures', scopes: ['fleet:admin'] },
    nowMs: 0,
  };
  return (await getStats.handle(call, stores)).body as StatsAnswer;
}

const noCaller = { kind: 'token', pool: null, queue: null, edge: null, edges: null } as const;

/** What an edge has done in all is what it did of each job. */
function checkEdges(stored: StoredView): void {
  const done = new Map<EdgeName, { chunks: number; power: number }>();
  for (const { job, executions } of stored.jobs.values()) {
    for (const execution of executions.values()) {
      const sum = done.get(execution.edge) ?? { chunks: 0, power: 0 };
      sum.chunks += count(execution.done);
      sum.power += powerOf(job!.chunking, execution.done);
      done.set(execution.edge, sum);
    }
  }
  for (const cell of stored.cells.values()) {
    for (const { name, work } of cell.edges.values()) {
      const { chunksDone = 0, powerServed = 0 } = work?.totals ?? {};
      const { chunks, power } = done.get(name) ?? { chunks: 0, power: 0 };
      must(
        chunksDone === chunks && powerServed === power,
        () => `${name} has ${chunksDone} chunks in its totals, and did ${chunks} (${power} power)`,
      );
    }
  }
}

/** The summary that a cell shows, of chunks and power. */
function checkCells(stored: StoredView): void {
  for (const { meta } of stored.cells.values()) {
    const { chunks, power, jobs } = meta.summary;
    must(jobs === 0, () => `cell ${meta.id} counts ${jobs} jobs when all are over`);
    const open = chunks.pending + chunks.scheduled + chunks.running;
    must(open === 0, () => `cell ${meta.id} counts ${open} open chunks when all are over`);
    must(power.reserved === 0, () => `cell ${meta.id} counts ${power.reserved} reserved power`);
  }
  const served = [...stored.cells.values()].reduce(
    (sum, { meta }) => sum + meta.summary.power.served,
    0,
  );
  const done = [...stored.jobs.values()].reduce(
    (sum, { status }) => sum + (status?.donePower ?? 0),
    0,
  );
  // What an instance did on an edge that has left is nobody's any more.
  const mayBeMore = [...stored.jobs.values()].some(({ job }) => job?.spec.everywhere !== undefined);
  const isRight = mayBeMore ? served >= done : served === done;
  must(isRight, () => `cells have served ${served} power, and jobs ${done}`);
}
