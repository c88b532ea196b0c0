import type { Cell, CellJob } from '../model/cell.ts';
import { planRowsMax } from '../model/limits.ts';
import type { JobId } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { everywhereOf, isService } from './instances/instance-ends.ts';
import { type JobDraft, openPass, type Pass } from './pass/draft.ts';
import { applyReports } from './phases/apply-reports.ts';
import { cancelRanges } from './phases/cancel-ranges.ts';
import { clearEdges } from './phases/clear-edges.ts';
import { closeJobs, endJobs } from './phases/end-jobs.ts';
import { expireLosses } from './phases/expire-losses.ts';
import { shrinkSlots, widenSlots } from './phases/fit-slots.ts';
import { keepShelf, settleRecalled } from './phases/keep-shelf.ts';
import { letGo } from './phases/let-go.ts';
import { observeHealth } from './phases/observe-health.ts';
import { serveBacklog, type Turn } from './phases/order-backlog.ts';
import { placeJob } from './phases/place-job.ts';
import { quarantineEdges } from './phases/quarantine-edges.ts';
import { reportSuspended } from './phases/report-suspended.ts';
import { reviveJobs } from './phases/revive-jobs.ts';
import { rewriteShadows } from './phases/rewrite-shadows.ts';
import { rollOut } from './phases/roll-out.ts';
import { scaleServices } from './phases/scale-services.ts';
import { placeSeats, seatEdges } from './phases/seat-edges.ts';
import { serveTaken } from './phases/serve-taken.ts';
import { stealTails } from './phases/steal.ts';
import { topUp } from './phases/top-up.ts';
import { reportWaiting } from './phases/waiting.ts';
import { watchStarts } from './phases/watch-starts.ts';
import { planOf } from './plan/plan-of.ts';

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
  shared: ReadonlySet<JobId> = new Set(),
): Pass {
  const pass = openPass(cell, nowMs, rowsMax, suspended, shared);
  settleRecalled(pass);
  observeHealth(pass);
  watchStarts(pass);
  applyReports(pass);
  letGo(pass);
  quarantineEdges(pass);
  expireLosses(pass);
  reviveJobs(pass);
  scaleServices(pass);
  seatEdges(pass);
  rollOut(pass);
  cancelRanges(pass);
  endJobs(pass);
  clearEdges(pass);
  shrinkSlots(pass);
  serveTaken(pass);
  serveBacklog(pass, serve);
  widenSlots(pass);
  stealTails(pass);
  closeJobs(pass);
  rewriteShadows(pass);
  keepShelf(pass);
  reportWaiting(pass);
  reportSuspended(pass);
  return pass;
}

/**
 * One job's turn: chunks for idle edges first, then refills, so that nobody hoards while others
 * stand idle.
 */
function serve(pass: Pass, job: JobDraft, powerMax: number): Turn {
  const everywhere = everywhereOf(job);
  if (everywhere !== null) return placeSeats(pass, job, everywhere);
  const turn = placeJob(pass, job, powerMax);
  // An instance that does not run at once is of no use where it waits.
  if (turn !== 'more' && !isService(job)) topUp(pass, job);
  return turn;
}
