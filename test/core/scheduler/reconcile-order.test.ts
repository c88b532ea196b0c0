import { expect, test } from 'vitest';
import type { Cell, QueueConfig } from '../../../core/model/cell.ts';
import { backlogTriesMax } from '../../../core/model/limits.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  first,
  type RangeSet,
  rangeOf,
  take,
} from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  startMs,
  withEdge,
  withIntent,
} from '../cell-fixture.ts';
import { applied, held, leaseOf, pass, rest, withReport } from '../stage.ts';

function powerOfJobs(cell: Cell): Record<string, number> {
  const out: Record<string, number> = {};
  for (const edge of cell.edges.values()) {
    for (const [id, lease] of edge.work?.leases ?? []) {
      const slots = Math.min(lease.slots, count(lease.ranges));
      const power = cell.jobs.get(id)?.intent.chunking.chunkPower ?? 0;
      out[id] = (out[id] ?? 0) + slots * power;
    }
  }
  return out;
}

/** Every edge ends everything it runs, again and again; who holds the power at the end? */
function run(cell: Cell, rounds: number): Cell {
  let at = rest(cell, startMs).cell;
  for (let round = 1; round <= rounds; round++) {
    const nowMs = startMs + round * 1000;
    for (const edge of at.edges.values()) {
      const reported: Record<string, { done: string; chunkMs: number }> = {};
      for (const [id, lease] of edge.work?.leases ?? []) {
        const chunks = [...chunksOf(lease.ranges)].slice(0, lease.slots);
        if (chunks.length > 0) reported[id] = { done: chunks.join(','), chunkMs: 1000 };
      }
      at = rest(withReport(at, edge.name, reported, nowMs), nowMs).cell;
    }
  }
  return at;
}

const queue = (over: Partial<QueueConfig>): QueueConfig => ({
  weight: 1,
  strict: false,
  quota: null,
  ...over,
});

test('higher priority is placed first, whenever it came', () => {
  const jobs = [
    makeJob('job-1', { chunks: 2, priority: 10 }),
    makeJob('job-2', { chunks: 2, priority: 90, intent: { submittedAtMs: startMs + 5 } }),
  ];
  const { cell } = rest(makeCell({ edges: makeEdges(1), jobs }), startMs + 10);
  expect(held(cell, 'job-2')).toEqual({ 'edge-0': '0-1' });
  expect(held(cell, 'job-1')).toEqual({});
});

test('within a queue the earlier job goes first, also within one millisecond', () => {
  const jobs = [makeJob('job-2', { chunks: 2 }), makeJob('job-1', { chunks: 2 })];
  const { cell } = rest(makeCell({ edges: makeEdges(1), jobs }), startMs);
  expect(Object.keys(held(cell, 'job-1'))).toHaveLength(1);
});

test('a later job uses what an earlier one cannot', () => {
  const jobs = [
    makeJob('job-1', { chunks: 1, chunkPower: 240 }),
    makeJob('job-2', { chunks: 5, chunkPower: 200 }),
    makeJob('job-3', { chunks: 1, chunkPower: 30 }),
  ];
  const { cell } = rest(makeCell({ edges: makeEdges(2), jobs }), startMs);
  expect(Object.keys(held(cell, 'job-2'))).toHaveLength(1);
  expect(Object.keys(held(cell, 'job-3'))).toHaveLength(1);
});

test('a strict queue waits for its first job, and only that queue', () => {
  const jobs = [
    makeJob('job-1', { chunks: 3, chunkPower: 200, queue: 'line' }),
    makeJob('job-2', { chunks: 1, chunkPower: 10, queue: 'line' }),
    makeJob('job-3', { chunks: 1, chunkPower: 10 }),
  ];
  const queues = new Map([['line', queue({ strict: true })]]);
  const { cell, plans } = rest(makeCell({ edges: makeEdges(2), jobs, queues }), startMs);
  expect(held(cell, 'job-2')).toEqual({});
  expect(Object.keys(held(cell, 'job-3'))).toHaveLength(1);
  const waiting = plans.flatMap((plan) => plan.jobStatuses.get(jobIdOf('job-2'))?.waiting ?? []);
  expect(waiting[0]).toMatchObject({ reason: 'queue-order', chunks: 1 });
});

