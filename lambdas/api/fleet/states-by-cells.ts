import type { CellMeta } from '../../../core/model/cell.ts';
import type { JobState } from '../../../core/model/job.ts';
import type { JobStats } from '../../../core/ports/job-stats.ts';

/** What the rollup counts, and what passes count of the jobs whose status they write themselves. */
export function withStatesOfCells(jobs: JobStats, metas: readonly CellMeta[]): JobStats {
  const sum = (name: JobState | 'total') =>
    metas.reduce((all, { summary }) => all + summary.jobStates[name], 0);
  const states = Object.entries(jobs.states) as [JobState, number][];
  return {
    ...jobs,
    states: Object.fromEntries(
      states.map(([state, count]) => [state, count + sum(state)]),
    ) as JobStats['states'],
    total: jobs.total + sum('total'),
  };
}
