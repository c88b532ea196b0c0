import { notFound, ProblemError } from '../../../core/contract/problem.ts';
import type { EdgeCaller } from '../../../core/model/caller.ts';
import { type JobId, poolOfCell } from '../../../core/model/names.ts';
import { has, union } from '../../../core/model/ranges.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import type { Ports } from '../ports.ts';

/** The job of which an edge says something; one of another pool is not there for it. */
export async function jobOfEdge(
  id: JobId,
  caller: EdgeCaller,
  { jobs }: Pick<Ports, 'jobs'>,
): Promise<StoredJob> {
  const job = await jobs.findSpec(id);
  if (job === null || poolOfCell(caller.cell) !== job.spec.pool) throw notFound(`job "${id}"`);
  return job;
}

/** An edge that never had a chunk is refused, so that none can write into another's. */
export async function checkGiven(
  job: JobId,
  chunk: number,
  { edge: name, cell }: EdgeCaller,
  deps: Pick<Ports, 'edges' | 'jobs'>,
): Promise<void> {
  const [execution] = await deps.jobs.executionsOn(name, [job]);
  if (execution !== undefined && has(execution.chunks, chunk)) return;
  const edge = await deps.edges.load(cell, name);
  const lease = edge?.work?.leases.get(job);
  if (lease !== undefined && has(union(lease.ranges, lease.heldBefore), chunk)) return;
  throw new ProblemError('forbidden', 'This edge was not given this chunk.');
}
