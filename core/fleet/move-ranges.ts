import { reopenedSlice } from '../jobs/reopened-slice.ts';
import type { Cell, CellJob, Intent, Slice } from '../model/cell.ts';
import { newSlice } from '../model/cell.ts';
import { moveJobsMax, planRowsMax } from '../model/limits.ts';
import type { JobId } from '../model/names.ts';
import type { Execution, JobCellStatus, Plan } from '../model/plan.ts';
import { presentAt } from '../model/presence.ts';
import {
  count,
  emptyRanges,
  equal,
  fromChunks,
  isEmpty,
  type RangeSet,
  subtract,
  takeLast,
  union,
} from '../model/ranges.ts';
import { mismatchOf } from '../scheduler/matching.ts';
import { isStranded } from '../scheduler/pass/candidates.ts';
import { openPass, type Pass, pendingOf } from '../scheduler/pass/draft.ts';
import { planOf } from '../scheduler/plan/plan-of.ts';
import { touchJob } from '../scheduler/plan/rows.ts';

/**
 * Moves waiting chunks from one cell to another: two plans that are committed in one transaction,
 * each against its own cell's version, so that no chunk is ever in two slices or in none. Only
 * chunks that never ran move, since attempts are remembered where they happened; gangs and jobs
 * that limit their edges stay whole.
 */
export type Move = {
  readonly from: Plan;
  readonly to: Plan;
  /** Jobs that are new in the target cell: the intent comes along. */
  readonly intents: ReadonlyMap<JobId, Intent>;
};

/** What is written of a job that ended in a cell. */
export type JobHistory = {
  readonly ended: JobCellStatus;
  readonly executions: readonly Execution[];
};

/** `null` when there is nothing to move. */
export function moveRanges(
  from: Cell,
  to: Cell,
  moved: ReadonlyMap<JobId, RangeSet>,
  histories: ReadonlyMap<JobId, JobHistory>,
  nowMs: number,
): Move | null {
  if (moved.size === 0) return null;
  const intents = new Map<JobId, Intent>();
  const source = new Map(from.jobs);
  const target = new Map(to.jobs);
  for (const [id, ranges] of moved) {
    const job = from.jobs.get(id)!;
    const there = to.jobs.get(id);
    if (there === undefined) intents.set(id, job.intent);
    source.set(id, { ...job, slice: without(job.slice, ranges) });
    target.set(
      id,
      there === undefined ? arrival(job, ranges, histories.get(id)) : withMore(there, ranges),
    );
  }
  return {
    from: rewritten({ ...from, jobs: source }, moved, nowMs),
    to: rewritten({ ...to, jobs: target }, moved, nowMs),
    intents,
  };
}

function without(slice: Slice, ranges: RangeSet): Slice {
  return { ...slice, ranges: subtract(slice.ranges, ranges) };
}

/** A job that ended there before goes on from what it was: its rows in a cell are absolute. */
function arrival(job: CellJob, ranges: RangeSet, history: JobHistory | undefined): CellJob {
  const { retryEpoch } = job.slice;
  if (job.intent.spec.everywhere !== undefined) return spreadTo(job, history);
  if (history === undefined) return { ...job, slice: { ...newSlice(ranges), retryEpoch } };
  const before = reopenedSlice(history.ended, history.executions, retryEpoch + 1);
  return { ...job, slice: { ...before, ranges: union(before.ranges, ranges) } };
}

/** No instance comes along, and the generation that all have come to does. */
function spreadTo(job: CellJob, history: JobHistory | undefined): CellJob {
  const { retryEpoch, rollout } = job.slice;
  const slice = {
    ...newSlice(emptyRanges),
    retryEpoch,
    attemptsUsed: history?.ended.attemptsUsed ?? 0,
    ...(rollout !== undefined && { rollout: { ...rollout, due: new Map(), unsettled: new Map() } }),
  };
  return { ...job, slice };
}

function withMore(job: CellJob, ranges: RangeSet): CellJob {
  return { ...job, slice: { ...job.slice, ranges: union(job.slice.ranges, ranges) } };
}

/**
 * What may move there, up to this power; what no edge here is of the right kind for moves whole.
 */
export function chooseRanges(
  from: Cell,
  to: Cell,
  wanted: { readonly power: number; readonly stranded: boolean },
  nowMs: number,
): ReadonlyMap<JobId, RangeSet> {
  const pass = openPass(from, nowMs, planRowsMax);
  const chosen = new Map<JobId, RangeSet>();
  let left = wanted.power;
  // The last to be served here would wait longest.
  for (const job of [...pass.jobs.values()].reverse()) {
    if (chosen.size >= moveJobsMax) break;
    if (!wanted.stranded && left < job.demand.power) continue;
    const { placement } = job.intent.spec;
    const isWhole = equal(pendingOf(job), job.ranges);
    const isLimited = placement.nodes !== null || placement.maxEdges !== null;
    const stays = isLimited && !(wanted.stranded && isWhole);
    if (
      stays ||
      job.intent.spec.restart !== undefined ||
      job.intent.blockedByDependencies ||
      job.intent.cancelled ||
      job.intent.retryEpoch > job.retryEpoch
    )
      continue;
    if (wanted.stranded && !isStranded(pass, job)) continue;
    if (to.unreadable?.jobs.has(job.id) || !isWelcome(to, job.intent, nowMs)) continue;
    const tried = union(
      fromChunks(job.retries.keys()),
      union(job.revived, fromChunks(job.losses.keys())),
    );
    const { cancelledRanges = emptyRanges } = job.intent;
    const fresh = subtract(subtract(pendingOf(job), tried), cancelledRanges);
    const most = wanted.stranded ? count(fresh) : Math.floor(left / job.demand.power);
    const { taken } = takeLast(fresh, most);
    if (isEmpty(taken)) continue;
    chosen.set(job.id, taken);
    left -= job.demand.power * count(taken);
  }
  return chosen;
}

function isWelcome(to: Cell, intent: Intent, nowMs: number): boolean {
  for (const stored of to.edges.values()) {
    const edge = presentAt(stored, nowMs);
    if (edge.report?.connected === true && mismatchOf(edge, intent.spec) === null) return true;
  }
  return false;
}

/** The rows of the moved jobs as they are after the move. */
function rewritten(cell: Cell, moved: ReadonlyMap<JobId, RangeSet>, nowMs: number): Plan {
  const shared = new Set(moved.keys());
  const pass: Pass = openPass(cell, nowMs, planRowsMax, new Map(), shared);
  for (const id of shared) touchJob(pass, pass.jobs.get(id)!);
  const slices = new Map<JobId, Slice>();
  for (const id of shared) slices.set(id, { ...cell.jobs.get(id)!.slice, foldedByRollup: true });
  return { ...planOf(pass), slices, lookAgainAtMs: nowMs };
}
