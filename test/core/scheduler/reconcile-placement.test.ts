import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Cell, noEdgeWork } from '../../../core/model/cell.ts';
import { retryElsewhereMs } from '../../../core/model/limits.ts';
import { edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import { count, emptyRanges } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { explain } from '../../../core/scheduler/explain.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdge, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { checkCapacity, checkChunks, freeOf } from '../invariants.ts';
import { held, leaseOf, rest } from '../stage.ts';

/** Where chunks go: policies, resources, kinds of edges, gangs and the size of the document. */

const edgeShape = fc.record({
  power: fc.integer({ min: 10, max: 1_000 }),
  cores: fc.nat({ max: 16 }),
  gpus: fc.nat({ max: 4 }),
});
const jobShape = fc.record({
  chunks: fc.integer({ min: 1, max: 300 }),
  power: fc.integer({ min: 1, max: 120 }),
  extra: fc.nat({ max: 60 }),
  cores: fc.nat({ max: 2 }),
  gpus: fc.nat({ max: 1 }),
  policy: fc.constantFrom('spread' as const, 'pack' as const, 'fastest' as const),
});

test('no policy ever exceeds a capacity, gives a chunk twice or leaves room unused', () => {
  fc.assert(
    fc.property(
      fc.array(edgeShape, { minLength: 1, maxLength: 30 }),
      fc.array(jobShape, { minLength: 1, maxLength: 5 }),
      (edges, jobs) => {
        const { cell } = rest(
          makeCell({
            edges: edges.map(({ power, cores, gpus }, i) =>
              makeEdge(`edge-${i}`, { power, resources: { cores, gpus } }),
            ),
            jobs: jobs.map(({ chunks, power, extra, cores, gpus, policy }, i) =>
              makeJob(`job-${i}`, {
                chunks,
                chunkPower: power,
                lastChunkPower: power + extra,
                resources: { cores, gpus },
                placement: { policy, maxEdges: null, nodes: null },
              }),
            ),
          }),
          startMs,
        );
        checkChunks(cell);
        checkCapacity(cell);
        for (const job of cell.jobs.values()) checkNoRoomLeft(cell, job.id);
      },
    ),
    { numRuns: 100 },
  );
});

function checkNoRoomLeft(cell: Cell, id: JobId): void {
  const { intent } = cell.jobs.get(id)!;
  let leased = 0;
  for (const edge of cell.edges.values())
    leased += count(leaseOf(cell, edge.name, id)?.ranges ?? emptyRanges);
  // The last chunk may be too large for what is left.
  if (leased >= intent.chunking.chunks - 1) return;
  for (const edge of cell.edges.values()) {
    const free = freeOf(cell, edge);
    const fits = Object.entries(intent.spec.resources).every(([name, n]) => (free[name] ?? 0) >= n);
    expect(fits && free.power! >= intent.chunking.chunkPower).toBe(false);
  }
}

test('spread leaves edges within one chunk of equal utilisation', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 50, max: 1_000 }), { minLength: 2, maxLength: 30 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 25 }),
      (powers, chunks, chunkPower) => {
        const edges = powers.map((power, i) => makeEdge(`edge-${i}`, { power }));
        const jobs = [makeJob('job-a', { chunks, chunkPower })];
        const { cell } = rest(makeCell({ edges, jobs }), startMs);
        const used = powers.map((power, i) => {
          const slots = count(leaseOf(cell, `edge-${i}`, 'job-a')?.ranges ?? emptyRanges);
          return { level: (slots * chunkPower) / power, step: chunkPower / power, slots };
        });
        for (const high of used) {
          if (high.slots === 0) continue;
          for (const low of used) {
            if (low.level + low.step > 1) continue;
            expect(high.level - high.step).toBeLessThanOrEqual(low.level + low.step + 1e-9);
          }
        }
      },
    ),
  );
});

test('pack uses as few edges as possible', () => {
  const placement = { policy: 'pack' as const, maxEdges: null, nodes: null };
  const edges = [100, 300, 500, 200].map((power, i) => makeEdge(`edge-${i}`, { power }));
  const of = (chunks: number) => {
    const jobs = [makeJob('job-a', { chunks, chunkPower: 100, placement })];
    return Object.keys(held(rest(makeCell({ edges, jobs }), startMs).cell, 'job-a'));
  };
  expect(of(5)).toEqual(['edge-2']);
  expect(of(1)).toEqual(['edge-0']);
  expect(of(7)).toEqual(['edge-2', 'edge-3']);
});

