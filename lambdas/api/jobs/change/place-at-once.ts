import type { JobCreation } from '../../../../core/jobs/submit.ts';
import type { CellMeta } from '../../../../core/model/cell.ts';
import type { AuditEvent } from '../../../../core/ports/audit.ts';
import {
  isQuiet,
  looksQuiet,
  placeNewJob,
  placingCellOf,
} from '../../../../core/scheduler/short-pass.ts';
import { runShortPass } from '../../../workers/schedule/short-pass.ts';
import { newJobView } from '../view/job-view.ts';
import type { Accepted, Keep } from './accepted.ts';
import type { SubmitDeps } from './write-ports.ts';

/**
 * A job that falls to one quiet cell is placed in the transaction that stores it, and answered with
 * its executions. `left`: nothing is stored, and the job is submitted as any other.
 */
export async function placeAtOnce(
  creation: JobCreation,
  metas: readonly Pick<CellMeta, 'id' | 'summary'>[],
  { keep, audit }: { readonly keep: Keep; readonly audit: AuditEvent },
  { placing, changes }: Pick<SubmitDeps, 'placing' | 'changes'>,
): Promise<Accepted | 'id-taken' | 'key-taken' | 'left'> {
  const cell = placingCellOf(creation);
  const summary = metas.find(({ id }) => id === cell)?.summary;
  if (placing === undefined || cell === null || summary === undefined) return 'left';
  if (!looksQuiet(summary)) return 'left';
  const done = await runShortPass(placing, cell, {
    isQuiet,
    decide: (stored, nowMs) => {
      const placed = placeNewJob(stored, creation, nowMs);
      if (placed === null) return null;
      const { job } = creation;
      const executions = placed.plan.executions.filter((it) => it.job === job.id);
      const view = newJobView({ job, status: placed.status }, executions);
      return { ...placed, accepted: { version: job.version, view } };
    },
    commit: ({ plan, status, accepted }) => {
      const kept = keep === null ? null : keep(accepted);
      return changes.createPlaced({ ...creation, status }, plan, kept, audit);
    },
    isCommitted: (outcome) => outcome === 'created',
  });
  if (done === 'left') return 'left';
  return done.outcome === 'created' ? done.decided.accepted : done.outcome;
}
