import type { Ask, Cell, CellJob, Share } from './cell.ts';
import { newShare } from './cell.ts';
import { moveJobsMax, planRowsMax } from './limits.ts';
import { mismatchOf } from './matching.ts';
import type { JobId } from './names.ts';
import type { Plan } from './plan.ts';
import { count, fromChunks, isEmpty, type RangeSet, subtract, takeLast, union } from './ranges.ts';
import { openPass, type Pass, pendingOf } from './reconcile/draft.ts';
import { planOf } from './reconcile/plan-of.ts';
import { touchJob } from './reconcile/rows.ts';

/**
 * Moves waiting chunks from one cell to another: two plans that are committed in one transaction, each against its own
 * cell's version, so that no chunk is ever in two shares or in none. Only chunks that never ran move, since attempts
 * are remembered where they happened; gangs and jobs that limit their edges stay whole.
 */
export type Move = {
  readonly from: Plan;
  readonly to: Plan;
  /** Jobs that are new in the target cell: what is asked comes along. */
  readonly asks: ReadonlyMap<JobId, Ask>;
};

/** `null` when there is nothing to move. */
export function moveRanges(
  from: Cell,
  to: Cell,
  moved: ReadonlyMap<JobId, RangeSet>,
  nowMs: number,
): Move | null {
  if (moved.size === 0) return null;
  const asks = new Map<JobId, Ask>();
  const source = new Map(from.jobs);
  const target = new Map(to.jobs);
  for (const [id, ranges] of moved) {
    const job = from.jobs.get(id)!;
    const there = to.jobs.get(id);
    if (there === undefined) asks.set(id, job.ask);
    source.set(id, { ...job, share: without(job.share, ranges) });
    target.set(id, there === undefined ? arrival(job, ranges) : withMore(there, ranges));
  }
  return {
    from: rewritten({ ...from, jobs: source }, moved, nowMs),
    to: rewritten({ ...to, jobs: target }, moved, nowMs),
    asks,
  };
}

function without(share: Share, ranges: RangeSet): Share {
  return { ...share, ranges: subtract(share.ranges, ranges) };
}

function arrival(job: CellJob, ranges: RangeSet): CellJob {
  return { ...job, share: { ...newShare(ranges), retryEpoch: job.share.retryEpoch } };
}

function withMore(job: CellJob, ranges: RangeSet): CellJob {
  return { ...job, share: { ...job.share, ranges: union(job.share.ranges, ranges) } };
}

/**
 * What may move there, up to this power. Jobs in `excluded` ended in the target before: what its rows say of them is
 * absolute, so they must not begin there again.
 */
export function chooseRanges(
  from: Cell,
  to: Cell,
  power: number,
  excluded: ReadonlySet<JobId>,
  nowMs: number,
): ReadonlyMap<JobId, RangeSet> {
  const pass = openPass(from, nowMs, planRowsMax);
  const chosen = new Map<JobId, RangeSet>();
  let left = power;
  // The last to be served here would wait longest.
  for (const job of [...pass.jobs.values()].reverse()) {
    if (chosen.size >= moveJobsMax || left < job.demand.power) continue;
    const { placement } = job.ask.spec;
    const stays = placement.nodes !== null || placement.maxEdges !== null;
    if (stays || job.ask.held || job.ask.cancelled || job.ask.retryEpoch > job.retryEpoch) continue;
    if (excluded.has(job.id) || !isWelcome(to, job.ask)) continue;
    const tried = union(
      fromChunks(job.retries.keys()),
      union(job.revived, fromChunks(job.losses.keys())),
    );
    const fresh = subtract(pendingOf(job), tried);
    const { taken } = takeLast(fresh, Math.floor(left / job.demand.power));
    if (isEmpty(taken)) continue;
    chosen.set(job.id, taken);
    left -= job.demand.power * count(taken);
  }
  return chosen;
}

function isWelcome(to: Cell, ask: Ask): boolean {
  for (const edge of to.edges.values()) {
    if (edge.report?.connected === true && mismatchOf(edge, ask.spec) === null) return true;
  }
  return false;
}

/** The rows of the moved jobs as they are after the move. */
function rewritten(cell: Cell, moved: ReadonlyMap<JobId, RangeSet>, nowMs: number): Plan {
  const pass: Pass = openPass(cell, nowMs, planRowsMax);
  for (const id of moved.keys()) touchJob(pass, pass.jobs.get(id)!);
  const shares = new Map<JobId, Share>();
  for (const id of moved.keys()) shares.set(id, cell.jobs.get(id)!.share);
  return { ...planOf(pass), shares, lookAgainAtMs: nowMs };
}
