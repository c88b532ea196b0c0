import type { Cell, CellJob } from '../model/cell.ts';
import { planRowsMax } from '../model/limits.ts';
import type { JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { type JobDraft, openPass, type Pass } from './pass/draft.ts';
import { planOf } from './pass/plan-of.ts';
import { applyReports } from './phases/apply-reports.ts';
import { clearEdges } from './phases/clear-edges.ts';
import { closeJobs, endJobs } from './phases/end-jobs.ts';
import { expireLosses } from './phases/expire-losses.ts';
import { shrinkSlots, widenSlots } from './phases/fit-slots.ts';
import { observeHealth } from './phases/observe-health.ts';
import { serveBacklog, type Turn } from './phases/order-backlog.ts';
import { placeJob } from './phases/place-job.ts';
import { quarantineEdges } from './phases/quarantine-edges.ts';
import { reportSuspended } from './phases/report-suspended.ts';
import { reviveJobs } from './phases/revive-jobs.ts';
import { rewriteShadows } from './phases/rewrite-shadows.ts';
import { stealTails } from './phases/steal.ts';
import { topUp } from './phases/top-up.ts';
import { reportWaiting } from './phases/waiting.ts';

/**
 * The scheduler: everything stored for a cell and the time in, everything to write out. This is the
 * map of a pass; each phase is a file of its own under `phases/` and works on the drafts of
 * `pass/draft.ts`.
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
export function decide(
  cell: Cell,
  nowMs: number,
  rowsMax = planRowsMax,
  suspended: ReadonlyMap<JobId, CellJob> = new Map(),
): Pass {
  const pass = openPass(cell, nowMs, rowsMax, suspended);
  observeHealth(pass);
  applyReports(pass);
  quarantineEdges(pass);
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
  reportWaiting(pass);
  reportSuspended(pass);
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
