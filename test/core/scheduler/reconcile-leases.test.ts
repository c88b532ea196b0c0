import { expect, test } from 'vitest';
import { type Cell, type Lease, noEdgeWork } from '../../../core/model/cell.ts';
import { shadowBytesMax } from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import {
  count,
  emptyRanges,
  formatRanges,
  fromChunks,
  intersect,
  rangeOf,
} from '../../../core/model/ranges.ts';
import { encodeWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  plainConfig,
  startMs,
  withEdge,
} from '../cell-fixture.ts';
import { checkCapacity, freeOf } from '../invariants.ts';
import { held, leaseOf, pass, rest, slice, withReport } from '../stage.ts';

/**
 * How leases change while they run: reclaimed, refilled, widened, shrunk, and applied in parts.
 */

const job = jobIdOf('job-a');
const one = edgeNameOf('edge-0');

function leased(over: Partial<Lease>): Lease {
  return {
    ranges: emptyRanges,
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots: 2,
    running: emptyRanges,
    grantedAtMs: startMs,
    startedAtMs: startMs,
    chunkMs: null,
    heldBefore: emptyRanges,
    doneHere: emptyRanges,
    deadHere: emptyRanges,
    ...over,
  };
}

/** The cell with this lease on the first edge, at epoch 4, applied. */
function holding(cell: Cell, lease: Partial<Lease>, id = job): Cell {
  const before = cell.edges.get(one)!.work ?? { ...noEdgeWork, epoch: 4, writtenAtMs: startMs };
  const leases = new Map(before.leases).set(id, leased(lease));
  return withReport(withEdge(cell, one, { work: { ...before, leases } }), one, {}, startMs);
}

test('reclaimed chunks are named in the document and stay until the edge has applied that', () => {
  const edges = makeEdges(2);
  const asked = { ranges: rangeOf(0, 20), running: rangeOf(0, 2), chunkMs: 5_000 };
  let cell = holding(
    makeCell({ edges, jobs: [makeJob(job, { chunks: 20, chunkPower: 125 })] }),
    asked,
  );
  const reported = { running: '0-1', chunkMs: 5_000 };
  cell = rest(withReport(cell, one, { [job]: reported }, startMs), startMs).cell;
  const work = cell.edges.get(one)!.work!;
  const { reclaiming } = leaseOf(cell, one, job)!;
  expect(count(reclaiming)).toBe(9);
  expect(work.epoch).toBe(5);
  expect(encodeWork(workOf(work, cell.jobs)).w[job]).toMatchObject({
    r: '0-19',
    u: formatRanges(reclaiming),
  });
  // A report of the document before says nothing about it, whatever has started meanwhile.
  for (const running of ['0-1', '0-2']) {
    cell = rest(
      withReport(cell, one, { [job]: { ...reported, running } }, startMs, 4),
      startMs,
    ).cell;
    expect(held(cell, job)).toEqual({ 'edge-0': '0-19' });
  }
  cell = rest(withReport(cell, one, { [job]: reported }, startMs, 5), startMs).cell;
  expect(Object.keys(held(cell, job))).toEqual(['edge-0', 'edge-1']);
});

test('what runs at the end of a lease is not reclaimed', () => {
  const asked = { ranges: rangeOf(0, 20), running: rangeOf(18, 20), chunkMs: 5_000 };
  const cell = holding(
    makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 20, chunkPower: 125 })] }),
    asked,
  );
  const reported = { running: '18-19', chunkMs: 5_000 };
  const after = rest(withReport(cell, one, { [job]: reported }, startMs), startMs).cell;
  const { reclaiming } = leaseOf(after, one, job)!;
  expect(count(reclaiming)).toBe(9);
  expect(intersect(reclaiming, rangeOf(18, 20))).toEqual(emptyRanges);
});

test('a report too large for one plan is acknowledged only when all of it is applied', () => {
  const retries = { attempts: 2, backoffSeconds: 60, maxFailedChunks: null };
  let cell = makeCell({ edges: [makeEdge(one)], jobs: [makeJob(job, { chunks: 150, retries })] });
  cell = holding(cell, { ranges: rangeOf(0, 150) });
  const failed = Array.from({ length: 150 }, (_, chunk): [number, number] => [chunk, 1]);
  cell = withReport(cell, one, { [job]: { failed } }, startMs);
  const sequence = cell.edges.get(one)!.report!.progress!.sequence;
  const { plans } = rest(cell, startMs);
  expect(plans.length).toBeGreaterThan(1);
  const acknowledgedSequence = plans.map((plan) => plan.works.get(one)?.acknowledgedSequence);
  expect(acknowledgedSequence[0]).not.toBe(sequence);
  expect(acknowledgedSequence.at(-1)).toBe(sequence);
  expect(plans.flatMap((plan) => plan.chunkEnds)).toHaveLength(150);
});

