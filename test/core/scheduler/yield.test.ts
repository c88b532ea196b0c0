import { expect, test } from 'vitest';
import { openPass } from '../../../core/scheduler/pass/draft.ts';
import { leaveUnmet } from '../../../core/scheduler/pass/yield.ts';
import { makeCell, makeJob, startMs } from '../cell-fixture.ts';

test('of each queue and priority the first job without room speaks for all', () => {
  const jobs = [
    makeJob('job-a'),
    makeJob('job-b'),
    makeJob('job-c', { queue: 'other' }),
    makeJob('job-d', { priority: 60 }),
  ];
  const pass = openPass(makeCell({ jobs }), startMs, 99);
  for (const job of pass.jobs.values()) leaveUnmet(pass, job, 10);
  expect(pass.unmet.map(({ job, power }) => [job.id, power])).toEqual([
    ['job-a', 20],
    ['job-c', 10],
    ['job-d', 10],
  ]);
});
