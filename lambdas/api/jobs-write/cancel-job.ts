import type { JobWithStatus } from '../../../adapters/dynamodb/jobs-store.ts';
import { isFinal } from '../../../core/job.ts';
import { executionsShownMax } from '../../../core/limits.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, checkQuery, flagOf } from '../http/call.ts';
import { checkIfMatch, tagged } from '../http/etag.ts';
import { jobView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';
import type { JobsWriteDeps } from './deps.ts';
import { tellJob } from './job-event.ts';

/**
 * `DELETE /v1/jobs/{id}`: cancels. Pending chunks are cancelled at once, running ones are stopped
 * on their edges. What has ended or is cancelled already stays as it is (200). `?purge=true`
 * removes a job that has ended, outputs included.
 */
export async function cancelJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  checkQuery(call, ['purge']);
  const purge = flagOf(call, 'purge');
  const found = await visibleJob(call, deps);
  checkIfMatch(call, found.job.version);
  if (purge) return purgeJob(found, deps);
  if (isFinal(found.status.state) || found.job.cancelledAtMs !== null) {
    return answered(200, found, deps);
  }
  if ((await deps.changes.cancel(found, call.nowMs)) === 'conflict') return cancelJob(call, deps);
  await tellJob(call, deps, found.job.id, 'cancelled', 'Its cancellation was asked for.');
  return answered(202, await visibleJob(call, deps), deps);
}

async function purgeJob(found: JobWithStatus, deps: JobsWriteDeps): Promise<Answer> {
  if (!isFinal(found.status.state)) throw new ProblemError('not-finished');
  await deps.outputs.removeAll(found.job.id);
  await deps.changes.purge(found.job.id);
  return { status: 204 };
}

async function answered(
  status: number,
  found: JobWithStatus,
  deps: JobsWriteDeps,
): Promise<Answer> {
  const executions = await deps.jobs.executions(found.job.id, null, executionsShownMax);
  return tagged(status, found.job.version, jobView(found, executions));
}
