import type { StatsAnswer } from '../../../core/contract/fleet-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import { type Caller, seesPool, type TokenCaller } from '../../../core/model/caller.ts';
import type { CellMeta } from '../../../core/model/cell.ts';
import type { CellSummary } from '../../../core/model/cell-summary.ts';
import { type JobState, noJobStates } from '../../../core/model/job.ts';
import { listLimitMax, listRowsExaminedMax } from '../../../core/model/limits.ts';
import { type CellId, isName } from '../../../core/model/names.ts';
import { type JobStats, noRemovedCells } from '../../../core/ports/job-stats.ts';
import { badQuery, checkQuery } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { groupedStats, type StatsGrouping, statsGroupings } from './grouped-stats.ts';
import { withStatesOfCells } from './states-by-cells.ts';

/**
 * `GET /v1/stats?pool=&by=`: the cells' own summaries added up, and the counts of jobs that the
 * rollup keeps. Totals never fall. Who asks for a pool, or is limited to a pool or a queue, gets
 * the figures of that alone, its jobs counted from the list. Cells count for all queues together,
 * so of a queue only the jobs are shown.
 */
export const getStats = defineOperation({
  name: 'getStats',
  read: (call): StatsAsked => {
    checkQuery(call, ['pool', 'by']);
    return statsAsked(call.query.pool ?? null, call.query.by ?? null);
  },
  run: async (asked, { caller, nowMs }, deps: StatsPorts) => {
    const limits = limitsOf(caller);
    if (asked.pool !== null && !seesPool(caller, asked.pool)) throw new ProblemError('forbidden');
    const pool = asked.pool ?? limits.pool;
    const { queue } = limits;
    const isLimited = pool !== null || queue !== null;
    const [metas, jobs] = await Promise.all([
      queue === null ? cellsOf(deps, pool) : [],
      isLimited ? countListed(deps, pool, queue) : deps.stats.current(nowMs),
    ]);
    const stats = statsOf(metas, pool === null ? withStatesOfCells(jobs, metas) : jobs);
    if (asked.by === null) return stats;
    return { ...stats, ...(await groupedStats(asked.by, { pool, queue, metas }, deps)) };
  },
  answer: (body) => ({ status: 200, body }),
});

type StatsPorts = Pick<Ports, 'pools' | 'jobs' | 'stats' | 'edges'>;

type StatsAsked = { readonly pool: string | null; readonly by: StatsGrouping | null };

export function statsAsked(pool: string | null, by: string | null): StatsAsked {
  if (pool !== null && !isName(pool)) throw badQuery('pool', 'This cannot be a name.');
  const grouping = statsGroupings.find((name) => name === by) ?? null;
  if (grouping === null && by !== null) {
    throw badQuery('by', `This must be one of ${statsGroupings.join(', ')}.`);
  }
  return { pool, by: grouping };
}

function limitsOf(caller: Caller): Pick<TokenCaller, 'pool' | 'queue'> {
  return caller.kind === 'edge' ? { pool: null, queue: null } : caller;
}

async function cellsOf(
  deps: Pick<Ports, 'pools'>,
  pool: string | null,
): Promise<readonly CellMeta[]> {
  const cells: readonly CellId[] =
    pool === null
      ? await deps.pools.allCells()
      : (await deps.pools.find(pool)).cells.map((cell) => cell.id);
  return deps.pools.metas(cells);
}

/** The newest jobs of the pool, or of all pools, as far as one answer may look. */
async function countListed(
  deps: Pick<Ports, 'jobs' | 'pools'>,
  pool: string | null,
  queue: string | null,
): Promise<JobStats> {
  const states: Record<JobState, number> = { ...noStates };
  let total = 0;
  let examined = 0;
  for (const name of pool === null ? await deps.pools.listWithJobs() : [pool]) {
    for (let position: string | null = null; examined < listRowsExaminedMax; ) {
      const page = await deps.jobs.listPool(name, position, listLimitMax);
      examined += Math.max(1, page.length);
      for (const row of page) {
        if (queue !== null && row.queue !== queue) continue;
        if (!Object.hasOwn(states, row.state)) continue;
        states[row.state as JobState] += 1;
        total += 1;
      }
      if (page.length < listLimitMax) break;
      position = page.at(-1)?.position ?? null;
    }
  }
  const rates = { jobsPerMinute: 0, chunksPer10Seconds: 0 };
  return { states, total, removedCells: noRemovedCells, ...rates };
}

const { total: _none, ...noStates } = noJobStates;

/** As the last pass counted them; a cell that stands still for its own row is not passed over. */
function unreadableIn({ summary, unreadable }: CellMeta): number {
  return Math.max(summary.unreadable ?? 0, unreadable === undefined ? 0 : 1);
}

function statsOf(metas: readonly CellMeta[], jobs: JobStats): StatsAnswer {
  const sum = (of: (summary: CellSummary) => number) =>
    metas.reduce((all, meta) => all + of(meta.summary), 0);
  const chunks = {
    pending: sum((it) => it.chunks.pending),
    scheduled: sum((it) => it.chunks.scheduled),
    running: sum((it) => it.chunks.running),
    done: sum((it) => it.chunks.done) + jobs.removedCells.done,
    dead: sum((it) => it.chunks.dead) + jobs.removedCells.dead,
    cancelled: sum((it) => it.chunks.cancelled) + jobs.removedCells.cancelled,
  };
  const atLeastNone = (value: number) => Math.max(0, value);
  return {
    jobs: {
      waiting: atLeastNone(jobs.states.waiting),
      pending: atLeastNone(jobs.states.pending),
      scheduled: atLeastNone(jobs.states.scheduled),
      running: atLeastNone(jobs.states.running),
      done: atLeastNone(jobs.states.done),
      failed: atLeastNone(jobs.states.failed),
      cancelled: atLeastNone(jobs.states.cancelled),
      total: jobs.total,
    },
    chunks: { ...chunks, total: Object.values(chunks).reduce((all, it) => all + it, 0) },
    edges: {
      total: sum((it) => it.edges.total),
      connected: sum((it) => it.edges.connected),
      disconnected: sum((it) => it.edges.disconnected),
      lost: sum((it) => it.edges.lost),
      busy: sum((it) => it.edges.busy),
      free: sum((it) => it.edges.free),
      cordoned: sum((it) => it.edges.cordoned),
    },
    power: {
      total: sum((it) => it.power.total),
      free: sum((it) => it.power.free),
      reserved: sum((it) => it.power.reserved),
      served: sum((it) => it.power.served) + jobs.removedCells.served,
    },
    rates: { jobsPerMinute: jobs.jobsPerMinute, chunksPer10Seconds: jobs.chunksPer10Seconds },
    unreadableRows: metas.reduce((all, meta) => all + unreadableIn(meta), 0),
    cells: metas.map((meta) => ({
      id: meta.id,
      pool: meta.pool,
      edges: meta.summary.edges.total,
      free: meta.summary.power.free,
      backlogPower: meta.summary.backlogPower,
    })),
  };
}
