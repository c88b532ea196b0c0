import { nameOfCaller } from '../../../core/caller.ts';
import type { Refusal, Unchanged } from '../../../core/jobs/decision.ts';
import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { changeAttemptsMax, executionsShownMax } from '../../../core/limits.ts';
import type { JobChange } from '../../../core/ports/jobs.ts';
import type { JobWithStatus } from '../../../core/stored-job.ts';
import { ProblemError } from '../../../core/wire/problem.ts';
import { type Answer, type Call, callerOf } from '../http/call.ts';
import { checkIfMatch, tagged } from '../http/etag.ts';
import { jobView } from '../views/job-view.ts';
import { visibleJob } from '../views/visible-job.ts';
import type { JobsWriteDeps } from './deps.ts';

export type ChangeDeps = Pick<JobsWriteDeps, 'jobs' | 'changes'>;

/** What a user wants of a job, decided about what is stored of it now. */
type Decide = (found: JobWithStatus, cells: JobCells) => Decision | Promise<Decision>;
type Decision = JobChange | Unchanged | Refusal;

/** What the timeline calls a change. */
const eventKinds: Readonly<Record<JobChange['kind'], string>> = {
  edit: 'edited',
  cancel: 'cancelled',
  retry: 'retried',
};

/**
 * Load, decide, store; again when the job was changed in between. `If-Match` is held against each
 * job that was loaded, so whoever named a version is told when it has gone by.
 */
export async function changeJob(
  call: Call,
  deps: ChangeDeps,
  decide: Decide,
): Promise<'changed' | 'unchanged'> {
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const found = await visibleJob(call, deps);
    checkIfMatch(call, found.job.version);
    const decision = await decide(found, await deps.changes.cellsOf(found.job));
    if (decision.kind === 'unchanged') return 'unchanged';
    if (decision.kind === 'refused') throw decision.problem;
    if ((await deps.changes.commit(decision)) === 'conflict') continue;
    const by = nameOfCaller(callerOf(call));
    const { id, detail } = decision;
    await deps.changes.tell(id, { atMs: call.nowMs, kind: eventKinds[decision.kind], by, detail });
    return 'changed';
  }
  throw contended();
}

/** Others got through each time. */
export function contended(): ProblemError {
  const headers = { 'retry-after': '1' };
  return new ProblemError('temporarily-unavailable', undefined, { headers });
}

/** The job as it is now. */
export async function jobAnswer(
  call: Call,
  deps: Pick<ChangeDeps, 'jobs'>,
  status: number,
): Promise<Answer> {
  const found = await visibleJob(call, deps);
  const executions = await deps.jobs.executions(found.job.id, null, executionsShownMax);
  return tagged(status, found.job.version, jobView(found, executions));
}
