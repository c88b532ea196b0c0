import { submissionSettleMs, submissionsContinuedMax } from '../../core/contract/jobspec/limits.ts';
import type { JobCreation } from '../../core/jobs/submit.ts';
import type { JobId } from '../../core/model/names.ts';
import type { Submission } from '../../core/model/submission.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { SubmissionsStore } from '../../core/ports/submissions.ts';
import type { Log } from '../log.ts';
import { callerNamed } from './caller-named.ts';
import { type ChangeJobsDeps, changeOne } from './change-jobs.ts';
import { type MakeDeps, makeJobs } from './make-jobs.ts';
import { submittedWords } from './submitted-words.ts';

export type ContinueDeps = MakeDeps &
  ChangeJobsDeps & {
    readonly submissions: Pick<SubmissionsStore, 'listOpen' | 'find' | 'save'>;
    readonly jobs: MakeDeps['jobs'] & ChangeJobsDeps['jobs'];
    readonly changes: MakeDeps['changes'] & ChangeJobsDeps['changes'];
    readonly log: Log;
  };

/**
 * Goes on with submissions whose makers are gone: makes the jobs that are missing, or cancels those
 * of one that was cancelled. One that cannot be finished holds nobody up, and is tried again.
 */
export async function continueSubmissions(nowMs: number, deps: ContinueDeps): Promise<number> {
  let finished = 0;
  for (const id of await deps.submissions.listOpen(submissionsContinuedMax)) {
    try {
      if (await continueOne(id, nowMs, deps)) finished++;
    } catch (error) {
      deps.log.error('submission-failed', { submission: id, error: String(error) });
    }
  }
  return finished;
}

async function continueOne(id: JobId, nowMs: number, deps: ContinueDeps): Promise<boolean> {
  const found = await deps.submissions.find(id);
  if (found === null || !found.isOpen) return false;
  // The request that stored it may still be at it; one that had waited has no such maker.
  const isPlacedHere = found.lookedAtMs > found.createdAtMs && found.cancelledAtMs === null;
  const lastMs = Math.max(found.createdAtMs, found.cancelledAtMs ?? 0);
  if (!isPlacedHere && nowMs - lastMs < submissionSettleMs) return false;
  const impossible = found.cancelledAtMs === null ? await make(found, nowMs, deps) : [];
  if (found.cancelledAtMs !== null) {
    const auditFor = (action: string, target: string) => traceOf(found, nowMs, action, target);
    const doer = { by: found.createdBy, nowMs, auditFor };
    for (const job of found.jobs) await changeOne(job.id, 'cancel', doer, deps);
  }
  const next = { ...found, impossible, isOpen: false, version: found.version + 1 };
  return deps.submissions.save(next, found.version);
}

function make(found: Submission, nowMs: number, deps: ContinueDeps): Promise<readonly string[]> {
  const caller = callerNamed(found.createdBy);
  const auditFor = ({ job }: JobCreation) => traceOf(found, nowMs, submittedWords(job), job.id);
  return makeJobs(found, caller, auditFor, deps);
}

function traceOf(
  { createdBy, id }: Submission,
  atMs: number,
  action: string,
  target: string,
): AuditEvent {
  return { atMs, by: createdBy, action, target, requestId: `jobspec-${id}` };
}
