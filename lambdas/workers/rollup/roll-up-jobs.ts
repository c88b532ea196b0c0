import { betweenCells, withTurn } from '../../../core/jobs/between-cells.ts';
import { type Rollup, rollUp } from '../../../core/jobs/rollup.ts';
import { rollupAttemptsMax, tableWritesAtOnce } from '../../../core/model/limits.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { RollupStore } from '../../../core/ports/rollups.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import { forEachLimited } from '../../for-each-limited.ts';
import type { Log } from '../../log.ts';

export type RollUpDeps = { readonly store: RollupStore; readonly clock: Clock; readonly log: Log };

/**
 * Folds each of these jobs once, whatever the number of rows that named it; answers those that
 * failed.
 */
export async function rollUpJobs(deps: RollUpDeps, jobs: Iterable<JobId>): Promise<JobId[]> {
  const failed: JobId[] = [];
  const progress = { chunks: 0, jobs: 0 };
  await forEachLimited([...new Set(jobs)], tableWritesAtOnce, async (job) => {
    try {
      const made = await rollUpJob(deps, job);
      progress.chunks += made.chunks;
      progress.jobs += made.jobs;
    } catch (error) {
      failed.push(job);
      deps.log.error('the status of a job was not updated', { job, error });
    }
  });
  if (progress.chunks + progress.jobs > 0) {
    await deps.store.countProgress(progress, deps.clock.nowMs());
  }
  return failed;
}

const nothing: Rollup['progress'] = { chunks: 0, jobs: 0 };

/**
 * Cells are written before the status: a crash in between repeats those writes, which is harmless,
 * while the other order could leave a job that looks released and is not. A turn comes after it:
 * the status says whose it is.
 */
async function rollUpJob(
  deps: RollUpDeps,
  job: JobId,
  settlesDependants = true,
): Promise<Rollup['progress']> {
  for (let attempt = 1; attempt <= rollupAttemptsMax; attempt++) {
    const view = await deps.store.load(job);
    if (view === null) return nothing;
    const folded = rollUp(view, deps.clock.nowMs());
    const { leftOver, turn } = betweenCells(view, folded);
    const rollup = withTurn(folded, turn);
    if (rollup.release.length > 0) await deps.store.release(job, rollup.release);
    const ending = [...rollup.cancel, ...leftOver];
    if (ending.length > 0) await deps.store.cancel(job, ending);
    if (rollup.changed && (await deps.store.save(view.status, rollup)) === 'conflict') continue;
    if (turn !== null) await deps.store.giveTurn(job, turn);
    if (rollup.settleDependants && settlesDependants) {
      // One level is enough: a child that ends is rolled up by its own cells, and its children
      // after it.
      for (const child of await deps.store.dependantsOf(job)) await rollUpJob(deps, child, false);
      // Only now is no rollup pending any more: a crash before this brings somebody back to it.
      await deps.store.settle(job, rollup.next.endedAtMs ?? 0);
    }
    return rollup.changed ? rollup.progress : nothing;
  }
  throw new Error(`the job ${job} was updated by others each time`);
}
