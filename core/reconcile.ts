import type { Cell } from './cell.ts';
import { planRowsMax } from './limits.ts';
import type { Plan } from './plan.ts';
import { clearEdges } from './reconcile/clear-edges.ts';
import { type JobDraft, openPass, type Pass } from './reconcile/draft.ts';
import { closeJobs, endJobs } from './reconcile/end-jobs.ts';
import { expireLosses } from './reconcile/expire-losses.ts';
import { shrinkSlots, widenSlots } from './reconcile/fit-slots.ts';
import { foldReports } from './reconcile/fold-reports.ts';
import { observeHealth } from './reconcile/observe-health.ts';
import { serveBacklog, type Turn } from './reconcile/order-backlog.ts';
import { placeJob } from './reconcile/place-job.ts';
import { planOf } from './reconcile/plan-of.ts';
import { reviveJobs } from './reconcile/revive-jobs.ts';
import { rewriteShadows } from './reconcile/rewrite-shadows.ts';
import { setEdgesAside } from './reconcile/set-aside.ts';
import { stealTails } from './reconcile/steal.ts';
import { topUp } from './reconcile/top-up.ts';
import { tellWaiting } from './reconcile/waiting.ts';

/**
 * The scheduler: everything stored for a cell and the time in, everything to write out. This is the
 * map of a pass; each phase is a file of its own under `reconcile/` and works on the drafts of
 * `draft.ts`.
 *
 * Run again on its own result it changes nothing. A plan is bounded in rows; what did not fit is
 * left to the next pass, which the plan then asks for at once.
 */
export function reconcile(cell: Cell, nowMs: number): Plan {
  return planOf(decide(cell, nowMs));
}

/**
 * The decisions of a pass before they are written down. Explanations repeat those about the
 * backlog: see `explain.ts`.
 */
export function decide(cell: Cell, nowMs: number, rowsMax = planRowsMax): Pass {
  const pass = openPass(cell, nowMs, rowsMax);
  observeHealth(pass);
  foldReports(pass);
  setEdgesAside(pass);
  expireLosses(pass);
  reviveJobs(pass);
  endJobs(pass);
  clearEdges(pass);
  shrinkSlots(pass);
  serveBacklog(pass, serve);
  widenSlots(pass);
  stealTails(pass);
  closeJobs(pass);
  rewriteShadows(pass);
  tellWaiting(pass);
  return pass;
}

/**
 * One job's turn: chunks for idle edges first, then refills, so that nobody hoards while others
 * stand idle.
 */
function serve(pass: Pass, job: JobDraft, powerMax: number): Turn {
  const turn = placeJob(pass, job, powerMax);
  if (turn !== 'more') topUp(pass, job);
  return turn;
}
