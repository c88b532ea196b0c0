import { expect, test } from 'vitest';
import { cancelRanges } from '../../../core/jobs/cancel-ranges.ts';
import type { JobCells } from '../../../core/jobs/job-cells.ts';
import { cancelledRangesLengthMax } from '../../../core/jobs/limits.ts';
import { fromChunks, rangeOf } from '../../../core/model/ranges.ts';
import { startMs } from '../cell-fixture.ts';
import { inCell, jobId, north, south, storedJob } from './job-fixture.ts';

const cells: JobCells = new Map([
  [north, inCell(true)],
  [south, inCell(false)],
]);

test('every cell that has the job learns all that was ever cancelled of it', () => {
  const { job, status } = storedJob();
  const found = { job: { ...job, cancelledRanges: rangeOf(8, 9) }, status };
  expect(cancelRanges(found, cells, rangeOf(0, 3))).toEqual({
    kind: 'cancel-ranges',
    id: jobId,
    seenVersion: 7,
    cancelledRanges: [0, 3, 8, 9],
    cells: [north],
    detail: 'Chunks 0-2 are not wanted any more.',
  });
});

test('a repeat changes nothing, unless a cell does not know of it yet', () => {
  const { job, status } = storedJob();
  const found = { job: { ...job, cancelledRanges: rangeOf(0, 3) }, status };
  const aware = new Map([...cells, [north, { ...inCell(true), cancelledRanges: rangeOf(0, 3) }]]);
  expect(cancelRanges(found, aware, rangeOf(1, 3))).toEqual({ kind: 'unchanged' });
  expect(cancelRanges(found, cells, rangeOf(1, 3))).toMatchObject({ cells: [north] });
});

test('a job that has ended or is cancelled stays as it is', () => {
  for (const found of [storedJob({ state: 'done' }), storedJob({ cancelledAtMs: startMs })]) {
    expect(cancelRanges(found, cells, rangeOf(0, 1))).toEqual({ kind: 'unchanged' });
  }
});

test('chunks that the job has not are refused, by the name of the parameter', () => {
  const refused = cancelRanges(storedJob(), cells, rangeOf(15, 17));
  expect(refused).toMatchObject({
    problem: { code: 'invalid-request', errors: [{ pointer: '?ranges' }] },
  });
});

test('an instance of a service is not cancelled for good', () => {
  const restart = {
    policy: 'always' as const,
    backoffSeconds: 1,
    backoffSecondsMax: 300,
    resetAfterSeconds: 600,
  };
  expect(cancelRanges(storedJob({ spec: { restart } }), cells, rangeOf(0, 1))).toMatchObject({
    problem: { code: 'conflict' },
  });
});

test('what is cancelled of a job has a bound', () => {
  const { job, status } = storedJob();
  const many = fromChunks(Array.from({ length: cancelledRangesLengthMax }, (_, at) => 2 * at));
  const found = { job: { ...job, chunking: { ...job.chunking, chunks: 1_000_000 } }, status };
  expect(cancelRanges(found, cells, many)).toMatchObject({ problem: { code: 'conflict' } });
});
