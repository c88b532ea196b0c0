import type { JobCreation } from '../jobs/submit.ts';
import type { Cell, CellJob } from '../model/cell.ts';
import { newSlice } from '../model/cell.ts';
import type { CellSummary } from '../model/cell-summary.ts';
import type { JobStatus } from '../model/job-status.ts';
import {
  creationRowsMax,
  planRowsMax,
  quietJobsForReportsMax,
  quietJobsMax,
  reportsAtOnceMax,
} from '../model/limits.ts';
import type { CellId, JobId } from '../model/names.ts';
import type { Plan, Spending } from '../model/plan.ts';
import { standsStill } from '../model/unreadable.ts';
import type { EdgeEvent } from '../protocol/edge-event.ts';
import { rowsOf } from './invariants.ts';
import { marksOf } from './plan/slice-in-lease.ts';
import { reconcileSafely } from './reconcile-safely.ts';

/**
 * The pass of whoever brings something new to a cell: a job that is submitted is placed in the
 * commit that stores it, a report is applied in the commit that stores it. It is the pass that the
 * stream would have woken, over the same cell with the news in it, and it is committed at the
 * version that was seen, together with the news; so nothing tells afterwards which of the two
 * decided.
 *
 * It is for a quiet cell alone. Where much arrives, one pass over all of it costs less than one for
 * each, and they would take the cell's version from each other.
 */
export function isQuiet(cell: Cell): boolean {
  if (cell.unreadable !== undefined || standsStill(cell.meta)) return false;
  if (!looksQuiet(cell.meta.summary) || cell.jobs.size > quietJobsMax) return false;
  for (const job of cell.jobs.values()) if (isUnseen(job)) return false;
  return true;
}

/** For whoever brings reports. */
export function isQuietForReports(cell: Cell): boolean {
  return cell.jobs.size <= quietJobsForReportsMax && isQuiet(cell);
}

/** By its summary alone, which may be a moment old: whether it is worth reading the cell. */
export function looksQuiet({ backlogPower, jobs }: CellSummary): boolean {
  return backlogPower === 0 && jobs <= quietJobsMax;
}

/** Stored, and no pass has seen it yet: one is on its way to this cell. */
function isUnseen({ intent, slice }: CellJob): boolean {
  return intent.foldedByCell && !slice.foldedByRollup && slice.countedAs === null;
}

/** The only cell of a job that its pass can place; `null` when others have a part in it. */
export function placingCellOf({ intents, openParents, status }: Placeable): CellId | null {
  const [only, ...others] = intents.keys();
  if (only === undefined || others.length > 0) return null;
  return status.foldedByCell && openParents.length === 0 ? only : null;
}

type Placeable = Pick<JobCreation, 'intents' | 'openParents' | 'status'>;

/** The cell as it is stored once the job is. */
export function withNewJob(cell: Cell, { job, intents }: JobCreation): Cell {
  const brought = intents.get(cell.meta.id);
  if (brought === undefined) return cell;
  const { intent, ranges } = brought;
  const slice = newSlice(ranges);
  const added: CellJob = { id: job.id, intent, slice, hasNoSliceRow: true };
  const jobs = new Map(cell.jobs).set(job.id, added);
  return { ...cell, jobs };
}

export type PlacedJob = {
  /** The cell with the job in it: what the plan was made of. */
  readonly cell: Cell;
  readonly plan: Plan;
  /** As the plan folds it: to be stored with the job. */
  readonly status: JobStatus;
};

/** `null` when it is left to the pass that the stream wakes. */
export function placeNewJob(stored: Cell, creation: JobCreation, nowMs: number): PlacedJob | null {
  if (!isQuiet(stored) || stored.jobs.has(creation.job.id)) return null;
  const cell = withNewJob(stored, creation);
  const plan = soundPlan(cell, nowMs);
  const rows = creationRowsMax + (creation.events?.length ?? 0);
  if (plan === null || rowsOf(plan) + rows > planRowsMax) return null;
  const status = statusAfter(plan, creation.job.id, creation.status);
  return status === null ? null : { cell, plan, status };
}

