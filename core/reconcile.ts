import type { Cell } from './cell.ts';
import type { Plan } from './plan.ts';
import { clearEdges } from './reconcile/clear-edges.ts';
import { openPass } from './reconcile/draft.ts';
import { reviveJobs } from './reconcile/due-retries.ts';
import { closeJobs, endJobs } from './reconcile/end-jobs.ts';
import { expireLosses } from './reconcile/expire-losses.ts';
import { foldReports } from './reconcile/fold-reports.ts';
import { observeHealth } from './reconcile/observe-health.ts';
import { serveBacklog } from './reconcile/order-backlog.ts';
import { place } from './reconcile/place.ts';
import { planOf } from './reconcile/plan-of.ts';
import { rewriteShadows } from './reconcile/rewrite-shadows.ts';

/**
 * The scheduler: everything stored for a cell and the time in, everything to write out (design §3). This is the map of
 * a pass; each phase is a file of its own under `reconcile/` and works on the drafts of `draft.ts`.
 *
 * Run again on its own result it changes nothing. A plan is bounded in rows; what did not fit is left to the next pass,
 * which the plan then asks for at once.
 */
export function reconcile(cell: Cell, nowMs: number): Plan {
  const pass = openPass(cell, nowMs);
  observeHealth(pass);
  foldReports(pass);
  expireLosses(pass);
  reviveJobs(pass);
  endJobs(pass);
  clearEdges(pass);
  serveBacklog(pass, (job, powerMax) => place(pass, job, powerMax));
  closeJobs(pass);
  rewriteShadows(pass);
  return planOf(pass);
}
