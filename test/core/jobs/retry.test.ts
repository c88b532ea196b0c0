import { expect, test } from 'vitest';
import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { type JobRetry, retry } from '../../../core/jobs/retry.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { Execution } from '../../../core/model/plan.ts';
import { rangeOf } from '../../../core/model/ranges.ts';
import { startMs } from '../cell-fixture.ts';
import { inCell, jobId, north, south, storedJob } from './job-fixture.ts';

const failed = storedJob({ state: 'failed', counts: { pending: 1, done: 12, dead: 3 } });
const ended = inCell(false, { done: rangeOf(0, 4), dead: rangeOf(4, 6) });
const open = inCell(true, { done: rangeOf(6, 14), dead: rangeOf(14, 15) });

test('where the job is open its epoch is raised, and a pass that ends it there is overtaken', () => {
  const change = retry(failed, new Map([[north, open]]), []) as JobRetry;
  expect(change).toMatchObject({ id: jobId, seenVersion: 7, retryEpoch: 1 });
  expect([change.raised, change.overtaken]).toEqual([[north], [north]]);
  expect(change.reopened.size).toBe(0);
});

test('where the job has ended it begins again, and nothing done is forgotten', () => {
  const execution = { edge: edgeNameOf('edge-1'), done: rangeOf(0, 4) } as Execution;
  const change = retry(failed, new Map([[south, ended]]), [execution]) as JobRetry;
  const { intent, slice } = change.reopened.get(south)!;
  expect(intent).toMatchObject({ retryEpoch: 1, cancelled: false, blockedByDependencies: false });
  expect(slice).toMatchObject({
    ranges: rangeOf(0, 6),
    done: rangeOf(0, 4),
    dead: rangeOf(4, 6),
    // Behind the intent: that is what brings the dead ones back.
    retryEpoch: 0,
  });
  expect([...slice.doneBeforeReopening]).toEqual([['edge-1', rangeOf(0, 4)]]);
  expect([change.raised, change.overtaken]).toEqual([[], []]);
});

test('attempts are numbered on, however often the job has ended and begun again', () => {
  const counted = { ...ended.status!, attemptsUsed: 7 };
  const cells: JobCells = new Map([[south, { isOpen: false, status: counted }]]);
  const change = retry(failed, cells, []) as JobRetry;
  expect(change.reopened.get(south)!.slice.attemptsUsed).toBe(7);
});

test('a cell without dead chunks is left alone', () => {
  const cells: JobCells = new Map([
    [north, inCell(true, { done: rangeOf(0, 4) })],
    [south, { isOpen: true, status: null }],
  ]);
  const change = retry(failed, cells, []) as JobRetry;
  expect([change.raised, change.reopened.size]).toEqual([[], 0]);
});

test('what was dead is pending until the next fold', () => {
  const change = retry(failed, new Map([[north, open]]), []) as JobRetry;
  expect(change.status).toEqual({
    state: 'pending',
    counts: { ...failed.status.counts, dead: 0, pending: 4 },
    endedAtMs: null,
    reason: null,
    retrying: [[north, 1]],
  });
  expect(change.detail).toBe('3 dead chunks run again.');
});

test('nothing dead, or cancelled: refused', () => {
  const cells: JobCells = new Map([[north, open]]);
  expect(retry(storedJob(), cells, [])).toMatchObject({ problem: { code: 'nothing-to-retry' } });
  const cancelled = storedJob({ counts: { dead: 1 }, cancelledAtMs: startMs });
  expect(retry(cancelled, cells, [])).toMatchObject({ problem: { code: 'conflict' } });
});