test('resources other than power bound a placement and are the reason', () => {
  const edges = [makeEdge('edge-0', { resources: { gpus: 1 } }), makeEdge('edge-1', {})];
  const jobs = [makeJob('job-a', { chunks: 3, chunkPower: 10, resources: { gpus: 1 } })];
  const { cell, plans } = rest(makeCell({ edges, jobs }), startMs);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  const [first] = plans.at(-1)!.jobStatuses.get(jobIdOf('job-a'))!.waiting;
  expect(first).toMatchObject({ reason: 'no-free-gpus', chunks: 2, edges: 2 });
});

test('maxEdges bounds the edges that a job holds at once', () => {
  const placement = { policy: 'spread' as const, maxEdges: 2, nodes: null };
  const jobs = [makeJob('job-a', { chunks: 40, placement })];
  const { cell, plans } = rest(makeCell({ edges: makeEdges(6), jobs }), startMs);
  expect(Object.keys(held(cell, 'job-a'))).toHaveLength(2);
  const waiting = plans.at(-1)!.jobStatuses.get(jobIdOf('job-a'))!.waiting;
  expect(waiting[0]).toMatchObject({ reason: 'max-edges' });
});

test('a gang gets all its edges in one plan or nothing', () => {
  const gang = (id: string) =>
    makeJob(id, {
      chunks: 3,
      chunkPower: 200,
      placement: { policy: 'spread', maxEdges: null, nodes: 3 },
    });
  const two = reconcile(makeCell({ edges: makeEdges(2), jobs: [gang('job-a')] }), startMs);
  expect(two.works.size).toBe(0);
  expect(two.jobStatuses.get(jobIdOf('job-a'))!.waiting[0]).toMatchObject({
    reason: 'gang-incomplete',
    chunks: 3,
  });
  const jobs = [gang('job-a'), gang('job-b')];
  const { cell } = rest(makeCell({ edges: makeEdges(5), jobs }), startMs);
  expect(Object.values(held(cell, 'job-a'))).toEqual(['0', '1', '2']);
  expect(held(cell, 'job-b')).toEqual({});
});

test('a gang of more chunks than edges runs all of them at once, unevenly if it must', () => {
  const placement = { policy: 'spread' as const, maxEdges: null, nodes: 2 };
  const edges = [makeEdge('edge-0', { power: 400 }), makeEdge('edge-1', { power: 100 })];
  const jobs = [makeJob('job-a', { chunks: 5, placement })];
  const { cell } = rest(makeCell({ edges, jobs }), startMs);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0-3', 'edge-1': '4' });
});

test('the work document is a capacity: it never grows beyond its bytes', () => {
  const jobs = Array.from({ length: 150 }, (_, i) =>
    makeJob(`job-${String(i).padStart(16, '0')}`, { chunks: 1, chunkPower: 1 }),
  );
  const edges = [makeEdge('edge-0', { power: 10_000 })];
  const { cell, plans } = rest(makeCell({ edges, jobs }), startMs);
  const size = cell.edges.get(edgeNameOf('edge-0'))!.work!.leases.size;
  expect(size).toBeGreaterThan(30);
  expect(size).toBeLessThan(100);
  const reportedReasons = plans.flatMap((plan) => [...plan.jobStatuses.values()]);
  const full = reportedReasons.filter(({ waiting }) => waiting[0]?.reason === 'shadow-full');
  expect(full.length).toBeGreaterThan(0);
  for (const { waiting } of full) {
    expect(waiting).toMatchObject([{ chunks: 1, edges: 1, examples: ['edge-0'] }]);
  }
});

