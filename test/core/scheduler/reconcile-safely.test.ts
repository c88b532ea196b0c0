import { expect, test } from 'vitest';
import type { Cell, Slice } from '../../../core/model/cell.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { Plan } from '../../../core/model/plan.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { explain } from '../../../core/scheduler/explain.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import { makeCell, makeEdges, makeJob, plainConfig, startMs, withEdge } from '../cell-fixture.ts';
import { held, rest, withReport } from '../stage.ts';

/**
 * What a pass does about a job of which nonsense is stored: a mistake in a decision looks the same.
 */
const [broken, good] = [jobIdOf('broken'), jobIdOf('good')];

function withSlice(cell: Cell, change: Partial<Slice>): Cell {
  const job = cell.jobs.get(broken)!;
  const jobs = new Map(cell.jobs).set(broken, { ...job, slice: { ...job.slice, ...change } });
  return { ...cell, jobs };
}

/** Two edges, each with chunks of both jobs; of one job a chunk is done and dead. */
function damaged(): Cell {
  const jobs = [
    makeJob('broken', { chunks: 6, chunkPower: 50 }),
    makeJob('good', { chunks: 20, chunkPower: 50 }),
  ];
  const { cell } = rest(makeCell({ edges: makeEdges(2), jobs }), startMs);
  const reported = withReport(
    cell,
    'edge-0',
    { broken: { done: '0', running: '1' }, good: { done: '0', running: '1' } },
    startMs + 500,
  );
  return withSlice(reported, { done: rangeOf(5, 6), dead: rangeOf(5, 6) });
}

const atMs = startMs + 1_000;

function safePass(cell: Cell): { cell: Cell; plan: Plan; sentences: string[] } {
  const { plan, refused } = reconcileSafely(cell, atMs);
  if (plan === null) throw new Error('nothing was decided');
  return {
    cell: applyPlan(cell, plan),
    plan,
    sentences: refused.map(({ sentence }) => sentence),
  };
}

test('everything else goes on; the job says why it does not, once', () => {
  const before = damaged();
  const first = safePass(before);
  expect(first.sentences.join('\n')).toContain('broken: 5 ended twice');
  expect(first.cell.jobs.get(good)!.slice.done).toEqual(rangeOf(0, 1));
  const status = first.plan.jobStatuses.get(broken)!;
  expect(status.waiting.map(({ reason }) => reason)).toEqual(['inconsistent']);
  expect(explain(first.cell, broken, atMs)).toEqual(status.waiting);
  const second = safePass(first.cell);
  expect(second.plan.jobStatuses.has(broken)).toBe(false);
  let cell = second.cell;
  for (let passes = 0; passes < 20; passes++) cell = safePass(cell).cell;
  expect(safePass(cell).plan.meta).toBeNull();
});

test('its leases stay as they are, and what they take is not given away', () => {
  const before = damaged();
  let cell = before;
  for (let passes = 0; passes < 20; passes++) cell = safePass(cell).cell;
  expect(held(cell, 'broken')).toEqual(held(before, 'broken'));
  for (const edge of cell.edges.values()) {
    const slots = [...edge.work!.leases.values()].map((lease) =>
      Math.min(lease.slots, lease.ranges.length === 0 ? 0 : lease.slots),
    );
    expect(slots.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(5);
  }
});

test('an edge that leaves waits for it', () => {
  const cell = withEdge(damaged(), edgeNameOf('edge-0'), {
    config: { ...plainConfig, removing: { force: true } },
  });
  const after = safePass(cell);
  expect(after.plan.removedEdges.size).toBe(0);
  expect(held(after.cell, 'good')['edge-0']).toBeUndefined();
  expect(held(after.cell, 'broken')['edge-0']).toBe(held(cell, 'broken')['edge-0']);
});

test('it goes on by itself when what was wrong has gone', () => {
  const stuck = safePass(damaged()).cell;
  const mended = withSlice(stuck, { done: emptyRanges, dead: emptyRanges });
  const after = safePass(mended);
  expect(after.sentences).toEqual([]);
  expect(after.cell.jobs.get(broken)!.slice.reportedReasons).not.toContain('inconsistent');
});

test('whoever cancels it gets rid of it', () => {
  let { cell } = safePass(damaged());
  const job = cell.jobs.get(broken)!;
  const intent = { ...job.intent, cancelled: true };
  cell = { ...cell, jobs: new Map(cell.jobs).set(broken, { ...job, intent }) };
  for (let passes = 0; passes < 20; passes++) cell = safePass(cell).cell;
  expect(cell.jobs.has(broken)).toBe(false);
  expect(held(cell, 'broken')).toEqual({});
});

test('where no job is to blame nothing is decided', () => {
  const cell = damaged();
  const lost = { ...cell, meta: { ...cell.meta, version: Number.NaN } };
  const { plan, refused } = reconcileSafely(lost, atMs);
  expect(plan).toBeNull();
  expect(refused[0]?.sentence).toContain('the plan goes from NaN');
});

test('a retry that comes when the job is over ends it again, and is no contradiction', () => {
  const made = makeJob('late', { chunks: 2, chunkPower: 50, intent: { retryEpoch: 1 } });
  const { intent, slice } = made;
  const late = {
    ...made,
    intent: { ...intent, spec: { ...intent.spec, deadlineSeconds: 1 } },
    slice: { ...slice, done: rangeOf(0, 1), dead: rangeOf(1, 2) },
  };
  const { plan, refused } = reconcileSafely(
    makeCell({ edges: makeEdges(1), jobs: [late] }),
    startMs + 60_000,
  );
  expect(refused).toEqual([]);
  expect([...plan!.endedJobs]).toEqual(['late']);
});
