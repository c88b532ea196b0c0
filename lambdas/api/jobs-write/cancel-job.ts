import { cancel, purge } from '../../../core/jobs/cancel.ts';
import { type Answer, type Call, checkQuery, flagOf } from '../http/call.ts';
import { checkIfMatch } from '../http/etag.ts';
import { visibleJob } from '../views/visible-job.ts';
import { changeJob, jobAnswer } from './change-job.ts';
import type { JobsWriteDeps } from './deps.ts';

/**
 * `DELETE /v1/jobs/{id}`: cancels. Pending chunks are cancelled at once, running ones are stopped
 * on their edges. What has ended or is cancelled already stays as it is (200). `?purge=true`
 * removes a job that has ended, outputs included.
 */
export async function cancelJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  checkQuery(call, ['purge']);
  if (flagOf(call, 'purge')) return purgeJob(call, deps);
  const outcome = await changeJob(call, deps, (found, cells) => cancel(found, cells, call.nowMs));
  return jobAnswer(call, deps, outcome === 'changed' ? 202 : 200);
}

async function purgeJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  const found = await visibleJob(call, deps);
  checkIfMatch(call, found.job.version);
  const decision = purge(found);
  if (decision.kind === 'refused') throw decision.problem;
  await deps.outputs.removeAll(decision.id);
  await deps.changes.purge(decision);
  return { status: 204 };
}
