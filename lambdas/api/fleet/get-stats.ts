import type { StatsAnswer } from '../../../core/contract/fleet-body.ts';
import type { Caller } from '../../../core/model/caller.ts';
import type { CellMeta, CellSummary } from '../../../core/model/cell.ts';
import type { JobState } from '../../../core/model/job.ts';
import { listLimitMax, listRowsExaminedMax } from '../../../core/model/limits.ts';
import type { CellId } from '../../../core/model/names.ts';
import type { JobStats } from '../../../core/ports/job-stats.ts';
import { checkQuery } from '../http/call.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';

/**
 * `GET /v1/stats`: the cells' own summaries added up, and the counts of jobs that the rollup keeps.
 * Totals never fall. Who is limited to a pool sees the figures of that pool alone, its jobs counted
 * from the list.
 */
export const getStats = defineOperation({
  name: 'getStats',
  read: (call) => checkQuery(call, []),
  run: async (_, { caller, nowMs }, deps: Pick<Ports, 'pools' | 'jobs' | 'stats'>) => {
    const pool = caller.kind === 'token' ? caller.pool : null;
    const [metas, jobs] = await Promise.all([
      cellsOf(deps, pool),
      pool === null ? deps.stats.current(nowMs) : countPool(caller, deps, pool),
    ]);
    return statsOf(metas, jobs);
  },
  answer: (body) => ({ status: 200, body }),
});

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

async function countPool(
  caller: Caller,
  deps: Pick<Ports, 'jobs'>,
  pool: string,
): Promise<JobStats> {
  const states: Record<JobState, number> = { ...noStates };
  const queue = caller.kind === 'token' ? caller.queue : null;
  let total = 0;
  let position: string | null = null;
  for (let examined = 0; examined < listRowsExaminedMax; examined += listLimitMax) {
    const page = await deps.jobs.listPool(pool, position, listLimitMax);
    for (const row of page) {
      if (queue !== null && row.queue !== queue) continue;
      states[row.state as JobState] += 1;
      total += 1;
    }
    if (page.length < listLimitMax) break;
    position = page.at(-1)?.position ?? null;
  }
  return { states, total, jobsPerMinute: 0, chunksPer10Seconds: 0 };
}

const noStates: Record<JobState, number> = {
  waiting: 0,
  pending: 0,
  scheduled: 0,
  running: 0,
  done: 0,
  failed: 0,
  cancelled: 0,
};

function statsOf(metas: readonly CellMeta[], jobs: JobStats): StatsAnswer {
  const sum = (of: (summary: CellSummary) => number) =>
    metas.reduce((all, meta) => all + of(meta.summary), 0);
  const chunks = {
    pending: sum((it) => it.chunks.pending),
    scheduled: sum((it) => it.chunks.scheduled),
    running: sum((it) => it.chunks.running),
    done: sum((it) => it.chunks.done),
    dead: sum((it) => it.chunks.dead),
    cancelled: sum((it) => it.chunks.cancelled),
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
      served: sum((it) => it.power.served),
    },
    rates: { jobsPerMinute: jobs.jobsPerMinute, chunksPer10Seconds: jobs.chunksPer10Seconds },
    cells: metas.map((meta) => ({
      id: meta.id,
      pool: meta.pool,
      edges: meta.summary.edges.total,
      free: meta.summary.power.free,
      backlogPower: meta.summary.backlogPower,
    })),
  };
}