test('results that many others hold by now are applied in as many plans as it takes', () => {
  let cell = makeCell({ edges: makeEdges(120), jobs: [makeJob(job, { chunks: 200 })] });
  cell = rest(withEdge(cell, one, { report: null }), startMs).cell;
  expect(Object.keys(held(cell, job))).toHaveLength(119);
  // It ran them all before it was lost, and the others got them.
  cell = holding(cell, { heldBefore: rangeOf(0, 200) });
  const report = cell.edges.get(edgeNameOf('edge-1'))!.report;
  cell = withReport(withEdge(cell, one, { report }), one, { [job]: { done: '0-199' } }, startMs);
  const { cell: after, plans } = rest(cell, startMs);
  expect(plans.length).toBeGreaterThan(3);
  expect(after.jobs.size).toBe(0);
  expect(after.meta.summary.chunks.done).toBe(200);
  expect(plans.flatMap((plan) => plan.executions).some(({ edge }) => edge === one)).toBe(true);
});

test('a smaller capacity takes slots away but what runs may end, and nothing new comes meanwhile', () => {
  let cell = makeCell({
    edges: [makeEdge(one, { power: 400 })],
    jobs: [makeJob(job, { chunks: 50 })],
  });
  cell = holding(cell, { ranges: rangeOf(0, 10), slots: 4, running: rangeOf(0, 4) });
  cell = withReport(cell, one, { [job]: { running: '0-3' } }, startMs);
  const { config } = cell.edges.get(one)!;
  cell = withEdge(cell, one, { config: { ...config, capacity: { power: 250 } } });
  const other = makeJob('job-b', { chunks: 5, chunkPower: 10, priority: 90 });
  cell = rest({ ...cell, jobs: new Map(cell.jobs).set(other.id, other) }, startMs).cell;
  expect(held(cell, 'job-b')).toEqual({});
  expect(leaseOf(cell, one, job)!.slots).toBeLessThan(4);
  cell = rest(
    withReport(cell, one, { [job]: { done: '0-2', running: '3' } }, startMs),
    startMs,
  ).cell;
  expect(Object.keys(held(cell, 'job-b'))).toEqual([one]);
  checkCapacity(cell);
});

test('a refill does not give back the slots that a smaller capacity took away', () => {
  let cell = makeCell({
    edges: [makeEdge(one, { power: 300 })],
    jobs: [makeJob(job, { chunks: 12 })],
  });
  cell = holding(cell, { ranges: rangeOf(0, 3), slots: 3, running: rangeOf(0, 3) });
  const config = { ...plainConfig, capacity: { power: 200 } };
  cell = withReport(withEdge(cell, one, { config }), one, { [job]: { running: '0-2' } }, startMs);
  // After each pass, not only in the end: what is written in between is what the edge runs.
  for (let passes = 0; passes < 3; passes++) {
    cell = pass(cell, startMs);
    expect(leaseOf(cell, one, job)!.slots).toBe(2);
    checkCapacity(cell);
  }
});

test('a refill does not take back slots that others use by now', () => {
  const jobs = [makeJob(job, { chunks: 1_000 }), makeJob('job-b', { chunks: 1, priority: 90 })];
  let cell = makeCell({ edges: [makeEdge(one, { power: 200 })], jobs });
  cell = holding(cell, { ranges: rangeOf(1, 2), slots: 2, doneHere: rangeOf(0, 1) });
  cell = rest(
    withReport(cell, one, { [job]: { running: '1', chunkMs: 10 } }, startMs),
    startMs,
  ).cell;
  expect(Object.keys(held(cell, 'job-b'))).toEqual([one]);
  expect(count(leaseOf(cell, one, job)!.ranges)).toBeGreaterThan(1);
  checkCapacity(cell);
});

test('an edge that runs more than it was given, as after a restore, is not refilled', () => {
  const jobs = [makeJob(job, { chunks: 1_000 })];
  let cell = makeCell({ edges: [makeEdge(one, { power: 100 })], jobs });
  cell = holding(cell, { ranges: rangeOf(1, 3), slots: 1, doneHere: rangeOf(0, 1) });
  cell = withReport(cell, one, { [job]: { running: '1-2', chunkMs: 10 } }, startMs);
  const plan = reconcile(cell, startMs);
  expect(violationsOf(cell, plan)).toEqual([]);
  expect(plan.works.get(one)?.leases.get(job)?.ranges).toEqual(rangeOf(1, 3));
});

