import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { foldJob, newJobStatus, percentOf } from '../../../core/model/job-status.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import type { FoldedStatus } from '../../../core/model/plan.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeCellStatus, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { connect, leaseOf, rest, withReport } from '../stage.ts';

const job = jobIdOf('job');

function stage(edges = 1): Cell {
  const options = {
    chunks: 4,
    chunkPower: 100,
    lastChunkPower: 103,
    intent: { foldedByCell: true },
  };
  const cell = makeCell({ edges: makeEdges(edges, { power: 403 }), jobs: [makeJob(job, options)] });
  return rest(cell, startMs).cell;
}

function passOf(cell: Cell, atMs: number): { cell: Cell; next: FoldedStatus } {
  const plan = reconcile(cell, atMs);
  const fold = plan.folds.get(job);
  expect(fold).toBeDefined();
  return { cell: applyPlan(cell, plan), next: fold!.next };
}

test('chunks of 100, 100, 100 and 103 at 50, 0, 0 and 0 percent are 12 percent', () => {
  const reported = withReport(
    stage(),
    'edge-0',
    { [job]: { running: '0-3', percents: [[0, 50]] } },
    startMs + 1_000,
  );
  const { cell, next } = passOf(reported, startMs + 1_000);
  expect(next.counts).toMatchObject({ running: 4, done: 0 });
  expect(percentOf(next)).toBe(12);
  expect(leaseOf(cell, 'edge-0', job)?.percents).toEqual(new Map([[0, 50]]));
  expect(reconcile(cell, startMs + 1_000).meta).toBeNull();
});

test('what has risen is written, what is reported again or lower is not', () => {
  const at = (cell: Cell, percent: number, atMs: number) =>
    withReport(cell, 'edge-0', { [job]: { running: '0-3', percents: [[0, percent]] } }, atMs);
  const first = passOf(at(stage(), 50, startMs + 1_000), startMs + 1_000).cell;
  expect(reconcile(at(first, 50, startMs + 2_000), startMs + 2_000).folds.size).toBe(0);
  expect(reconcile(at(first, 10, startMs + 2_000), startMs + 2_000).folds.size).toBe(0);
  const { next } = passOf(at(first, 80, startMs + 2_000), startMs + 2_000);
  expect(percentOf(next)).toBe(Math.floor(8_000 / 403));
});

test('only chunks that run here count, and done ones in full', () => {
  const percents: [number, number][] = [
    [0, 90],
    [2, 30],
    [3, 99],
    [77, 99],
  ];
  const report = { running: '1-2', done: '0', percents };
  const reported = withReport(stage(), 'edge-0', { [job]: report }, startMs + 1_000);
  const { next } = passOf(reported, startMs + 1_000);
  expect(percentOf(next)).toBe(Math.floor((100 * (100 + 30)) / 403));
});

test('it never falls: not with the edge that is lost, nor when its chunks begin anew', () => {
  const reported = withReport(
    stage(2),
    'edge-0',
    { [job]: { running: '0', percents: [[0, 90]] } },
    startMs + 1_000,
  );
  const { cell, next } = passOf(reported, startMs + 1_000);
  expect(percentOf(next)).toBe(22);
  const gone = rest(connect(cell, 'edge-0', false, startMs + 2_000), startMs + 400_000);
  const folds = gone.plans.flatMap((plan) => [...plan.folds.values()]);
  expect(folds.length).toBeGreaterThan(0);
  for (const fold of folds) expect(percentOf(fold.next)).toBe(22);
  expect(leaseOf(gone.cell, 'edge-0', job)?.percents).toBeUndefined();
});

test('over several cells it is added up, and does not fall either', () => {
  const chunking = { chunks: 4, chunkPower: 100, lastChunkPower: 103 };
  const submitted = newJobStatus({
    ...{ job, name: null, pool: 'default', queue: 'default', labels: {}, chunking },
    ...{ cells: [], dependsOn: [], createdAtMs: startMs, maxFailedChunks: null },
  });
  const cells = [
    makeCellStatus(job, { donePower: 100, workedPower: 150 }),
    makeCellStatus(job, { workedPower: 20 }),
  ];
  const first = foldJob(submitted, cells, startMs);
  expect(percentOf(first)).toBe(Math.floor(17_000 / 403));
  const later = foldJob(first, [cells[0]!, makeCellStatus(job)], startMs);
  expect(percentOf(later)).toBe(percentOf(first));
  const done = foldJob(later, [makeCellStatus(job, { donePower: 200 })], startMs);
  expect(done).not.toHaveProperty('workedPower');
});
