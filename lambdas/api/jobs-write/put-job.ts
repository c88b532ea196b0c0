import { isDeepStrictEqual } from 'node:util';
import type { JobWithStatus } from '../../../adapters/dynamodb/jobs-store.ts';
import { seesJob } from '../../../core/caller.ts';
import type { JobSpec } from '../../../core/job.ts';
import { executionsShownMax } from '../../../core/limits.ts';
import type { JobId } from '../../../core/names.ts';
import { fillJob, type JobBody, jobBodySchema } from '../../../core/wire/job-body.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf, checkQuery, newNameOf } from '../http/call.ts';
import { checkIfMatch, tagged, versionWanted, wantsAbsent } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { jobView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';
import type { JobsWriteDeps } from './deps.ts';
import { applyPatch } from './patch-job.ts';
import { storeJob } from './submit-job.ts';

/**
 * `PUT /v1/jobs/{id}`: creates the job under this id (202), or brings the one that is there to this
 * body (200). Of a job that exists only priority, labels and retries can change; what it runs
 * cannot. `If-None-Match: *` never overwrites.
 */
export async function putJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  checkQuery(call, []);
  const id = newNameOf(call, 'id');
  const body = readBody(call, jobBodySchema);
  const found = await deps.jobs.find(id as JobId);
  if (found === null) return create(call, deps, id as JobId, body);
  if (!seesJob(callerOf(call), found.job.spec)) throw new ProblemError('forbidden');
  if (wantsAbsent(call)) throw new ProblemError('precondition-failed');
  return update(call, deps, found, body);
}

async function create(call: Call, deps: JobsWriteDeps, id: JobId, body: JobBody): Promise<Answer> {
  if (call.headers['if-match'] !== undefined) throw new ProblemError('precondition-failed');
  try {
    return await storeJob(call, deps, { id, body, key: null });
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'job-exists') return putJob(call, deps);
    throw error;
  }
}

async function update(
  call: Call,
  deps: JobsWriteDeps,
  found: JobWithStatus,
  body: JobBody,
): Promise<Answer> {
  checkIfMatch(call, found.job.version);
  const { spec } = found.job;
  const wanted = specLike(body, spec);
  const { priority, labels, retries } = wanted;
  const fixed = { ...wanted, priority: 0, labels: {}, retries: null };
  if (!isDeepStrictEqual(fixed, { ...spec, priority: 0, labels: {}, retries: null })) {
    const detail = 'Of a job that exists only priority, labels and retries can change.';
    throw new ProblemError('conflict', detail);
  }
  const patch = {
    ...(priority === spec.priority ? {} : { priority }),
    ...(isDeepStrictEqual(labels, spec.labels) ? {} : { labels }),
    ...(isDeepStrictEqual(retries, spec.retries) ? {} : { retries }),
  };
  if (Object.keys(patch).length > 0 && !(await applyPatch(call, deps, found, patch))) {
    if (versionWanted(call) !== null) throw new ProblemError('precondition-failed');
    return putJob(call, deps);
  }
  const after = await visibleJob(call, deps);
  const executions = await deps.jobs.executions(after.job.id, null, executionsShownMax);
  return tagged(200, after.job.version, jobView(after, executions));
}

/** The body as a spec, cut the way the stored job was when it leaves the cut to us. */
function specLike(body: JobBody, stored: JobSpec): JobSpec {
  const chunks = body.chunks ?? (body.power === stored.power ? stored.chunks : null);
  return fillJob({ ...body, chunks }, { largestEdgePower: null, policy: stored.placement.policy })
    .spec;
}
