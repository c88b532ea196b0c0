import type { JobId } from '../../model/names.ts';
import type { Plan, Spending } from '../../model/plan.ts';
import type { Pass } from '../pass/draft.ts';

/**
 * What a plan costs, for each job whose status it writes: the rows that are the job's own, and its
 * part of what jobs share: the rows of cell and edges, the reports that were applied, the documents
 * that follow, and the pass itself.
 */
type Decided = Omit<Plan, 'meta'>;

export function withSpending(pass: Pass, plan: Decided): Decided['folds'] {
  if (plan.folds.size === 0) return plan.folds;
  const shared = sharedBy(pass, plan);
  const part = 1 / plan.jobStatuses.size;
  const rows = rowsByJob(plan);
  return new Map(
    [...plan.folds].map(([id, fold]) => {
      const spent: Spending = {
        rows: (rows.get(id) ?? 0) + shared.rows * part,
        documents: shared.documents * part,
        reports: shared.reports * part,
        calls: shared.calls * part,
      };
      return [id, { ...fold, spent }] as const;
    }),
  );
}

const nothing: ReadonlyMap<string, unknown> = new Map();

function sharedBy(pass: Pass, plan: Decided): Spending {
  let reports = 0;
  for (const name of plan.works.keys()) {
    const { acknowledgedSequence, before } = pass.edges.get(name)!;
    if (acknowledgedSequence !== before.acknowledgedSequence) reports++;
  }
  const progress = [...plan.folds.values()].some((it) => it.progress.chunks > 0);
  // What follows from an end comes after the last commit about the job: the line in the log of the
  // fleet, and of each edge that gets a document the report that it has seen it.
  const isEnd = plan.endedJobs.size > 0;
  const answers = isEnd ? plan.shadows.size : 0;
  // The row of the cell, one of each edge and of each report, and one that counts what was done.
  const own = 1 + plan.works.size + reports + (progress ? 1 : 0);
  // Of those that come from the shelf no status is written that could say so.
  const { groups, taken } = plan.shelf ?? { groups: nothing, taken: nothing };
  const moved = groups.size + 2 * taken.size;
  return {
    rows: own + moved + answers + (isEnd ? 1 : 0),
    documents: plan.shadows.size,
    reports: reports + answers,
    calls: 1 + reports + answers,
  };
}

/** The rows that are a job's own. */
export function rowsByJob(plan: Decided): ReadonlyMap<JobId, number> {
  const rows = new Map<JobId, number>();
  const add = (id: JobId, more = 1) => rows.set(id, (rows.get(id) ?? 0) + more);
  for (const id of plan.jobStatuses.keys()) add(id);
  for (const [id, { events, eventsIn }] of plan.folds) {
    if (eventsIn === 'rows') add(id, events.length);
  }
  for (const id of plan.slices.keys()) if (plan.slicesInLeases?.has(id) !== true) add(id);
  for (const [id, { hadSliceRow }] of plan.shelf?.shelved ?? []) add(id, hadSliceRow ? 3 : 2);
  for (const { job, edge } of plan.executions) if (plan.closings?.get(job) !== edge) add(job);
  for (const { job } of plan.chunkEnds) add(job);
  for (const id of plan.endedJobs) add(id, plan.endedWithoutSlice?.has(id) === true ? 1 : 2);
  return rows;
}