test('room that nobody waits for lets a lease run more of what it has', () => {
  let cell = makeCell({
    edges: [makeEdge(one, { power: 500 })],
    jobs: [makeJob(job, { chunks: 10 })],
  });
  cell = holding(cell, { ranges: rangeOf(0, 10), slots: 2, running: rangeOf(0, 2) });
  cell = rest(withReport(cell, one, { [job]: { running: '0-1' } }, startMs), startMs).cell;
  expect(leaseOf(cell, one, job)!.slots).toBe(5);
  expect(freeOf(cell, cell.edges.get(one)!).power).toBe(0);
});

test('scattered chunks fill a document by their text: the lease gets as many as fit', () => {
  const scattered = fromChunks(Array.from({ length: 20_000 }, (_, i) => i * 3 + 1_000_000));
  const big = makeJob(job, { chunks: 2_000_000, chunkPower: 1, slice: { ranges: scattered } });
  let cell = rest(
    makeCell({ edges: [makeEdge(one, { power: 5_000 })], jobs: [big] }),
    startMs,
  ).cell;
  const bytes = () => {
    const work = workOf(cell.edges.get(one)!.work!, cell.jobs);
    return JSON.stringify(encodeWork(work)).length;
  };
  expect(count(leaseOf(cell, one, job)!.ranges)).toBeGreaterThan(400);
  expect(bytes()).toBeLessThan(shadowBytesMax);
  const [first] = leaseOf(cell, one, job)!.ranges;
  const reported = { done: `${first}`, chunkMs: 1 };
  cell = rest(withReport(cell, one, { [job]: reported }, startMs), startMs).cell;
  expect(bytes()).toBeLessThan(shadowBytesMax);
});

test('failed chunks go to an edge without failures first', () => {
  const retries = { attempts: 5, backoffSeconds: 1, maxFailedChunks: null };
  let cell = makeCell({
    edges: makeEdges(2, { power: 100 }),
    jobs: [makeJob(job, { chunks: 30, retries })],
  });
  cell = pass(cell, startMs);
  const good = formatRanges(leaseOf(cell, 'edge-1', job)!.ranges);
  cell = rest(withReport(cell, 'edge-1', { [job]: { done: good } }, startMs), startMs).cell;
  const [bad] = leaseOf(cell, one, job)!.ranges;
  cell = rest(withReport(cell, one, { [job]: { failed: [[bad!, 1]] } }, startMs), startMs).cell;
  expect(slice(cell, job).retries.has(bad!)).toBe(true);
  cell = rest(withReport(cell, one, {}, startMs + 2_000), startMs + 2_000).cell;
  expect(held(cell, job)[one]?.split(',')).not.toContain(`${bad}`);
  const now = formatRanges(leaseOf(cell, 'edge-1', job)!.ranges);
  cell = rest(
    withReport(cell, 'edge-1', { [job]: { done: now } }, startMs + 3_000),
    startMs + 3_000,
  ).cell;
  expect(leaseOf(cell, 'edge-1', job)!.ranges).toContain(bad!);
});

test('a pass of a cell without work decides nothing twice', () => {
  const cell = pass(makeCell({ edges: makeEdges(3) }), startMs);
  expect(cell.meta.summary.edges).toMatchObject({ total: 3, connected: 3, free: 3 });
  expect(reconcile(cell, startMs + 1_000).meta).toBeNull();
});

test('reclaimed chunks that had started are named as the edge’s own again, with a new epoch', () => {
  const jobs = [makeJob(job, { chunks: 10 })];
  let cell = makeCell({ edges: [makeEdge(one, { power: 400 })], jobs });
  const asked = { reclaiming: rangeOf(2, 4), reclaimEpoch: 1 };
  cell = holding(cell, { ranges: rangeOf(0, 4), slots: 4, ...asked });
  const epoch = cell.edges.get(one)!.work!.epoch;
  const plan = reconcile(withReport(cell, one, { [job]: { running: '0-3' } }, startMs), startMs);
  expect(plan.works.get(one)!.leases.get(job)!.reclaiming).toEqual([]);
  expect(plan.works.get(one)!.epoch).toBe(epoch + 1);
  expect(plan.shadows.has(one)).toBe(true);
});
