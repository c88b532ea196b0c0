import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, CellJob } from '../../../core/model/cell.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { isEmpty } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { type MemoryShelf, shelfAfter, withNextOf } from '../../memory/shelf.ts';
import {
  type JobOptions,
  makeCell,
  makeEdge,
  makeJob,
  startMs,
  withEdge,
  withIntent,
} from '../cell-fixture.ts';

/** A cell with what stands on its shelf. */
type Stored = { cell: Cell; shelf: MemoryShelf; passes: number; nextLookMs: number | null };

const heads = 2;

function stored(cell: Cell, shelfHeads = heads): Stored {
  return { cell: { ...cell, shelfHeads }, shelf: new Map(), passes: 0, nextLookMs: null };
}

/** Passes until nothing changes any more, each checked. */
function settle(at: Stored, nowMs: number): void {
  for (;;) {
    const cell = withNextOf(at.shelf, at.cell);
    const plan = reconcile(cell, nowMs);
    expect(violationsOf(cell, plan)).toEqual([]);
    at.nextLookMs = plan.lookAgainAtMs;
    if (plan.meta === null) return;
    if (++at.passes > 500) throw new Error('the passes never come to rest');
    at.cell = applyPlan(cell, plan);
    at.shelf = shelfAfter(at.shelf, plan);
  }
}

function waiting(number: number, options: JobOptions = {}): CellJob {
  const { intent, ...others } = options;
  const submittedAtMs = startMs + number;
  const known = { foldedByCell: true, submittedAtMs, ...intent };
  const job = makeJob(nameOf(number), { chunks: 1, chunkPower: 10, ...others, intent: known });
  return { ...job, hasNoSliceRow: true };
}

const nameOf = (number: number) => `job-${String(number).padStart(3, '0')}`;

function crowd(count: number, options: JobOptions = {}, from = 0): CellJob[] {
  return Array.from({ length: count }, (_, at) => waiting(from + at, options));
}

/** An edge that holds so many chunks of 10. It gets no more than 100 before it proved itself. */
function edgeFor(chunks: number) {
  return makeEdge('edge-0', { power: Math.max(1, chunks * 10) });
}

function withRoom(cell: Cell, chunks: number): Cell {
  const { facts } = cell.edges.get(edgeNameOf('edge-0'))!;
  return withEdge(cell, 'edge-0', {
    facts: { ...facts!, capacity: { power: Math.max(1, chunks * 10) } },
  });
}

function placed({ cell }: Stored): JobId[] {
  const leases = cell.edges.get(edgeNameOf('edge-0'))?.work?.leases ?? new Map();
  return [...leases].flatMap(([id, { ranges }]) => (isEmpty(ranges) ? [] : [id])).sort();
}

test('of many jobs that need the same the first stay, and all are counted', () => {
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs: crowd(90) }));
  settle(at, startMs + 1_000);
  const kept = [...at.cell.jobs.keys()].sort();
  expect(kept.slice(0, heads)).toEqual([nameOf(0), nameOf(1)]);
  expect(kept.length).toBeLessThanOrEqual(2 * heads);
  const { jobs, chunks, backlogPower } = at.cell.meta.summary;
  expect({ jobs, pending: chunks.pending, backlogPower }).toEqual({
    jobs: 90,
    pending: 90,
    backlogPower: 900,
  });
});

test('jobs that few need the same with are not moved', () => {
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs: crowd(2 * heads) }));
  settle(at, startMs + 1_000);
  expect([at.cell.shelf, at.shelf.size]).toEqual([undefined, 0]);
});

test.each([
  ['a gang', { placement: { policy: 'spread', maxEdges: null, nodes: 2 } }],
  ['wanted on one edge', { requires: { labels: {}, expressions: [], edges: ['edge-0'] } }],
  ['blocked by others', { intent: { blockedByDependencies: true } }],
  ['in several cells', { intent: { foldedByCell: false } }],
] as const)('%s stays in the cell', (_, options) => {
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs: crowd(10, options as JobOptions) }));
  settle(at, startMs + 1_000);
  expect([at.cell.jobs.size, at.shelf.size]).toEqual([10, 0]);
});

