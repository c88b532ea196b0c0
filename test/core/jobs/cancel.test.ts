import { expect, test } from 'vitest';
import { cancel, purge } from '../../../core/jobs/cancel.ts';
import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { startMs } from '../cell-fixture.ts';
import { inCell, jobId, north, south, storedJob } from './job-fixture.ts';

const cells: JobCells = new Map([
  [north, inCell(true)],
  [south, inCell(false)],
]);

test('every cell that has the job is asked, and no other', () => {
  expect(cancel(storedJob(), cells, startMs)).toEqual({
    kind: 'cancel',
    id: jobId,
    seenVersion: 7,
    atMs: startMs,
    cells: [north],
    detail: 'Its cancellation was asked for.',
  });
});

test('what has ended or is cancelled already stays as it is', () => {
  for (const found of [
    storedJob({ state: 'done' }),
    storedJob({ state: 'failed' }),
    storedJob({ cancelledAtMs: startMs }),
  ]) {
    expect(cancel(found, cells, startMs + 1)).toEqual({ kind: 'unchanged' });
  }
});

test('only a job that has ended is purged', () => {
  expect(purge(storedJob({ state: 'cancelled' }))).toEqual({ kind: 'purge', id: jobId });
  expect(purge(storedJob())).toMatchObject({ problem: { code: 'not-finished' } });
});
