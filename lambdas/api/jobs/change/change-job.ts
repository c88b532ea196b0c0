import { ProblemError } from '../../../../core/contract/problem.ts';
import type { Refusal, Unchanged } from '../../../../core/jobs/decision.ts';
import type { JobCells } from '../../../../core/jobs/job-cells.ts';
import { nameOfCaller } from '../../../../core/model/caller.ts';
import { eventTimeOf } from '../../../../core/model/job-status.ts';
import { changeAttemptsMax } from '../../../../core/model/limits.ts';
import type { JobId } from '../../../../core/model/names.ts';
import type { JobWithStatus } from '../../../../core/model/stored-job.ts';
import type { JobChange, JobTrace } from '../../../../core/ports/jobs.ts';
import { auditEvent } from '../../http/audit.ts';
import { type Call, jobOfPath } from '../../http/call.ts';
import { contended } from '../../http/outage.ts';
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
  'cancel-ranges': 'chunks-cancelled',
  retry: 'retried',
  update: 'updated',
  restart: 'restarted',
};

export type Change = { readonly id: JobId; readonly precondition: Precondition };

/** What every change of a job is asked with. */
export function readChange(call: Call): Change {
  return { id: jobOfPath(call), precondition: readPrecondition(call) };
}

/**
 * Load, decide, store; again when the job was changed in between. The precondition is held against
 * each job that was loaded, so whoever named a version learns when it has gone by.
 */
export async function changeJob(
  { id, precondition }: Change,
  context: Context,
  deps: ChangeDeps,
  decide: Decide,
): Promise<'changed' | 'unchanged'> {
  const { caller } = context;
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const found = await visibleJob(id, caller, deps);
    if (found.unreadable !== undefined) {
      throw new ProblemError('conflict', 'What became of this job cannot be read: mend it first.');
    }
    checkVersion(precondition, found.job.version);
    const decision = await decide(found, await deps.changes.cellsOf(found.job));
    if (decision.kind === 'unchanged') return 'unchanged';
    if (decision.kind === 'refused') throw decision.problem;
    const trace = traceOf(found, decision, context);
    if ((await deps.changes.commit(decision, trace)) === 'changed') return 'changed';
  }
  throw contended();
}

function traceOf({ status }: JobWithStatus, change: JobChange, context: Context): JobTrace {
  const { caller, nowMs } = context;
  const { id, detail } = change;
  const kind = eventKinds[change.kind];
  const what = change.kind === 'edit' ? `: ${change.fields.join(', ')}` : '';
  return {
    audit: auditEvent(context, `job-${kind}${what}`, id),
    event: { atMs: eventTimeOf(status, nowMs), kind, by: nameOfCaller(caller), detail },
  };
}
