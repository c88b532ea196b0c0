import { expect, test } from 'vitest';
import type { Cell, CellJob } from '../../../core/model/cell.ts';
import { placementRowsMin, planRowsMax } from '../../../core/model/limits.ts';
import { type EdgeName, type JobId, jobIdOf } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { type RangeSet, rangeOf } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { rowsOf, violationsOf } from '../../../core/scheduler/invariants.ts';
import { marksOf } from '../../../core/scheduler/plan/slice-in-lease.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import { type SeededRandom, seededRandom } from '../../sim/seeded-random.ts';
import { makeCell, makeEdges, makeJob, startMs, withEdge } from '../cell-fixture.ts';
import { type ReportedJob, withReport } from '../stage.ts';

const job = jobIdOf('job');

/** Jobs as they are stored when they were submitted: each is one row. */
function submitted(chunks: number, edges = 1, jobs = 1): Cell {
  const intent = { foldedByCell: true };
  const made = Array.from({ length: jobs }, (_, at) => {
    const id = jobs === 1 ? job : `job-${String(at).padStart(3, '0')}`;
    return { ...makeJob(id, { chunks, chunkPower: 10, intent }), hasNoSliceRow: true as const };
  });
  return makeCell({ edges: makeEdges(edges, { power: 2_000 }), jobs: made });
}

function planFor(cell: Cell, atMs = startMs): Plan {
  const { plan, refused } = reconcileSafely(cell, atMs);
  expect(refused).toEqual([]);
  return plan!;
}

function next(cell: Cell, atMs = startMs): { plan: Plan; after: Cell } {
  const plan = planFor(cell, atMs);
  return { plan, after: applyPlan(cell, plan) };
}

const leaseOf = (cell: Cell, edge = 'edge-0') =>
  [...cell.edges.values()].find(({ name }) => name === edge)?.work?.leases.get(job);

test('the slice of a job that one edge holds lies in its lease, from placement to end', () => {
  const { plan, after } = next(submitted(1));
  expect([...plan.slicesInLeases!]).toEqual([job]);
  expect(leaseOf(after)?.slice).toEqual(marksOf(after.jobs.get(job)!.slice));
  expect(after.jobs.get(job)).toMatchObject({ hasNoSliceRow: true });
  // Its status, the work of the edge, the execution.
  expect(rowsOf(plan)).toBe(3);
  const running = withReport(after, 'edge-0', { [job]: { running: '0' } }, startMs + 1);
  const second = next(running, startMs + 1);
  expect(leaseOf(second.after)?.slice).toMatchObject({ countedAs: 'running' });
  expect(second.plan.slicesInLeases?.has(job)).toBe(true);
  const done = withReport(second.after, 'edge-0', { [job]: { done: '0' } }, startMs + 2);
  const last = planFor(done, startMs + 2);
  expect(last.endedWithoutSlice?.has(job)).toBe(true);
  expect([...last.closings!]).toEqual([[job, 'edge-0']]);
  // Status, work, and the intent goes.
  expect(rowsOf(last)).toBe(3);
});

test('it gets a row once there is more to say', () => {
  const { after } = next(submitted(3));
  expect(leaseOf(after)?.slice).toBeDefined();
  const partly = withReport(after, 'edge-0', { [job]: { done: '0' } }, startMs + 1);
  const { plan, after: then } = next(partly, startMs + 1);
  expect(plan.slices.get(job)?.done).toEqual(rangeOf(0, 1));
  expect(plan.slicesInLeases).toBeUndefined();
  expect(leaseOf(then)?.slice).toBeUndefined();
  expect(then.jobs.get(job)?.hasNoSliceRow).toBeUndefined();
});

test('a job on two edges has a row', () => {
  const cell = submitted(400, 2);
  const { plan } = next(cell);
  expect(plan.works.size).toBe(2);
  expect(plan.slices.has(job)).toBe(true);
  expect(plan.slicesInLeases).toBeUndefined();
});

test('a slice that has a row keeps it', () => {
  const made = makeJob(job, { chunks: 1, chunkPower: 10, intent: { foldedByCell: true } });
  const plan = planFor(makeCell({ edges: makeEdges(1), jobs: [made] }));
  expect(plan.slices.has(job)).toBe(true);
  expect(plan.slicesInLeases).toBeUndefined();
});

