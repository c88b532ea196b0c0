import type { JobAnswer } from '../../../core/contract/job-answer.ts';
import { resultSpaceOf } from '../../../core/files/result-space.ts';
import { cancel, purge } from '../../../core/jobs/cancel.ts';
import { audit } from '../http/audit.ts';
import { checkQuery, flagOf } from '../http/call.ts';
import { tagged, type Versioned } from '../http/etag.ts';
import { checkVersion } from '../http/precondition.ts';
import { type Context, defineOperation } from '../operation.ts';
import { type Change, changeJob, readChange } from './change/change-job.ts';
import type { JobsWriteDeps } from './change/write-ports.ts';
import { jobNow } from './view/job-now.ts';
import { visibleJob } from './view/visible-job.ts';

type Cancelled = {
  readonly changed: boolean;
  /** `null` when it was purged. */
  readonly job: Versioned<JobAnswer> | null;
};

/**
 * `DELETE /v1/jobs/{id}`: cancels. Pending chunks are cancelled at once, running ones are stopped
 * on their edges. What has ended or is cancelled already stays as it is (200). `?purge=true`
 * removes a job that has ended, with all that its chunks left.
 */
export const cancelJob = defineOperation({
  name: 'cancelJob',
  read: (call): Change & { readonly purge: boolean } => {
    checkQuery(call, ['purge']);
    return { purge: flagOf(call, 'purge'), ...readChange(call) };
  },
  run: async (asked, context, deps: CancelDeps): Promise<Cancelled> => {
    if (asked.purge) return purgeJob(asked, context, deps);
    const outcome = await changeJob(asked, context, deps, (found, cells) =>
      cancel(found, cells, context.nowMs),
    );
    return { changed: outcome === 'changed', job: await jobNow(asked.id, context, deps) };
  },
  answer: ({ changed, job }) => (job === null ? { status: 204 } : tagged(changed ? 202 : 200, job)),
});

type CancelDeps = Pick<JobsWriteDeps, 'jobs' | 'changes' | 'outputs' | 'results' | 'audit'>;

async function purgeJob(
  { id, precondition }: Change,
  context: Context,
  deps: CancelDeps,
): Promise<Cancelled> {
  const { caller } = context;
  const found = await visibleJob(id, caller, deps);
  checkVersion(precondition, found.job.version);
  const decision = purge(found);
  if (decision.kind === 'refused') throw decision.problem;
  await deps.outputs.removeAll(decision.id);
  if (found.job.spec.outputs !== undefined) {
    await deps.results.removeAll(resultSpaceOf(found.job));
  }
  await deps.changes.purge(decision);
  await audit(context, deps, 'job-purged', id);
  return { changed: true, job: null };
}