test('edges in no state for work get none', () => {
  const cordoned = { reason: 'disk', sinceMs: startMs };
  const edges = [
    makeEdge('edge-0', { connected: false }),
    makeEdge('edge-1', { report: null }),
    makeEdge('edge-2', { config: { cordoned } }),
    makeEdge('edge-3', { config: { drain: { reason: 'x', deadlineAtMs: null } } }),
    makeEdge('edge-4', { labels: { site: 'north' } }),
  ];
  const requires = { labels: { site: 'south' }, expressions: [], edges: [] };
  const jobs = [makeJob('job-a', { requires })];
  const plan = reconcile(makeCell({ edges, jobs }), startMs);
  expect(plan.works.size).toBe(0);
  const reasons = plan.jobStatuses.get(jobIdOf('job-a'))!.waiting.map(({ reason }) => reason);
  expect(reasons).toEqual(['labels-do-not-match']);
  const open = reconcile(makeCell({ edges: edges.slice(0, 4), jobs: [makeJob('job-b')] }), startMs);
  const reportedReasons = open.jobStatuses.get(jobIdOf('job-b'))!.waiting;
  expect(reportedReasons).toMatchObject(
    [
      { reason: 'no-edges', edges: 0, detail: 'no edge is connected' },
      { reason: 'edge-disconnected', edges: 2, examples: ['edge-0', 'edge-1'] },
      { reason: 'edge-cordoned', edges: 2 },
    ].slice(1),
  );
});

test('with no edge connected the reason is no-edges', () => {
  const jobs = [makeJob('job-a')];
  for (const edges of [[], makeEdges(3, { connected: false })]) {
    const plan = reconcile(makeCell({ edges, jobs }), startMs);
    const [first] = plan.jobStatuses.get(jobIdOf('job-a'))!.waiting;
    expect(first).toMatchObject({ reason: 'no-edges', chunks: 4 });
  }
});

test('a chunk that failed goes to a healthy edge at once, however much room others have', () => {
  const failed = { failures: 1, dueAtMs: startMs, last: 'exit 1' };
  const retries = new Map([[0, failed]]);
  const job = makeJob('job-a', { chunks: 1, slice: { retries } });
  const failing = { ...noEdgeWork, failuresInRow: 3 };
  const bad = makeEdge('edge-0', { power: 10_000, work: failing });
  const healthy = makeEdge('edge-1', { power: 100 });
  const plan = reconcile(makeCell({ edges: [bad, healthy], jobs: [job] }), startMs);
  expect([...plan.shadows]).toEqual(['edge-1']);
  // Where there is none with room it waits for one, and says so.
  const other = makeJob('job-0', { chunks: 1, priority: 90, requires: only('edge-1') });
  const cell = makeCell({ edges: [bad, healthy], jobs: [other, job] });
  const busy = reconcile(cell, startMs);
  expect([...busy.shadows]).toEqual(['edge-1']);
  const waits = applyPlan(cell, busy);
  expect(explain(waits, job.id, startMs)).toMatchObject([
    { reason: 'backoff', chunks: 1, edges: 1, examples: ['edge-0'] },
    { reason: 'no-free-power', chunks: 1, edges: 1, examples: ['edge-1'] },
  ]);
  const [why] = explain(waits, job.id, startMs);
  expect(why?.detail).toContain('another edge');
  // After a minute any edge may take it, and nothing is avoided any more.
  expect(explain(waits, job.id, startMs + retryElsewhereMs)).toEqual([]);
  // Before its time it waits for that, whoever is free.
  expect(explain(waits, job.id, startMs - 1)).toMatchObject([{ reason: 'backoff', edges: 0 }]);
});

function only(edge: string) {
  return { labels: {}, expressions: [], edges: [edge] };
}

test('a chunk that no edge could ever hold says so', () => {
  const jobs = [makeJob('job-a', { chunkPower: 900 })];
  const plan = reconcile(makeCell({ edges: makeEdges(3), jobs }), startMs);
  expect(plan.jobStatuses.get(jobIdOf('job-a'))!.waiting).toMatchObject([
    { reason: 'chunk-larger-than-any-edge', edges: 3 },
  ]);
});

test('a plan never has more rows than a transaction, and asks for the next pass at once', () => {
  const jobs = Array.from({ length: 40 }, (_, i) =>
    makeJob(`job-${i}`, { chunks: 50, chunkPower: 5 }),
  );
  const { plans, cell } = rest(makeCell({ edges: makeEdges(120), jobs }), startMs);
  expect(plans.length).toBeGreaterThan(5);
  for (const plan of plans.slice(0, -1)) expect(plan.lookAgainAtMs).toBe(startMs);
  checkChunks(cell);
});
