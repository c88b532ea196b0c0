import type { CellMeta } from '../../../core/model/cell.ts';
import { idleTickEveryMs, tableWritesAtOnce, tickEveryMs } from '../../../core/model/limits.ts';
import type { CellId, JobId } from '../../../core/model/names.ts';
import type { Fleet } from '../../../core/ports/fleet.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import { batchAloneMs } from '../../limits.ts';
import { type MoveDeps, moveBacklog } from './move-backlog.ts';
import { spreadJobs } from './spread-jobs.ts';
import { type TidyDeps, tidyPools } from './tidy-pools.ts';

export type TickDeps = MoveDeps &
  TidyDeps & {
    readonly fleet: Fleet;
    /** Folds the statuses of these jobs again. */
    readonly fold: (jobs: readonly JobId[]) => Promise<unknown>;
  };

/**
 * Lets time pass for the cells that have something to wait for: work, or edges that are gone with
 * some. All others are looked at every few minutes all the same, spread over the minutes, in case a
 * wake-up was lost; so every job has somebody who comes back to it, and an idle fleet costs next to
 * nothing. Chunks are moved between cells first, and jobs that run everywhere come to cells that
 * have not got them, so that the cells on both sides are woken after
 * it. A job whose last fold was lost is folded here: its cells are done with it and would never
 * come back to it. So is what is left of a batch whose request did not live to store it.
 */
export async function tickCells(deps: TickDeps): Promise<readonly CellId[]> {
  const nowMs = deps.clock.nowMs();
  const metas = await deps.fleet.metas(await deps.fleet.cells());
  await finishBatches(deps, nowMs);
  await moveBacklog(deps, metas);
  await spreadJobs(deps, metas);
  await tidyPools(deps, metas);
  const pending = await deps.fleet.pendingRollups(nowMs - tickEveryMs);
  if (pending.length > 0) await deps.fold(pending);
  const due = metas.filter((meta, at) => isActive(meta) || isTurn(at, nowMs));
  await forEachLimited(due, tableWritesAtOnce, (meta) => deps.fleet.touch(meta.id, nowMs));
  deps.log.info('tick', { cells: metas.length, touched: due.length });
  return due.map((meta) => meta.id);
}

/** Never the reason why time does not pass. */
async function finishBatches({ fleet, log }: TickDeps, nowMs: number): Promise<void> {
  try {
    const parts = await fleet.finishBatches(nowMs - batchAloneMs);
    if (parts > 0) log.warn('parts of batches were stored late', { parts });
  } catch (error) {
    log.error('a part of a batch cannot be stored', { error });
  }
}

/** Of a cell whose row cannot be read nobody knows that it has nothing to wait for. */
function isActive({ summary, unreadable }: CellMeta): boolean {
  if (unreadable !== undefined) return true;
  return summary.jobs > 0 || summary.edges.busy > 0 || summary.edges.lost > 0;
}

function isTurn(position: number, nowMs: number): boolean {
  const turns = Math.round(idleTickEveryMs / tickEveryMs);
  return Math.floor(nowMs / tickEveryMs) % turns === position % turns;
}
