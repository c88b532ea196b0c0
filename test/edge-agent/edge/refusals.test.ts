import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import type { Step } from '../../../edge-agent/edge/next-steps.ts';
import { makeRefusals } from '../../../edge-agent/edge/refusals.ts';

const refuse = (job: string, reason: string) =>
  ({ kind: 'refuse', job: jobIdOf(job), reason }) as Step;

test('a refused job is said once, and what is refused now is all that is', () => {
  const lines: string[] = [];
  const refusals = makeRefusals((line) => lines.push(line));
  expect(refusals.take([refuse('job-a', 'no image')])).toBe(true);
  expect(refusals.take([refuse('job-a', 'no image')])).toBe(false);
  expect(refusals.take([refuse('job-a', 'no image'), refuse('job-b', 'no disk')])).toBe(true);
  expect(lines).toEqual(['refuses job job-a: no image', 'refuses job job-b: no disk']);
  expect(refusals.take([refuse('job-b', 'no disk')])).toBe(true);
  expect([...refusals.byJob()]).toEqual([['job-b', 'no disk']]);
  expect(lines).toHaveLength(2);
});
