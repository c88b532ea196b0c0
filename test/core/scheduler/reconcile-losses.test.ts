import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import {
  deathsOfLostEdge,
  lostHoldMs,
  missedReportsMax,
  reportEveryMsMax,
  tickEveryMs,
} from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { applied, connect, held, leaseOf, pass, rest, slice, withReport } from '../stage.ts';

function atLater(seconds: number): number {
  return startMs + seconds * 1000;
}

test('a disconnected edge keeps its lease for the grace of the job, then its chunks go elsewhere', () => {
  const jobs = [makeJob('job-a', { chunks: 2, lostAfterSeconds: 60 })];
  let cell = pass(makeCell({ edges: makeEdges(2), jobs }), startMs);
  cell = connect(applied(cell, startMs), 'edge-0', false, atLater(10));
  const early = reconcile(cell, atLater(69));
  expect(early.works.size).toBe(0);
  expect(early.lookAgainAtMs).toBe(atLater(70));
  cell = rest(cell, atLater(70)).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-1': '0-1' });
  const lost = cell.edges.get(edgeNameOf('edge-0'))!;
  expect(lost.work!.lostAtMs).toBe(atLater(70));
  expect(lost.work!.epoch).toBe(2);
  expect(lost.work!.removed).toEqual(['job-a']);
});

test('grace is the job’s: one edge can lose one lease and keep another', () => {
  const jobs = [
    makeJob('job-a', { chunks: 1, lostAfterSeconds: 30 }),
    makeJob('job-b', { chunks: 1, lostAfterSeconds: 300 }),
  ];
  let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  cell = pass(connect(cell, 'edge-0', false, atLater(0)), atLater(31));
  expect(held(cell, 'job-a')).toEqual({});
  expect(held(cell, 'job-b')).toEqual({ 'edge-0': '0' });
});

test('the power of a lost edge is none that there is, but for what it still holds', () => {
  const jobs = [
    makeJob('job-a', { chunks: 1, lostAfterSeconds: 30 }),
    makeJob('job-b', { chunks: 1, lostAfterSeconds: 300 }),
  ];
  let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  const all = cell.meta.summary.power.total;
  const power = (at: Cell) => {
    const { total, free, reserved } = at.meta.summary.power;
    return { total, free, reserved };
  };
  const each = jobs[0]!.intent.chunking.chunkPower;
  expect(power(cell)).toEqual({ total: all, free: all - 2 * each, reserved: 2 * each });
  cell = pass(connect(cell, 'edge-0', false, atLater(0)), atLater(31));
  expect(power(cell)).toEqual({ total: each, free: 0, reserved: each });
  cell = pass(cell, atLater(301));
  expect(power(cell)).toEqual({ total: 0, free: 0, reserved: 0 });
  cell = pass(connect(cell, 'edge-0', true, atLater(310)), atLater(311));
  cell = pass(applied(cell, atLater(312)), atLater(312));
  expect(power(cell).total).toBe(all);
});

test('an edge that comes back in time keeps its lease, one that comes back later is welcome again', () => {
  let cell = pass(
    makeCell({ edges: makeEdges(1), jobs: [makeJob('job-a', { chunks: 1 })] }),
    startMs,
  );
  cell = connect(cell, 'edge-0', false, atLater(1));
  cell = connect(pass(cell, atLater(100)), 'edge-0', true, atLater(110));
  cell = pass(cell, atLater(500));
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  cell = pass(connect(cell, 'edge-0', false, atLater(500)), atLater(621));
  expect(held(cell, 'job-a')).toEqual({});
  cell = pass(connect(cell, 'edge-0', true, atLater(630)), atLater(631));
  expect(held(cell, 'job-a')).toEqual({});
  cell = pass(applied(cell, atLater(632)), atLater(632));
  expect(cell.edges.get(edgeNameOf('edge-0'))!.work!.lostAtMs).toBeNull();
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
});

test('what a lost edge finished before still counts when it returns', () => {
  let cell = pass(
    makeCell({ edges: makeEdges(2), jobs: [makeJob('job-a', { chunks: 2 })] }),
    startMs,
  );
  const own = held(cell, 'job-a')['edge-0']!;
  cell = rest(connect(cell, 'edge-0', false, atLater(0)), atLater(121)).cell;
  cell = connect(cell, 'edge-0', true, atLater(200));
  cell = rest(
    withReport(cell, 'edge-0', { 'job-a': { done: own } }, atLater(200), 1),
    atLater(201),
  ).cell;
  expect(formatRanges(slice(cell, 'job-a').done)).toBe(own);
  expect(held(cell, 'job-a')['edge-1']).not.toContain(own);
});

