import type { JobWithStatus } from '../../../adapters/dynamodb/jobs-store.ts';
import { isFinal } from '../../../core/job.ts';
import { executionsShownMax, specBytesMax } from '../../../core/limits.ts';
import { type JobPatch, jobPatchSchema } from '../../../core/wire/job-body.ts';
import { invalid, ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, checkQuery } from '../http/call.ts';
import { checkIfMatch, tagged, versionWanted } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { jobView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';
import type { JobsWriteDeps } from './deps.ts';
import { tellJob } from './job-event.ts';

/**
 * `PATCH /v1/jobs/{id}`: priority, labels and retries may change while a job is open; its labels
 * always.
 */
export async function patchJob(call: Call, deps: JobsWriteDeps): Promise<Answer> {
  checkQuery(call, []);
  const patch = readBody(call, jobPatchSchema);
  const found = await visibleJob(call, deps);
  checkIfMatch(call, found.job.version);
  if (Object.keys(patch).length > 0 && !(await applyPatch(call, deps, found, patch))) {
    if (versionWanted(call) !== null) throw new ProblemError('precondition-failed');
    return patchJob(call, deps);
  }
  const after = await visibleJob(call, deps);
  const executions = await deps.jobs.executions(after.job.id, null, executionsShownMax);
  return tagged(200, after.job.version, jobView(after, executions));
}

/** `false`: somebody else changed it first. */
export async function applyPatch(
  call: Call,
  deps: JobsWriteDeps,
  found: JobWithStatus,
  patch: JobPatch,
): Promise<boolean> {
  const { spec } = found.job;
  const onlyLabels = patch.priority === undefined && patch.retries === undefined;
  if (isFinal(found.status.state) && !onlyLabels) {
    const detail = `The job has ended ${found.status.state}; only its labels can change.`;
    throw new ProblemError('conflict', detail);
  }
  const defined = Object.entries(patch.retries ?? {}).filter(([, value]) => value !== undefined);
  const retries = { ...spec.retries, ...Object.fromEntries(defined) };
  const edit = {
    priority: patch.priority ?? spec.priority,
    labels: patch.labels ?? spec.labels,
    retries,
  };
  if (Buffer.byteLength(JSON.stringify({ ...spec, ...edit })) > specBytesMax) {
    throw invalid('/labels', `With this the spec would have more than ${specBytesMax} bytes.`);
  }
  if ((await deps.changes.edit(found, edit)) === 'conflict') return false;
  const fields = Object.keys(patch).join(', ');
  await tellJob(call, deps, found.job.id, 'edited', `Changed: ${fields}.`);
  return true;
}