export type ProgressEvent = Extract<EdgeEvent, { kind: 'prog' }>;

/** The cell as it is stored once these edges have reported. */
export function withReports(cell: Cell, events: readonly ProgressEvent[]): Cell {
  const edges = new Map(cell.edges);
  for (const { edge: name, progress, version, atMs } of events) {
    const edge = edges.get(name);
    if (edge?.report == null || version === null) continue;
    const report = { ...edge.report, progress, version, receivedAtMs: atMs };
    edges.set(name, { ...edge, report });
  }
  return { ...cell, edges };
}

export type AppliedReports = { readonly cell: Cell; readonly plan: Plan };

/** `null` when they are stored for the pass that the stream wakes. */
export function applyReportsAtOnce(
  stored: Cell,
  events: readonly ProgressEvent[],
  nowMs: number,
): AppliedReports | null {
  if (events.length > reportsAtOnceMax || !isQuietForReports(stored)) return null;
  if (!events.every((event) => isNextReport(stored, event))) return null;
  const cell = withReports(stored, events);
  const plan = soundPlan(cell, nowMs);
  if (plan === null || rowsOf(plan) + events.length > planRowsMax) return null;
  // What an edge that leaves has said goes with it.
  if (events.some(({ edge }) => plan.removedEdges.has(edge))) return null;
  return { cell, plan };
}

/**
 * Of an edge that the broker calls connected: what else a report may mean for its presence is
 * found out when its row is read.
 */
function isNextReport(cell: Cell, { edge, progress, version, atMs }: ProgressEvent): boolean {
  const before = cell.edges.get(edge)?.report;
  if (before == null || version === null || progress.goodbye === true) return false;
  if (!before.connected || before.poll !== undefined) return false;
  if (before.connectionAtMs >= before.receivedAtMs || atMs < before.receivedAtMs) return false;
  if (version <= before.version) return false;
  const last = before.progress;
  if (last === null || last.boot !== progress.boot) return true;
  return (last.sequence ?? -1) < (progress.sequence ?? 0);
}

/** One that changes something, and that is not refused. */
function soundPlan(cell: Cell, nowMs: number): Plan | null {
  const { plan, refused } = reconcileSafely(cell, nowMs);
  return refused.length > 0 || plan?.meta == null ? null : plan;
}

/** A job that ends before it begins has nothing to be placed. */
function statusAfter(plan: Plan, id: JobId, submitted: JobStatus): JobStatus | null {
  const fold = plan.folds.get(id);
  if (fold === undefined || plan.endedJobs.has(id)) return null;
  const { next } = fold;
  return {
    ...submitted,
    ...(submitted.spent !== undefined && { spent: spentWith(plan, id, submitted.spent) }),
    version: submitted.version + 1,
    state: next.state,
    counts: next.counts,
    donePower: next.donePower,
    ...(next.service !== undefined && { service: next.service }),
    startedAtMs: next.startedAtMs,
    endedAtMs: next.endedAtMs,
    reason: next.reason,
    waiting: next.waiting,
    countedAs: next.countedAs,
    lastEventAtMs: next.lastEventAtMs,
  };
}

/** Rows of status and intent are counted with the job, also what the plan puts into them. */
function spentWith(plan: Plan, id: JobId, submitted: Spending): Spending {
  const placed = plan.folds.get(id)?.spent;
  if (placed === undefined) return submitted;
  const slice = plan.slicesInLeases?.has(id) === true ? undefined : plan.slices.get(id);
  const inIntent = slice !== undefined && marksOf(slice)?.startedAtMs === null ? 1 : 0;
  const { rows, documents, reports, calls } = placed;
  return {
    rows: submitted.rows + rows - 1 - inIntent,
    documents: submitted.documents + documents,
    reports: submitted.reports + reports,
    calls: submitted.calls + calls - 1,
  };
}