test('a connected edge that does not report although it holds a lease is lost after three missed reports', () => {
  const silentMs = missedReportsMax * reportEveryMsMax;
  let cell = pass(
    makeCell({ edges: makeEdges(1), jobs: [makeJob('job-a', { chunks: 1 })] }),
    startMs,
  );
  cell = withReport(cell, 'edge-0', { 'job-a': { running: '0' } }, startMs);
  cell = pass(cell, startMs + silentMs - 1);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  cell = pass(cell, startMs + silentMs);
  expect(cell.edges.get(edgeNameOf('edge-0'))!.work!.lostAtMs).toBe(startMs + silentMs);
});

test('no verdict while ticks are missing, and every grace restarts when they come back', () => {
  const jobs = [makeJob('job-a', { chunks: 1 })];
  let cell = pass({ ...makeCell({ edges: makeEdges(1), jobs }), tickAtMs: startMs }, startMs);
  cell = pass({ ...cell, tickAtMs: startMs }, startMs);
  cell = connect(cell, 'edge-0', false, startMs);
  const outageMs = 10 * tickEveryMs;
  const during = reconcile(cell, startMs + outageMs);
  expect(during.works.size).toBe(0);
  expect(during.lookAgainAtMs).not.toBeNull();
  cell = pass({ ...cell, tickAtMs: startMs + outageMs }, startMs + outageMs);
  expect(cell.meta.health.healthySinceMs).toBe(startMs + outageMs);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  cell = pass(cell, startMs + outageMs + 119_000);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  cell = pass(cell, startMs + outageMs + 120_000);
  expect(held(cell, 'job-a')).toEqual({});
});

test('a cell that was quiet for a day is not taken for an outage', () => {
  let cell = makeCell({ edges: makeEdges(2) });
  const dayMs = 86_400_000;
  cell = {
    ...cell,
    tickAtMs: startMs,
    meta: { ...cell.meta, health: { ...cell.meta.health, tickAtMs: startMs } },
  };
  const job = makeJob('job-a', {
    chunks: 2,
    lostAfterSeconds: 5,
    intent: { submittedAtMs: startMs + dayMs },
  });
  cell = pass({ ...cell, jobs: new Map([[job.id, job]]) }, startMs + dayMs);
  cell = rest(connect(cell, 'edge-0', false, startMs + dayMs), startMs + dayMs + 5_000).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-1': '0-1' });
});

test('when much of a cell would be lost at once the verdict is held, with an alarm, and believed later', () => {
  const jobs = [makeJob('job-a', { chunks: 10 })];
  let cell = applied(pass(makeCell({ edges: makeEdges(10), jobs }), startMs), startMs);
  for (let i = 0; i < 4; i++) cell = connect(cell, `edge-${i}`, false, startMs);
  const plan = reconcile(cell, atLater(120));
  expect(plan.alarms).toEqual([{ kind: 'mass-loss', lost: 4, edges: 10 }]);
  expect(plan.works.size).toBe(0);
  expect(plan.lookAgainAtMs).toBe(atLater(120) + lostHoldMs);
  cell = pass(cell, atLater(120));
  expect(reconcile(cell, atLater(200)).alarms).toEqual([]);
  cell = rest(cell, atLater(120) + lostHoldMs).cell;
  expect(Object.keys(held(cell, 'job-a')).length).toBe(6);
  expect(reconcile(cell, atLater(120) + lostHoldMs).meta).toBeNull();
});

test('losses that trickle in together are held together, from the first', () => {
  let cell = pass(
    makeCell({ edges: makeEdges(10), jobs: [makeJob('job-a', { chunks: 10 })] }),
    startMs,
  );
  for (let i = 0; i < 6; i++) {
    cell = rest(connect(cell, `edge-${i}`, false, atLater(i)), atLater(i)).cell;
  }
  const lost = () => [...cell.edges.values()].filter((edge) => edge.work?.lostAtMs != null).length;
  for (let second = 119; second < 130; second++) cell = rest(cell, atLater(second)).cell;
  expect(lost()).toBe(0);
  cell = rest(cell, atLater(120) + lostHoldMs).cell;
  expect(lost()).toBe(6);
});

