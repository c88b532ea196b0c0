import { expect, test } from 'vitest';
import { chooseRanges } from '../../../core/fleet/move-ranges.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { count, formatRanges, rangeOf } from '../../../core/model/ranges.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { isPlain } from '../../../core/shelf/groups.ts';
import { makeCell, makeEdges, makeJob, startMs, withIntent } from '../cell-fixture.ts';
import { held, pass, rest, slice, withReport } from '../stage.ts';

const job = jobIdOf('job-a');

test('what waits is cancelled at once, what is held is taken away, what is done stays', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 9 })] }), startMs);
  cell = pass(
    withReport(cell, 'edge-0', { [job]: { done: '0', running: '1-2' } }, startMs),
    startMs,
  );
  const holds = held(cell, job)['edge-0']!;
  const asked = withIntent(cell, job, { cancelledRanges: rangeOf(0, 2) });
  const plan = reconcile(asked, startMs);
  expect([...plan.shadows]).toEqual(['edge-0']);
  expect(plan.endedJobs.size).toBe(0);
  expect(plan.jobStatuses.get(job)).toMatchObject({
    reason: null,
    counts: { done: 1, cancelled: 1 },
  });
  const after = rest(asked, startMs).cell;
  expect(formatRanges(slice(after, job).cancelled)).toBe('1');
  expect(holds.startsWith('1')).toBe(true);
  expect(held(after, job)['edge-0']!.startsWith('2')).toBe(true);
});

test('a job ends when the others have, and says of which nothing came', () => {
  let cell = makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 4 })] });
  cell = pass(withIntent(cell, job, { cancelledRanges: rangeOf(1, 4) }), startMs);
  expect(Object.values(held(cell, job))).toEqual(['0']);
  const [edge] = Object.keys(held(cell, job));
  const plan = reconcile(withReport(cell, edge!, { [job]: { done: '0' } }, startMs), startMs);
  expect([...plan.endedJobs]).toEqual([job]);
  expect(plan.jobStatuses.get(job)).toMatchObject({
    reason: null,
    counts: { done: 1, cancelled: 3, pending: 0 },
  });
});

test('a job of which all chunks are cancelled leaves, also while it waits for others', () => {
  for (const blockedByDependencies of [false, true]) {
    const intent = { cancelledRanges: rangeOf(0, 4), blockedByDependencies };
    const plan = reconcile(makeCell({ jobs: [makeJob(job, { intent })] }), startMs);
    expect([...plan.endedJobs]).toEqual([job]);
    expect(plan.jobStatuses.get(job)!.counts).toMatchObject({ cancelled: 4 });
  }
});

test('a result of a cancelled chunk that comes too late does not count', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 2 })] }), startMs);
  cell = pass(withReport(cell, 'edge-0', { [job]: { running: '0-1' } }, startMs), startMs);
  cell = pass(withIntent(cell, job, { cancelledRanges: rangeOf(0, 1) }), startMs);
  cell = pass(withReport(cell, 'edge-0', { [job]: { done: '0', running: '1' } }, startMs), startMs);
  expect(slice(cell, job).done).toEqual([]);
  expect(formatRanges(slice(cell, job).cancelled)).toBe('0');
});

test('chunks on more edges than a plan has rows take several passes, and none is forgotten', () => {
  const big = makeJob(job, { chunks: 500 });
  let { cell } = rest(makeCell({ edges: makeEdges(200), jobs: [big] }), startMs);
  cell = withIntent(cell, job, { cancelledRanges: rangeOf(1, 500) });
  const { plans, cell: after } = rest(cell, startMs);
  expect(plans.length).toBeGreaterThan(3);
  expect(count(slice(after, job).cancelled)).toBe(499);
  expect(Object.values(held(after, job))).toEqual(['0']);
});

test('a retry brings back what died and was wanted, and nothing that was cancelled', () => {
  const retries = { attempts: 1, backoffSeconds: 0, maxFailedChunks: null };
  let cell = makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 4, retries })] });
  cell = pass(cell, startMs);
  cell = pass(
    withReport(
      cell,
      'edge-0',
      {
        [job]: {
          failed: [
            [0, 1],
            [1, 1],
          ],
        },
      },
      startMs,
    ),
    startMs,
  );
  expect(formatRanges(slice(cell, job).dead)).toBe('0-1');
  cell = pass(withIntent(cell, job, { cancelledRanges: rangeOf(1, 3) }), startMs);
  const before = cell.meta.summary.chunks.cancelled;
  cell = withReport(cell, 'edge-0', {}, startMs);
  cell = rest(withIntent(cell, job, { retryEpoch: 1 }), startMs).cell;
  expect(formatRanges(slice(cell, job).cancelled)).toBe('1-2');
  expect(held(cell, job)).toEqual({ 'edge-0': '0,3' });
  expect(cell.meta.summary.chunks.cancelled).toBe(before + 1);
});

test('a job without such a wish is decided about as before, and its status stays the cell’s', () => {
  const intent = { foldedByCell: true };
  const cell = makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 1, intent })] });
  expect(reconcile(cell, startMs).folds.has(job)).toBe(true);
  const asked = withIntent(cell, job, { cancelledRanges: rangeOf(0, 1) });
  expect(reconcile(asked, startMs).folds.has(job)).toBe(false);
});

test('cancelled chunks go neither onto a shelf nor into another cell', () => {
  const plain = makeJob(job, { chunks: 4, intent: { foldedByCell: true } });
  expect(isPlain(plain.intent, plain.slice)).toBe(true);
  expect(isPlain({ ...plain.intent, cancelledRanges: rangeOf(0, 1) }, plain.slice)).toBe(false);
  const full = makeCell({ jobs: [makeJob(job, { intent: { cancelledRanges: rangeOf(0, 3) } })] });
  const idle = makeCell({ edges: makeEdges(4) });
  const chosen = chooseRanges(full, idle, { power: 1_000, stranded: false }, startMs);
  expect(formatRanges(chosen.get(job)!)).toBe('3');
});
