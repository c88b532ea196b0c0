import type { Cell } from '../../../core/model/cell.ts';
import { isFinal } from '../../../core/model/job.ts';
import type { JobId } from '../../../core/model/names.ts';
import type { JobFold } from '../../../core/model/plan.ts';
import type { Bug } from './bugs.ts';

/** Bugs in who writes the status of a job: its only cell, or the rollup of several. */
export const foldBugs: readonly Bug[] = [
  {
    name: 'an-end-is-not-written',
    sentence: 'the pass that ends a job leaves its state as it was',
    commit: (plan) => ({ ...plan, folds: new Map([...plan.folds].map(withoutEnd)) }),
  },
  {
    name: 'one-cell-tells-for-two',
    sentence: 'a cell goes on writing the status of a job that has moved to another one in part',
    load: (cell) => withSlices(cell),
  },
  {
    name: 'slice-without-a-row',
    sentence: 'a slice that says more than a lease can carry gets no row all the same',
    commit: (plan) => ({ ...plan, slicesInLeases: new Set(plan.slices.keys()) }),
  },
  {
    name: 'slice-goes-with-its-lease',
    sentence: 'a slice that lay in a lease is written nowhere when the lease is over',
    decides: (plan) => ({
      ...plan,
      slices: new Map([...plan.slices].filter(([id]) => plan.slicesInLeases?.has(id))),
    }),
  },
];

/** Of what goes on, the next commit would notice: the state is not the one that it wrote. */
function withoutEnd([id, fold]: [JobId, JobFold]): [JobId, JobFold] {
  const state = isFinal(fold.next.state) ? 'running' : fold.next.state;
  return [id, { ...fold, next: { ...fold.next, state, countedAs: state } }];
}

function withSlices(cell: Cell): Cell {
  const jobs = [...cell.jobs].map(([id, job]) => {
    return [id, { ...job, slice: { ...job.slice, foldedByRollup: false } }] as const;
  });
  return { ...cell, jobs: new Map(jobs) };
}
