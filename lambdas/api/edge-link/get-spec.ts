import { notFound } from '../../../core/contract/problem.ts';
import { type Caller, seesJob } from '../../../core/model/caller.ts';
import type { JobSpec } from '../../../core/model/job.ts';
import { shownLengthMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import type { StoredJob } from '../../../core/model/stored-job.ts';
import { agentSpec } from '../../../core/protocol/agent-spec.ts';
import { type Answer, type Call, callerOf, checkQuery, jobOfPath } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/jobs/{id}/spec?g=`: what an agent needs to run chunks. A spec may hold secrets in its
 * environment, so an edge sees those of jobs that it was given chunks of, and no others: to know
 * an id of its pool is not enough.
 */
export const getSpec = { handle };

async function handle(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, ['g']);
  const id = jobOfPath(call);
  const job = await deps.jobs.findSpec(id);
  if (job === null || !(await maySee(callerOf(call), job, deps))) throw notFound(`job "${id}"`);
  const wanted = call.query.g ?? job.specHash;
  const spec = wanted === job.specHash ? job.spec : await earlierSpec(job, wanted, deps);
  if (spec === null) throw notFound(`spec "${wanted.slice(0, shownLengthMax)}" of job "${id}"`);
  const body = agentSpec(id, wanted, spec, job.chunking, job.createdBy);
  return { status: 200, headers: { etag: etagOf(job.generation, body) }, body };
}

/** While a service is brought to another generation, instances of earlier ones still run. */
async function earlierSpec(
  { id, spec }: StoredJob,
  hash: string,
  deps: Pick<Ports, 'jobs'>,
): Promise<JobSpec | null> {
  if (spec.restart === undefined) return null;
  const kept = (await deps.jobs.generations(id)).find(({ specHash }) => specHash === hash);
  if (kept === undefined) return null;
  const { inputs: _inputs, signature: _signature, ...rest } = spec;
  return { ...rest, ...kept.spec };
}

/** The execution is stored with the first lease, and stays when the work is taken away again. */
async function maySee(caller: Caller, job: StoredJob, deps: Pick<Ports, 'jobs'>): Promise<boolean> {
  if (caller.kind !== 'edge') return seesJob(caller, job);
  const { id, spec } = job;
  if (poolOfCell(caller.cell) !== spec.pool) return false;
  return (await deps.jobs.executionsOn(caller.edge, [id])).length > 0;
}