test('when the others are back, the last of those that were missed gets its grace anew', () => {
  const jobs = [makeJob('job-a', { chunks: 10 })];
  let cell = applied(pass(makeCell({ edges: makeEdges(10), jobs }), startMs), startMs);
  for (let i = 0; i < 4; i++) cell = connect(cell, `edge-${i}`, false, startMs);
  cell = rest(cell, atLater(120)).cell;
  for (let i = 0; i < 3; i++) cell = connect(cell, `edge-${i}`, true, atLater(150));
  cell = rest(cell, atLater(150)).cell;
  expect(Object.keys(held(cell, 'job-a'))).toContain('edge-3');
  cell = rest(cell, atLater(269)).cell;
  expect(Object.keys(held(cell, 'job-a'))).toContain('edge-3');
  cell = rest(cell, atLater(270)).cell;
  expect(Object.keys(held(cell, 'job-a'))).not.toContain('edge-3');
});

test('a chunk that was running on three lost edges is dead, and the others are not', () => {
  const jobs = [makeJob('job-a', { chunks: 1, lostAfterSeconds: 10 })];
  let cell = makeCell({ edges: makeEdges(12), jobs });
  let atMs = startMs;
  for (let kill = 1; kill <= 3; kill++) {
    cell = rest(cell, atMs).cell;
    const holder = Object.keys(held(cell, 'job-a'))[0]!;
    cell = withReport(cell, holder, { 'job-a': { running: '0' } }, atMs);
    cell = connect(pass(cell, atMs), holder, false, atMs);
    atMs += 10_000;
    if (kill < 3) cell = rest(cell, atMs).cell;
  }
  const plan = reconcile(cell, atMs);
  expect(plan.chunkEnds).toMatchObject([{ chunk: 0, state: 'dead', failure: 'killed-its-edges' }]);
  expect(plan.jobStatuses.get(jobIdOf('job-a'))!.counts.dead).toBe(1);
});

test('a loss is not a failed attempt', () => {
  let cell = pass(
    makeCell({ edges: makeEdges(2), jobs: [makeJob('job-a', { chunks: 1 })] }),
    startMs,
  );
  const holder = Object.keys(held(cell, 'job-a'))[0]!;
  cell = pass(withReport(cell, holder, { 'job-a': { running: '0' } }, startMs), startMs);
  cell = rest(connect(cell, holder, false, startMs), atLater(120)).cell;
  expect(slice(cell, 'job-a').retries.size).toBe(0);
  expect(slice(cell, 'job-a').losses.get(0)).toBe(deathsOfLostEdge);
  expect(leaseOf(cell, holder, 'job-a')!.ranges).toEqual([]);
});

/** Ten edges with a chunk each, of which these are not connected from then on. */
function withGone(names: readonly number[], goneAtMs: number, cell = tenEdges()): Cell {
  return names.reduce((at, n) => connect(at, `edge-${n}`, false, goneAtMs), cell);
}

function tenEdges(): Cell {
  const jobs = [makeJob('job-a', { chunks: 10, chunkPower: 200 })];
  return applied(pass(makeCell({ edges: makeEdges(10), jobs }), startMs), startMs);
}

test('as many as the breaker allows are believed at once', () => {
  const plan = reconcile(withGone([0, 1, 2], startMs), atLater(120));
  expect(plan.alarms).toEqual([]);
  expect(plan.works.size).toBe(3);
});

test('a loss that is as old as the hold is long is not counted together with new ones', () => {
  let cell = rest(withGone([0], startMs), atLater(120)).cell;
  const nextMs = atLater(120) + lostHoldMs;
  cell = withGone([1, 2, 3], nextMs - 120_000, cell);
  expect(reconcile(cell, nextMs).alarms).toEqual([]);
  const sooner = withGone([1, 2, 3], nextMs - 120_001, cell);
  expect(reconcile(sooner, nextMs - 1).alarms).toHaveLength(1);
});

test('a report of the moment of the grant says nothing about the lease', () => {
  const jobs = [makeJob('job-a', { chunks: 1, lostAfterSeconds: 3_600 })];
  let cell = withReport(makeCell({ edges: makeEdges(1), jobs }), 'edge-0', {}, startMs);
  cell = pass(cell, startMs);
  for (let second = 5; second <= 900; second += 5) cell = rest(cell, atLater(second)).cell;
  expect(cell.edges.get(edgeNameOf('edge-0'))!.work!.rewrites).toBeGreaterThan(6);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
});