test('two queues that wait for an empty cell share it by weight', () => {
  const jobs = [
    makeJob('job-1', { chunks: 10_000, chunkPower: 10, queue: 'a' }),
    makeJob('job-2', { chunks: 10_000, chunkPower: 10, queue: 'b' }),
  ];
  for (const weight of [1, 3]) {
    const queues = new Map([['b', queue({ weight })]]);
    const { cell } = rest(makeCell({ edges: makeEdges(8), jobs, queues }), startMs);
    const power = powerOfJobs(cell);
    expect(power['job-1']! + power['job-2']!).toBe(2_000);
    expect(Math.abs(power['job-2']! / power['job-1']! - weight)).toBeLessThan(weight * 0.35);
  }
});

test('a queue that comes late gets its share as leases run dry, without anything being stopped', () => {
  const early = makeJob('job-1', { chunks: 100_000, chunkPower: 50, queue: 'a' });
  let cell = run(makeCell({ edges: makeEdges(4), jobs: [early] }), 5);
  expect(powerOfJobs(cell)).toEqual({ 'job-1': 1_000 });
  const late = makeJob('job-2', { chunks: 100_000, chunkPower: 50, queue: 'b' });
  cell = run({ ...cell, jobs: new Map(cell.jobs).set(late.id, late) }, 60);
  const power = powerOfJobs(cell);
  expect(power['job-2']).toBeGreaterThanOrEqual(400);
  expect(power['job-1']).toBeGreaterThanOrEqual(400);
});

test('a higher priority that comes late gets the cell as leases run dry', () => {
  const early = makeJob('job-1', { chunks: 100_000, chunkPower: 50, priority: 10 });
  let cell = run(makeCell({ edges: makeEdges(4), jobs: [early] }), 5);
  const late = makeJob('job-2', { chunks: 100_000, chunkPower: 125, priority: 90 });
  cell = run({ ...cell, jobs: new Map(cell.jobs).set(late.id, late) }, 60);
  expect(powerOfJobs(cell)['job-2']).toBe(1_000);
});

test('a changed priority counts from the next pass on', () => {
  const jobs = [makeJob('job-1', { chunks: 2 }), makeJob('job-2', { chunks: 2 })];
  let { cell } = rest(makeCell({ edges: makeEdges(1), jobs }), startMs);
  expect(held(cell, 'job-2')).toEqual({});
  const job = makeJob('job-3', { chunks: 2 });
  cell = { ...cell, jobs: new Map(cell.jobs).set(job.id, job) };
  const { spec } = job.intent;
  cell = withIntent(cell, 'job-3', { spec: { ...spec, priority: 99 } });
  cell = rest(withReport(cell, 'edge-0', { 'job-1': { done: '0-1' } }, startMs), startMs).cell;
  expect(Object.keys(held(cell, 'job-3'))).toHaveLength(1);
});

test('a quota bounds the power that a queue holds, and is the reason', () => {
  const jobs = [makeJob('job-1', { chunks: 50, chunkPower: 30, queue: 'small' })];
  const queues = new Map([['small', queue({ quota: 100 })]]);
  const { cell, plans } = rest(makeCell({ edges: makeEdges(4), jobs, queues }), startMs);
  expect(powerOfJobs(cell)).toEqual({ 'job-1': 90 });
  const waiting = plans.at(-1)!.jobStatuses.get(jobIdOf('job-1'))!.waiting;
  expect(waiting[0]).toMatchObject({ reason: 'quota', chunks: 47 });
  expect(waiting[0]?.detail).toBe('queue small uses all the power it may');
});

test('leases that get more slots at the same moment stay within the quota together', () => {
  const jobs = [makeJob('job-1', { chunks: 12, chunkPower: 50, queue: 'small' })];
  const queues = new Map([['small', queue({ quota: 100 })]]);
  let { cell } = rest(makeCell({ edges: makeEdges(2), jobs, queues }), startMs);
  for (const edge of cell.edges.values()) {
    const lease = leaseOf(cell, edge.name, 'job-1')!;
    const ranges = edge.name === 'edge-0' ? rangeOf(0, 6) : rangeOf(6, 12);
    const leases = new Map([[jobIdOf('job-1'), { ...lease, ranges, slots: 1 }]]);
    cell = withEdge(cell, edge.name, { work: { ...edge.work!, leases } });
  }
  const more = { ...cell, queues: new Map([['small', queue({ quota: 150 })]]) };
  expect(powerOfJobs(rest(more, startMs + 1_000).cell)).toEqual({ 'job-1': 150 });
});

