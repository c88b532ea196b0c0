import { expect, test } from 'vitest';
import type { CellOffer } from '../../../core/fleet/choose-cells.ts';
import { planSpread } from '../../../core/fleet/spread.ts';
import { emptySummary } from '../../../core/model/cell-summary.ts';
import { moveJobsMax } from '../../../core/model/limits.ts';
import { cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import { everywhereCellsMax, spreadsMax } from '../../../core/services/limits.ts';

const jobs = (...names: string[]) => names.map(jobIdOf);

function offer(index: number, everywhere: string[], edges = 4, pool = 'default'): CellOffer {
  const summary = {
    ...emptySummary,
    edges: { ...emptySummary.edges, total: edges },
    ...(everywhere.length > 0 && { everywhere: jobs(...everywhere) }),
  };
  return { id: cellIdOf(`${pool}.${index}`), pool, summary };
}

test('a job that runs everywhere comes to cells of its pool that have edges and not yet the job', () => {
  const offers = [
    offer(0, ['web', 'log']),
    offer(1, ['log']),
    offer(2, []),
    offer(3, [], 0),
    offer(0, [], 4, 'other'),
  ];
  expect(planSpread(offers, 0)).toEqual([
    { from: 'default.0', to: 'default.1', jobs: ['web'] },
    { from: 'default.1', to: 'default.2', jobs: ['log'] },
  ]);
});

test('who gives it on changes with the minute, and nothing is to do where all have it', () => {
  const offers = [offer(0, ['web']), offer(1, ['web']), offer(2, [])];
  const givers = [0, 1, 2].map((turn) => planSpread(offers, turn)[0]?.from);
  expect(givers).toEqual(['default.0', 'default.1', 'default.0']);
  expect(planSpread([offer(0, ['web']), offer(1, ['web'])], 0)).toEqual([]);
  expect(planSpread([offer(0, []), offer(1, [])], 0)).toEqual([]);
});

test('a minute brings a bounded number of jobs to a bounded number of cells', () => {
  const many = Array.from({ length: moveJobsMax + 2 }, (_, at) => `job-${at}`);
  const cells = Array.from({ length: 2 * spreadsMax }, (_, at) => offer(at + 1, []));
  const spreads = planSpread([offer(0, many), ...cells], 0);
  expect(spreads).toHaveLength(spreadsMax);
  expect(spreads.every((it) => it.jobs.length === moveJobsMax)).toBe(true);
});

test('a job is in no more cells than one transaction can change', () => {
  const cells = Array.from({ length: 100 }, (_, at) => offer(at, at < 75 ? ['web'] : []));
  const coming = planSpread(cells, 0).map(({ to }) => to);
  expect(coming).toEqual([75, 76, 77, 78, 79].map((at) => `default.${at}`));
  expect(coming.length + 75).toBe(everywhereCellsMax);
});
