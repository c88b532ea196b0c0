import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import { type JobOptions, makeCell, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { withReport } from '../stage.ts';

const job = jobIdOf('job');
const foldedByCell = true;

function cellWith(options: JobOptions = {}): Cell {
  const intent = { foldedByCell, ...options.intent };
  return makeCell({
    edges: makeEdges(1),
    jobs: [makeJob(job, { chunks: 1, chunkPower: 10, ...options, intent })],
  });
}

function planFor(cell: Cell, atMs = startMs, shared: ReadonlySet<typeof job> = new Set()) {
  const { plan } = reconcileSafely(cell, atMs, shared);
  expect(violationsOf(cell, plan!)).toEqual([]);
  return plan!;
}

test('a pass writes the status of a job that its cell alone has, from submit to end', () => {
  const submitted = cellWith();
  const first = planFor(submitted);
  expect(first.folds.get(job)).toMatchObject({
    seen: null,
    next: { state: 'scheduled', countedAs: 'scheduled', counts: { scheduled: 1, total: 1 } },
    events: [{ kind: 'scheduled', atMs: startMs }],
    progress: { chunks: 0, jobs: 0 },
  });
  expect(first.jobStatuses.get(job)?.foldedByCell).toBe(true);
  expect(first.meta?.summary.jobStates).toMatchObject({ scheduled: 1, total: 1 });

  const placed = applyPlan(submitted, first);
  const reported = withReport(placed, 'edge-0', { [job]: { done: '0' } }, startMs + 1_000);
  const last = planFor(reported, startMs + 2_000);
  expect(last.endedJobs.has(job)).toBe(true);
  expect(last.folds.get(job)).toMatchObject({
    seen: 'scheduled',
    next: { state: 'done', counts: { done: 1 }, endedAtMs: startMs + 2_000 },
    events: [{ kind: 'done' }],
    progress: { chunks: 1, jobs: 1 },
  });
  const states = last.meta?.summary.jobStates;
  expect(states).toMatchObject({ scheduled: 0, done: 1, total: 1 });
});

test.each<[string, JobOptions]>([
  ['several cells have it, or it waits for others', { intent: { foldedByCell: false } }],
  ['its user cancelled it', { intent: { cancelled: true } }],
  ['its user retried it', { intent: { retryEpoch: 1 } }],
  ['others have a part in its status', { slice: { foldedByRollup: true } }],
])('the rollup folds it when %s', (_, options) => {
  const plan = planFor(cellWith(options));
  expect(plan.folds.size).toBe(0);
  expect(plan.jobStatuses.get(job)?.foldedByCell).toBe(false);
});

test('a job that is shared is left to the rollup for good', () => {
  const cell = cellWith();
  const plan = planFor(cell, startMs, new Set([job]));
  expect(plan.folds.size).toBe(0);
  expect(plan.jobStatuses.get(job)?.foldedByCell).toBe(false);
  expect(applyPlan(cell, plan).jobs.get(job)?.slice.foldedByRollup).toBe(true);
  expect(plan.meta?.summary.jobStates.total).toBe(0);
});

test('a plan in which nobody writes the status, or two do, is refused', () => {
  const cell = cellWith();
  const plan = planFor(cell);
  const sentence = 'nobody writes the status of job, or two do';
  expect(violationsOf(cell, { ...plan, folds: new Map() })).toEqual([{ sentence, jobs: [job] }]);
});