test('a chunk that is larger than the quota of its queue waits for that reason', () => {
  const jobs = [makeJob('job-1', { chunks: 1, chunkPower: 30, queue: 'small' })];
  const queues = new Map([['small', queue({ quota: 20 })]]);
  const plan = reconcile(makeCell({ edges: makeEdges(1), jobs, queues }), startMs);
  const [first] = plan.jobStatuses.get(jobIdOf('job-1'))!.waiting;
  expect(first).toMatchObject({
    reason: 'quota',
    detail: 'a chunk needs 30 power, and queue small may use 20 here',
  });
});

test('a chunk that is as large as the quota of its queue waits for the others of it', () => {
  const jobs = [makeJob('job-1', { chunks: 2, chunkPower: 20, queue: 'small' })];
  const queues = new Map([['small', queue({ quota: 20 })]]);
  const plan = reconcile(makeCell({ edges: makeEdges(1), jobs, queues }), startMs);
  const [first] = plan.jobStatuses.get(jobIdOf('job-1'))!.waiting;
  expect(first?.detail).toBe('queue small uses all the power it may');
});

test('a job that waits for others gets nothing and says so', () => {
  const jobs = [makeJob('job-1', { intent: { blockedByDependencies: true } })];
  const plan = reconcile(makeCell({ edges: makeEdges(4), jobs }), startMs);
  const status = plan.jobStatuses.get(jobIdOf('job-1'))!;
  expect(status.counts).toMatchObject({ waiting: 4, pending: 0 });
  expect(status.waiting).toMatchObject([{ reason: 'dependency', chunks: 4 }]);
  expect(plan.works.size).toBe(0);
});

test('new leases do not hoard while edges are idle; refills double and follow the measured rate', () => {
  const job = makeJob('job-1', { chunks: 100_000, chunkPower: 125 });
  let { cell } = rest(makeCell({ edges: makeEdges(2), jobs: [job] }), startMs);
  expect(count(leaseOf(cell, 'edge-0', 'job-1')!.ranges)).toBe(2);
  const sizes: number[] = [];
  for (let round = 1; round <= 12; round++) {
    const lease = leaseOf(cell, 'edge-0', 'job-1')!;
    const start = first(lease.ranges)!;
    const done = `${start}-${start + Math.ceil(count(lease.ranges) / 2) - 1}`;
    const reported = { 'job-1': { done, chunkMs: 100 } };
    cell = rest(withReport(cell, 'edge-0', reported, startMs + round), startMs + round).cell;
    sizes.push(count(leaseOf(cell, 'edge-0', 'job-1')!.ranges));
  }
  // Two slots at 100 ms are 1,200 chunks a minute.
  expect(Math.max(...sizes)).toBeGreaterThan(1_000);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_202);
  expect(sizes[1]).toBeLessThan(20);
});

test('chunks that take long are not fetched ahead', () => {
  const job = makeJob('job-1', { chunks: 1_000, chunkPower: 125 });
  let { cell } = rest(makeCell({ edges: makeEdges(1), jobs: [job] }), startMs);
  for (let round = 1; round <= 5; round++) {
    const done = `${first(leaseOf(cell, 'edge-0', 'job-1')!.ranges)!}`;
    const reported = { 'job-1': { done, chunkMs: 600_000 } };
    cell = rest(withReport(cell, 'edge-0', reported, startMs + round), startMs + round).cell;
    expect(count(leaseOf(cell, 'edge-0', 'job-1')!.ranges)).toBe(2);
  }
});

test('each edge works through a territory of its own', () => {
  const job = makeJob('job-1', { chunks: 1_000_000, chunkPower: 125 });
  const cell = run(makeCell({ edges: makeEdges(4), jobs: [job] }), 20);
  const { done } = cell.jobs.get(job.id)!.slice;
  expect(count(done)).toBe(160);
  expect(done.length / 2).toBeLessThanOrEqual(12);
  for (const edge of cell.edges.values()) {
    expect(leaseOf(cell, edge.name, 'job-1')!.doneHere.length / 2).toBeLessThanOrEqual(4);
  }
});