test('as room comes they are placed in their order, with late arrivals behind them', () => {
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs: crowd(30) }));
  settle(at, startMs + 1_000);
  const late = waiting(99);
  at.cell = { ...at.cell, jobs: new Map(at.cell.jobs).set(late.id, late) };
  for (let room = 1; room <= 30; room++) {
    at.cell = withRoom(at.cell, room);
    settle(at, startMs + 2_000);
    expect(placed(at)).toEqual(Array.from({ length: room }, (_, number) => nameOf(number)));
  }
  at.cell = withRoom(at.cell, 31);
  settle(at, startMs + 2_000);
  expect(placed(at)).toContain(late.id);
  expect([at.cell.shelf, at.shelf.size]).toEqual([undefined, 0]);
});

test('what runs out of time on the shelf ends in time', () => {
  const jobs = crowd(30, { deadlineSeconds: 60 });
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs }));
  settle(at, startMs + 1_000);
  expect(at.shelf.size).toBeGreaterThan(20);
  const lastMs = startMs + 29 + 60_000;
  for (let nowMs = startMs + 1_000; nowMs < lastMs; ) {
    expect(at.nextLookMs).not.toBeNull();
    nowMs = at.nextLookMs!;
    expect(nowMs).toBeLessThanOrEqual(lastMs);
    settle(at, nowMs);
  }
  expect([at.cell.jobs.size, at.shelf.size]).toEqual([0, 0]);
  expect(at.cell.meta.summary.chunks.cancelled).toBe(30);
});

test('a job that its user brought back is counted once', () => {
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs: crowd(20) }));
  settle(at, startMs + 1_000);
  const { group, job } = at.shelf.get(jobIdOf(nameOf(10)))!;
  at.shelf = new Map([...at.shelf].filter(([id]) => id !== job.id));
  const back = { ...job, recalledFrom: group };
  at.cell = { ...at.cell, jobs: new Map(at.cell.jobs).set(job.id, back) };
  settle(at, startMs + 2_000);
  expect(at.cell.meta.summary.jobs).toBe(20);
  expect(at.cell.jobs.get(job.id)?.recalledFrom).toBeUndefined();
  at.cell = withIntent(at.cell, job.id, { cancelled: true });
  settle(at, startMs + 3_000);
  expect(at.cell.meta.summary.jobs).toBe(19);
});

test('one that is cancelled as it comes back is counted no more', () => {
  const at = stored(makeCell({ edges: [edgeFor(0)], jobs: crowd(20) }));
  settle(at, startMs + 1_000);
  const { group, job } = at.shelf.get(jobIdOf(nameOf(10)))!;
  at.shelf = new Map([...at.shelf].filter(([id]) => id !== job.id));
  const intent = { ...job.intent, cancelled: true };
  const back = { ...job, intent, recalledFrom: group };
  at.cell = { ...at.cell, jobs: new Map(at.cell.jobs).set(job.id, back) };
  settle(at, startMs + 2_000);
  expect(at.cell.meta.summary.jobs).toBe(19);
});

const lines = fc.array(
  fc.record({
    priority: fc.constantFrom(10, 50),
    queue: fc.constantFrom('default', 'strict', 'small'),
    chunkPower: fc.constantFrom(10, 20, 90),
    jobs: fc.integer({ min: 1, max: 14 }),
  }),
  { minLength: 1, maxLength: 5 },
);

test('what is placed is what would be if all jobs were in the cell', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 3 }), (drawn, shelfHeads) => {
      const jobs = drawn.flatMap(({ jobs: count, ...options }, line) =>
        crowd(count, options, line * 20),
      );
      const queues = new Map([
        ['strict', { weight: 2, strict: true, quota: null }],
        ['small', { weight: 1, strict: false, quota: 40 }],
      ]);
      const cell = makeCell({ edges: [edgeFor(0)], jobs, queues });
      const [all, shelved] = [stored(cell, 1_000), stored(cell, shelfHeads)];
      for (const room of [0, 1, 2, 3, 5, 8, 13, 21]) {
        for (const at of [all, shelved]) {
          at.cell = withRoom(at.cell, room);
          settle(at, startMs + 1_000);
        }
        expect(placed(shelved)).toEqual(placed(all));
        const { jobStates: _, ...counted } = shelved.cell.meta.summary;
        expect(all.cell.meta.summary).toMatchObject(counted);
      }
    }),
    { numRuns: Number(process.env.EDGEWISE_PROPERTY_RUNS ?? 60) },
  );
});
