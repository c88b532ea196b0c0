import type { JobId } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import type { Bug } from './bugs.ts';

/**
 * Bugs in what a pass decides, before its plan is held against the invariants. Nothing else in the
 * simulation notices these: without that check they would be committed, and nobody would know.
 */
export const planBugs: readonly Bug[] = [
  {
    name: 'counts-leave-a-chunk-out',
    sentence: 'the counts of a job that goes on leave out a chunk that an edge holds',
    decides: (plan) =>
      withCounts(plan, (counts) => ({ ...counts, scheduled: counts.scheduled - 1 })),
  },
  {
    name: 'counts-are-not-written',
    sentence: 'the slice of a job changes and its counts do not',
    decides: (plan) => ({
      ...plan,
      // The status of what goes to the shelf or comes from it is what an edit meets.
      jobStatuses: new Map(
        [...plan.jobStatuses].filter(([id]) => plan.endedJobs.has(id) || isMoved(plan, id)),
      ),
    }),
  },
];

const isMoved = ({ shelf }: Plan, id: JobId): boolean =>
  shelf !== undefined && (shelf.taken.has(id) || shelf.shelved.has(id) || shelf.settled.has(id));

type Counts = Plan['jobStatuses'] extends ReadonlyMap<unknown, { counts: infer C }> ? C : never;

function withCounts(plan: Plan, change: (counts: Counts) => Counts): Plan {
  const statuses = [...plan.jobStatuses].map(([id, status]) => {
    const counts = status.counts.scheduled > 0 ? change(status.counts) : status.counts;
    return [id, { ...status, counts }] as const;
  });
  return { ...plan, jobStatuses: new Map(statuses) };
}