/** An edge with a lease of two slots on `job-1`, whose first two chunks run. */
function holding(cell: Cell, name: string, ranges: RangeSet): Cell {
  const lease = {
    ranges,
    reclaiming: emptyRanges,
    reclaimEpoch: null,
    slots: 2,
    running: take(ranges, 2).taken,
    grantedAtMs: startMs,
    startedAtMs: startMs,
    chunkMs: 5_000,
    heldBefore: emptyRanges,
    doneHere: emptyRanges,
    deadHere: emptyRanges,
  };
  const work = {
    epoch: 4,
    acknowledgedSequence: 1,
    boot: '',
    leases: new Map([[jobIdOf('job-1'), lease]]),
    writtenAtMs: startMs,
    rewrites: 0,
    removed: [],
    lostAtMs: null,
    failuresInRow: 0,
    quarantinedUntilMs: null,
    foreignResults: 0,
    totals: { chunksDone: 0, powerServed: 0 },
  };
  return withEdge(cell, name, { work });
}

test('stealing asks first, takes only what was not started, and stops when all are even', () => {
  const job = makeJob('job-1', { chunks: 20, chunkPower: 125 });
  let cell = makeCell({ edges: makeEdges(2), jobs: [job] });
  cell = holding(cell, 'edge-0', rangeOf(0, 20));
  cell = withReport(cell, 'edge-0', { 'job-1': { running: '0-1', chunkMs: 5_000 } }, startMs);
  cell = rest(cell, startMs).cell;
  const asked = leaseOf(cell, 'edge-0', 'job-1')!;
  expect(count(asked.reclaiming)).toBe(9);
  expect(held(cell, 'job-1')['edge-1']).toBeUndefined();
  const late = { running: '0-1,11', chunkMs: 5_000 };
  cell = rest(withReport(cell, 'edge-0', { 'job-1': late }, startMs), startMs).cell;
  expect(held(cell, 'job-1')['edge-0']).toContain('11');
  expect(count(leaseOf(cell, 'edge-1', 'job-1')!.ranges)).toBeGreaterThan(0);
  cell = applied(cell, startMs);
  expect(rest(cell, startMs + 100).plans.length).toBeLessThan(4);
});

test('who holds no more than is fair is not asked for anything', () => {
  const job = makeJob('job-1', { chunks: 31, chunkPower: 125 });
  let cell = makeCell({ edges: makeEdges(3), jobs: [job] });
  cell = holding(cell, 'edge-0', rangeOf(0, 20));
  cell = holding(cell, 'edge-1', rangeOf(20, 31));
  for (const [name, running] of [
    ['edge-0', '0-1'],
    ['edge-1', '20-21'],
  ] as const) {
    cell = withReport(cell, name, { 'job-1': { running, chunkMs: 5_000 } }, startMs);
  }
  // 27 that have not begun, on six slots: nine for each edge.
  const plan = reconcile(cell, startMs);
  expect([...plan.shadows].map(String)).toEqual(['edge-0']);
  expect(count(leaseOf(applyPlan(cell, plan), 'edge-0', 'job-1')!.reclaiming)).toBe(9);
});

test('thousands that wait in vain hide nobody behind them', () => {
  const nowhere = { labels: { site: 'nowhere' }, expressions: [], edges: [] };
  const crowd = Array.from({ length: 3 * backlogTriesMax }, (_, at) =>
    makeJob(`a-${String(at).padStart(6, '0')}`, { chunks: 1, requires: nowhere }),
  );
  const last = makeJob('z-last', { chunks: 1 });
  const cell = makeCell({ edges: makeEdges(1), jobs: [...crowd, last] });
  expect(held(pass(cell, startMs), 'z-last')).toEqual({ 'edge-0': '0' });
});

test('of jobs that all need something else only so many are tried in one pass', () => {
  const jobs = Array.from({ length: backlogTriesMax + 1 }, (_, at) => {
    const requires = { labels: { site: `site-${at}` }, expressions: [], edges: [] };
    return makeJob(`a-${String(at).padStart(6, '0')}`, { chunks: 1, requires });
  });
  const there = makeEdge('edge-0', { labels: { site: `site-${backlogTriesMax}` } });
  const cell = makeCell({ edges: [there], jobs });
  expect(pass(cell, startMs).edges.get(there.name)?.work?.leases.size ?? 0).toBe(0);
  const fewer = makeCell({ edges: [there], jobs: jobs.slice(1) });
  expect(pass(fewer, startMs).edges.get(there.name)?.work?.leases.size).toBe(1);
});
