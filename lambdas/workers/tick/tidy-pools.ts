import type { CellMeta } from '../../../core/model/cell.ts';
import { emptyPoolKeptMs, poolsTidiedMax, tickEveryMs } from '../../../core/model/limits.ts';
import type { JobLists } from '../../../core/ports/jobs.ts';
import type { Pools } from '../../../core/ports/pools.ts';
import type { Clock } from '../../../core/ports/timers.ts';
import type { Log } from '../../log.ts';

export type TidyDeps = {
  readonly pools: Pick<Pools, 'find' | 'remove' | 'listRemoved' | 'forget'>;
  readonly jobs: Pick<JobLists, 'listPool'>;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Removes pools that nobody has named and that hold nothing any more, no edge and no job, ended
 * ones included: what a slip of a key in a submission made goes with its job. So does the memory of
 * a removed pool when the last of its jobs is purged. A few each minute, others the next.
 */
export async function tidyPools(deps: TidyDeps, metas: readonly CellMeta[]): Promise<void> {
  const nowMs = deps.clock.nowMs();
  for (const name of turnOf(emptyPools(metas), nowMs)) {
    await attempt(deps, name, () => removeEmpty(deps, name, nowMs));
  }
  for (const name of turnOf(await deps.pools.listRemoved(), nowMs)) {
    await attempt(deps, name, async () => {
      if (await isWithoutJobs(deps, name)) await deps.pools.forget(name);
    });
  }
}

/** By the summaries alone: they only say where to look. */
function emptyPools(metas: readonly CellMeta[]): string[] {
  const byPool = Map.groupBy(metas, (meta) => meta.pool);
  const isEmpty = ({ summary }: CellMeta) => summary.edges.total === 0 && summary.jobs === 0;
  return [...byPool].filter(([, cells]) => cells.every(isEmpty)).map(([name]) => name);
}

/** `default` stays: it is where everything goes that names none. */
async function removeEmpty(deps: TidyDeps, name: string, nowMs: number): Promise<void> {
  const { pool, cells } = await deps.pools.find(name);
  if (pool === null || pool.version > 0 || name === 'default') return;
  const isYoung = nowMs - (pool.createdAtMs ?? 0) < emptyPoolKeptMs;
  if (isYoung || cells.some(({ edges }) => edges > 0)) return;
  if (!(await isWithoutJobs(deps, name))) return;
  const outcome = await deps.pools.remove(name, pool.version);
  deps.log.info('an empty pool that nobody has named', { pool: name, outcome });
}

async function isWithoutJobs({ jobs }: TidyDeps, pool: string): Promise<boolean> {
  return (await jobs.listPool(pool, null, 1)).length === 0;
}

async function attempt({ log }: TidyDeps, pool: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    log.error('a pool was not tidied', { pool, error });
  }
}

function turnOf(names: readonly string[], nowMs: number): readonly string[] {
  const turns = Math.max(1, Math.ceil(names.length / poolsTidiedMax));
  const start = (Math.floor(nowMs / tickEveryMs) % turns) * poolsTidiedMax;
  return names.slice(start, start + poolsTidiedMax);
}
