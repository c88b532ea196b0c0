import { ProblemError } from '../../../../core/contract/problem.ts';
import type { Refusal, Unchanged } from '../../../../core/jobs/decision.ts';
import type { JobCells } from '../../../../core/jobs/job-cells.ts';
import { nameOfCaller } from '../../../../core/model/caller.ts';
import { changeAttemptsMax } from '../../../../core/model/limits.ts';
import type { JobId } from '../../../../core/model/names.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import type { JobChange } from '../../../../core/ports/jobs.ts';
import { type Call, jobOfPath } from '../../http/call.ts';
import { checkVersion, type Precondition, readPrecondition } from '../../http/precondition.ts';
import type { Context } from '../../operation.ts';
import { visibleJob } from '../view/visible-job.ts';
import type { JobsWriteDeps } from './write-ports.ts';

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

export type Change = { readonly id: JobId; readonly precondition: Precondition };

/** What every change of a job is asked with. */
export function readChange(call: Call): Change {
  return { id: jobOfPath(call), precondition: readPrecondition(call) };
}

/**
 * Load, decide, store; again when the job was changed in between. The precondition is held against
 * each job that was loaded, so whoever named a version is told when it has gone by.
 */
export async function changeJob(
  { id, precondition }: Change,
  { caller, nowMs }: Context,
  deps: ChangeDeps,
  decide: Decide,
): Promise<'changed' | 'unchanged'> {
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const found = await visibleJob(id, caller, deps);
    checkVersion(precondition, found.job.version);
    const decision = await decide(found, await deps.changes.cellsOf(found.job));
    if (decision.kind === 'unchanged') return 'unchanged';
    if (decision.kind === 'refused') throw decision.problem;
    if ((await deps.changes.commit(decision)) === 'conflict') continue;
    const kind = eventKinds[decision.kind];
    const { detail } = decision;
    await deps.changes.addEvent(id, { atMs: nowMs, kind, by: nameOfCaller(caller), detail });
    return 'changed';
  }
  throw contended();
}

/** Others got through each time. */
export function contended(): ProblemError {
  const headers = { 'retry-after': '1' };
  return new ProblemError('temporarily-unavailable', undefined, { headers });
}
