import { expect, test } from 'vitest';
import { progressEveryMs } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import type { Work, WorkEntry } from '../../../core/protocol/work.ts';
import { isRefill, mayWait } from '../../../edge-agent/edge/arrived-work.ts';
import { progressEveryMsMax } from '../../../edge-agent/limits.ts';
import { makeProgressPace } from '../../../edge-agent/report/progress-pace.ts';

const a = jobIdOf('job-a');
const b = jobIdOf('job-b');

test('progress is reported every second at first, and ever more rarely the longer a job lasts', () => {
  const pace = makeProgressPace();
  const waits = [0, 2_000, 8_000, 60_000, 3_600_000].map((atMs) => pace.waitMs(a, atMs));
  expect(waits).toEqual([progressEveryMs, progressEveryMs, 2_000, 15_000, progressEveryMsMax]);
  expect(pace.waitMs(b, 3_600_000)).toBe(progressEveryMs);
});

test('a job that left and returns begins anew', () => {
  const pace = makeProgressPace();
  pace.waitMs(a, 0);
  pace.keepOnly(new Set());
  expect(pace.waitMs(a, 60_000)).toBe(progressEveryMs);
});

function work(jobs: Record<string, Partial<WorkEntry>>): Work {
  const entry: WorkEntry = {
    ranges: rangeOf(0, 9),
    slots: 1,
    chunkPower: 1,
    specHash: 'h',
    release: emptyRanges,
    attempts: new Map(),
    inlineSpec: null,
  };
  const entries = Object.entries(jobs).map(
    ([job, over]) => [jobIdOf(job), { ...entry, ...over }] as const,
  );
  return { epoch: 1, acknowledgedSequence: null, jobs: new Map(entries) };
}

test('more of the same is a refill; a new job, and reclaimed chunks, are not', () => {
  const applied = work({ 'job-a': {}, 'job-b': {} });
  expect(isRefill(applied, work({ 'job-a': { ranges: rangeOf(5, 99) } }))).toBe(true);
  expect(isRefill(applied, work({ 'job-a': {}, 'job-c': {} }))).toBe(false);
  expect(isRefill(applied, work({ 'job-a': { release: rangeOf(7, 9) } }))).toBe(false);
});

test('who runs instances of a service confirms each document soon, and others a refill later', () => {
  const applied = work({ 'job-a': {} });
  const more = work({ 'job-a': { ranges: rangeOf(5, 99) } });
  const running = (isInstance: boolean) => {
    const chunk = { attempt: 1, power: 1, stopping: false, isInstance };
    return new Map([[jobIdOf('job-a'), new Map([[0, chunk]])]]);
  };
  expect(mayWait(running(false), applied, more)).toBe(true);
  expect(mayWait(running(true), applied, more)).toBe(false);
  expect(mayWait(running(false), applied, work({ 'job-c': {} }))).toBe(false);
  expect(mayWait(new Map(), applied, more)).toBe(false);
});
