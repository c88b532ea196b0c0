import { cancel } from '../../core/jobs/cancel.ts';
import { retry } from '../../core/jobs/retry.ts';
import { eventTimeOf } from '../../core/model/job-status.ts';
import { changeAttemptsMax } from '../../core/model/limits.ts';
import type { JobId } from '../../core/model/names.ts';
import type { AuditEvent } from '../../core/ports/audit.ts';
import type { JobChanges, JobsStore } from '../../core/ports/jobs.ts';

/** Changes of jobs that belong to a submission, one after the other; each may be repeated. */
export type ChangeJobsDeps = {
  readonly jobs: Pick<JobsStore, 'find'>;
  readonly changes: Pick<JobChanges, 'cellsOf' | 'commit' | 'allExecutions'>;
};

export type Doer = {
  readonly by: string;
  readonly nowMs: number;
  readonly auditFor: (action: string, target: string) => AuditEvent;
};

/** `false`: there was nothing to change. */
export async function changeOne(
  id: JobId,
  kind: 'cancel' | 'retry',
  { by, nowMs, auditFor }: Doer,
  deps: ChangeJobsDeps,
): Promise<boolean> {
  for (let attempt = 1; attempt <= changeAttemptsMax; attempt++) {
    const found = await deps.jobs.find(id);
    if (found === null || found.unreadable !== undefined) return false;
    const cells = await deps.changes.cellsOf(found.job);
    const decision =
      kind === 'cancel'
        ? cancel(found, cells, nowMs)
        : retry(found, cells, await deps.changes.allExecutions(id));
    if (decision.kind === 'unchanged' || decision.kind === 'refused') return false;
    const word = kind === 'cancel' ? 'cancelled' : 'retried';
    const outcome = await deps.changes.commit(decision, {
      audit: auditFor(`job-${word}: jobspec`, id),
      event: { atMs: eventTimeOf(found.status, nowMs), kind: word, by, detail: decision.detail },
    });
    if (outcome === 'changed') return true;
  }
  throw new Error(`job ${id} was changed by somebody else again and again`);
}
