import { notFound } from '../../../core/contract/problem.ts';
import { type Caller, seesJob } from '../../../core/model/caller.ts';
import type { JobSpec } from '../../../core/model/job.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import { agentSpec } from '../../../core/protocol/agent-spec.ts';
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
  const body = agentSpec(id, job.specHash, job.spec, job.chunking, job.createdBy);
  return { status: 200, headers: { etag: etagOf(job.generation, body) }, body };
}

function maySee(caller: Caller, spec: JobSpec): boolean {
  if (caller.kind === 'token') return seesJob(caller, spec);
  return poolOfCell(caller.cell) === spec.pool;
}
