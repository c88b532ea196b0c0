import { partitions, statsRows } from '../../../adapters/dynamodb/schema.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { Bug } from './bugs.ts';

/** Bugs in figures that nothing is decided by: only users would see them. */
export const totalsBugs: readonly Bug[] = [
  {
    name: 'edge-totals-count-twice',
    sentence: 'a result is counted in the totals of its edge again',
    commit: (plan, stored) =>
      withTotals(plan, (name) => stored.edges.get(name)?.work?.totals ?? null),
  },
  {
    name: 'job-leaves-no-state',
    sentence: 'a job that goes on to another state is counted in the one before as well',
    row: (row) => {
      const isCount = row.pk.startsWith(partitions.stats) && row.sk === statsRows.counts;
      return isCount && typeof row.pending === 'number'
        ? { ...row, pending: row.pending + 1 }
        : row;
    },
  },
];

type Totals = { readonly chunksDone: number; readonly powerServed: number };
type Works = Plan['works'] extends ReadonlyMap<infer E, unknown> ? E : never;

function withTotals(plan: Plan, before: (name: Works) => Totals | null): Plan {
  const works = [...plan.works].map(([name, work]) => {
    const more = work.totals.chunksDone - (before(name)?.chunksDone ?? 0);
    const totals = { ...work.totals, chunksDone: work.totals.chunksDone + more };
    return [name, { ...work, totals }] as const;
  });
  return { ...plan, works: new Map(works) };
}
