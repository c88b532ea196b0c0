import { type Caller, seesJob } from '../../../core/caller.ts';
import type { JobSpec } from '../../../core/job.ts';
import { poolOfCell } from '../../../core/names.ts';
import { agentSpec } from '../../../core/wire/agent-spec.ts';
import { notFound } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf, checkQuery, jobOfPath } from '../http/call.ts';
import { etagOf } from '../http/etag.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/jobs/{id}/spec?g=`: what an agent needs to run chunks. An edge sees the jobs of its own
 * pool.
 */
export const getSpec = { handle };

async function handle(call: Call, deps: Pick<Ports, 'jobs'>): Promise<Answer> {
  checkQuery(call, ['g']);
  const id = jobOfPath(call);
  const job = await deps.jobs.findSpec(id);
  if (job === null || !maySee(callerOf(call), job.spec)) throw notFound(`job "${id}"`);
  const wanted = call.query.g;
  if (wanted !== undefined && wanted !== job.specHash) {
    throw notFound(`spec "${wanted.slice(0, 64)}" of job "${id}"`);
  }
  const body = agentSpec(id, job.specHash, job.spec, job.cut, job.createdBy);
  return { status: 200, headers: { etag: etagOf(job.generation, body) }, body };
}

function maySee(caller: Caller, spec: JobSpec): boolean {
  if (caller.kind === 'token') return seesJob(caller, spec);
  return poolOfCell(caller.cell) === spec.pool;
}