test('a pass places as many more jobs as it writes fewer rows', () => {
  const plan = planFor(submitted(1, 1, 100));
  expect(plan.folds.size).toBe(Math.floor((planRowsMax - 1) / 2));
  expect(rowsOf(plan)).toBeLessThanOrEqual(planRowsMax);
  expect(plan.lookAgainAtMs).toBe(startMs);
});

test('as many jobs end in a pass as fit: two rows each', () => {
  let cell = submitted(1, 1, 60);
  for (let at = 0; at < 3; at++) cell = next(cell).after;
  const entries = Object.fromEntries([...cell.jobs.keys()].map((id) => [id, { done: '0' }]));
  const reported = withReport(cell, 'edge-0', entries, startMs + 1);
  const plan = planFor(reported, startMs + 1);
  expect(plan.endedJobs.size).toBeGreaterThan((planRowsMax - placementRowsMin) / 2 - 3);
  expect(rowsOf(plan)).toBeLessThanOrEqual(planRowsMax);
});

test.each([1, 2, 3, 4, 5, 6])('whatever edges say, what is spared is not needed: %i', (seed) => {
  const random = seededRandom(seed);
  let cell = submitted(1, 3, 150);
  for (let at = 1; at < 40; at++) {
    const atMs = startMs + at * 1_000;
    for (const edge of cell.edges.keys()) {
      if (random.chance(0.1)) cell = connectedOr(cell, edge, random.chance(0.5));
      const held = [...(cell.edges.get(edge)?.work?.leases ?? [])];
      const entries = held.map(([id, { ranges }]) => [id, entryOf(random, ranges)] as const);
      cell = withReport(cell, edge, Object.fromEntries(entries), atMs);
    }
    const { plan, after } = next(cell, atMs);
    expect(rowsOf(plan)).toBeLessThanOrEqual(planRowsMax);
    cell = after;
    if (at % 4 === 0) cell = { ...cell, jobs: new Map([...cell.jobs, ...waitingInVain(at)]) };
  }
});

function entryOf(random: SeededRandom, ranges: RangeSet): ReportedJob {
  if (ranges.length === 0 || random.chance(0.2)) return {};
  if (random.chance(0.1)) return { failed: [[0, 1]] };
  return random.chance(0.4) ? { running: '0' } : { done: '0' };
}

function connectedOr(cell: Cell, edge: EdgeName, connected: boolean): Cell {
  const report = { ...cell.edges.get(edge)!.report!, connected };
  return withEdge(cell, edge, { report });
}

/** The status of each says once why it waits, as soon as a plan has rows for it. */
function waitingInVain(at: number): [JobId, CellJob][] {
  const requires = { labels: { site: 'nowhere' }, expressions: [], edges: [] };
  return Array.from({ length: 60 }, (_, each) => {
    const id = `wait-${at}-${each}`;
    const made = makeJob(id, {
      chunks: 1,
      chunkPower: 10,
      requires,
      intent: { foldedByCell: true },
    });
    return [jobIdOf(id), { ...made, hasNoSliceRow: true }];
  });
}

test('a plan that leaves a slice nowhere is refused', () => {
  const cell = submitted(1);
  const { plan, after } = next(cell);
  const works = new Map([...plan.works].map(([name, it]) => [name, withoutSlices(it)]));
  const sentences = violationsOf(cell, { ...plan, works }).map(({ sentence }) => sentence);
  expect(sentences).toEqual([`the slice of ${job} is nowhere`]);
  const running = withReport(after, 'edge-0', { [job]: { running: '0' } }, startMs + 1);
  const { slicesInLeases: _, ...later } = planFor(running, startMs + 1);
  const lost = { ...later, slices: new Map(), works: new Map([...later.works].map(bare)) };
  expect(violationsOf(running, lost).map(({ sentence }) => sentence)).toEqual([
    `the slice of ${job} goes with its lease`,
  ]);
});

type Works = Plan['works'];
type Work = Works extends ReadonlyMap<unknown, infer W> ? W : never;

function withoutSlices(work: Work): Work {
  const leases = [...work.leases].map(([id, { slice: _, ...lease }]) => [id, lease] as const);
  return { ...work, leases: new Map(leases) };
}

const bare = <N>([name, work]: readonly [N, Work]) => [name, withoutSlices(work)] as const;
