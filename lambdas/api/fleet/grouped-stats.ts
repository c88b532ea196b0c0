import type { StatsGroup } from '../../../core/contract/fleet-body.ts';
import { type CellMeta, noEdgeWork } from '../../../core/model/cell.ts';
import { listLimitMax, listRowsExaminedMax, statsGroupsMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import { count } from '../../../core/model/ranges.ts';
import { capacityOf } from '../../../core/scheduler/pass/capacity.ts';
import { queryRowsMin } from '../../limits.ts';
import type { Ports } from '../ports.ts';

/**
 * The figures of `GET /v1/stats?by=`, for each edge, pool or queue: those that served most come
 * first. As bounded as a list: of a larger fleet it says that it is cut.
 */
export const statsGroupings = ['edge', 'pool', 'queue'] as const;

export type StatsGrouping = (typeof statsGroupings)[number];

type Deps = Pick<Ports, 'edges' | 'jobs' | 'pools'>;
type Within = {
  readonly pool: string | null;
  readonly queue: string | null;
  readonly metas: readonly CellMeta[];
};
type Groups = { readonly groups: readonly StatsGroup[]; readonly groupsCut: boolean };

export async function groupedStats(by: StatsGrouping, within: Within, deps: Deps): Promise<Groups> {
  const { groups, groupsCut } = await (by === 'pool'
    ? byPool(within)
    : by === 'edge'
      ? byEdge(within, deps)
      : byQueue(within, deps));
  const sorted = groups.toSorted((a, b) => b.served - a.served || (a.name < b.name ? -1 : 1));
  return {
    groups: sorted.slice(0, statsGroupsMax),
    groupsCut: groupsCut || sorted.length > statsGroupsMax,
  };
}

function byPool({ metas }: Within): Groups {
  const groups = [...Map.groupBy(metas, ({ pool }) => pool)].map(([name, cells]): StatsGroup => {
    const sum = (of: (summary: CellMeta['summary']) => number) =>
      cells.reduce((all, { summary }) => all + of(summary), 0);
    return {
      name,
      pool: name,
      edges: sum(({ edges }) => edges.total),
      jobs: sum(({ jobs }) => jobs),
      chunksOpen: sum(({ chunks }) => chunks.pending + chunks.scheduled + chunks.running),
      chunksDone: sum(({ chunks }) => chunks.done),
      power: sum(({ power }) => power.total),
      served: sum(({ power }) => power.served),
    };
  });
  return { groups, groupsCut: false };
}

async function byEdge({ metas }: Within, { edges }: Deps): Promise<Groups> {
  const groups: StatsGroup[] = [];
  let left = listRowsExaminedMax;
  for (const { id } of metas) {
    if (left <= 0) return { groups, groupsCut: true };
    const page = await edges.listCell(id, null, left);
    left -= Math.max(queryRowsMin, page.length);
    for (const edge of page) {
      const { leases, totals } = edge.work ?? noEdgeWork;
      const held = [...leases.values()];
      groups.push({
        name: edge.name,
        pool: poolOfCell(edge.cell),
        edges: null,
        jobs: held.filter(({ ranges }) => count(ranges) > 0).length,
        chunksOpen: held.reduce((all, { ranges }) => all + count(ranges), 0),
        chunksDone: totals.chunksDone,
        power: capacityOf(edge).power,
        served: totals.powerServed,
      });
    }
  }
  return { groups, groupsCut: false };
}

/** From the newest jobs, as far as one answer may look: queues go through all pools. */
async function byQueue({ pool, queue }: Within, { jobs, pools }: Deps): Promise<Groups> {
  const groups = new Map<string, StatsGroup>();
  const places = pool === null ? await pools.listWithJobs() : [pool];
  let examined = 0;
  let ended = 0;
  for (const name of places) {
    for (let position: string | null = null; examined < listRowsExaminedMax; ) {
      const page = await jobs.listPool(name, position, listLimitMax);
      examined += Math.max(1, page.length);
      const wanted = page.filter((row) => queue === null || row.queue === queue);
      for (const { job, status } of await jobs.findMany(wanted.map(({ id }) => id))) {
        const key = job.spec.queue;
        groups.set(key, withJob(groups.get(key) ?? noneOf(key, pool), status));
      }
      if (page.length < listLimitMax) {
        ended += 1;
        break;
      }
      position = page.at(-1)?.position ?? null;
    }
  }
  return { groups: [...groups.values()], groupsCut: ended < places.length };
}

function noneOf(name: string, pool: string | null): StatsGroup {
  const none = { jobs: 0, chunksOpen: 0, chunksDone: 0, served: 0 };
  return { name, pool, edges: null, power: null, ...none };
}

type Counted = {
  readonly counts: Readonly<Record<'pending' | 'scheduled' | 'running' | 'done', number>>;
  readonly donePower: number;
};

function withJob(group: StatsGroup, { counts, donePower }: Counted): StatsGroup {
  const open = counts.pending + counts.scheduled + counts.running;
  return {
    ...group,
    jobs: group.jobs + 1,
    chunksOpen: group.chunksOpen + open,
    chunksDone: group.chunksDone + counts.done,
    served: group.served + donePower,
  };
}
