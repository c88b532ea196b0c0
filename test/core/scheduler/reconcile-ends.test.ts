import { expect, test } from 'vitest';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { chunksOf, formatRanges } from '../../../core/model/ranges.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdges,
  makeJob,
  plainConfig,
  startMs,
  withEdge,
  withIntent,
} from '../cell-fixture.ts';
import { held, leaseOf, pass, rest, slice, withReport } from '../stage.ts';

const job = jobIdOf('job-a');

test('cancel ends pending chunks at once and stops leased ones on their edges', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 9 })] }), startMs);
  cell = pass(withReport(cell, 'edge-0', { [job]: { done: '0', running: '1' } }, startMs), startMs);
  const plan = reconcile(withIntent(cell, job, { cancelled: true }), startMs);
  const status = plan.jobStatuses.get(job)!;
  expect(status.counts).toMatchObject({ total: 9, done: 1, cancelled: 8, pending: 0, running: 0 });
  expect(status.reason).toBe('cancelled');
  expect([...plan.endedJobs]).toEqual([job]);
  expect([...plan.shadows]).toEqual(['edge-0']);
});

test('cancel of a job that waits for others, or for edges, ends it', () => {
  for (const intent of [{ held: true }, { held: false }]) {
    const cell = makeCell({ jobs: [makeJob(job, { intent: { ...intent, cancelled: true } })] });
    expect(reconcile(cell, startMs).jobStatuses.get(job)!.counts).toMatchObject({ cancelled: 4 });
  }
});

test('cancel of a job on more edges than a plan has rows takes several passes and loses nothing', () => {
  const big = makeJob(job, { chunks: 500 });
  let { cell } = rest(makeCell({ edges: makeEdges(200), jobs: [big] }), startMs);
  expect(Object.keys(held(cell, job))).toHaveLength(200);
  cell = withIntent(cell, job, { cancelled: true });
  const { plans, cell: after } = rest(cell, startMs);
  expect(plans.length).toBeGreaterThan(3);
  expect(plans.slice(0, -1).every((plan) => plan.lookAgainAtMs === startMs)).toBe(true);
  expect(after.jobs.size).toBe(0);
  expect(after.meta.summary.chunks.cancelled).toBe(500);
});

test('a result that came before the cancellation is applied counts', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 1 })] }), startMs);
  cell = withIntent(withReport(cell, 'edge-0', { [job]: { done: '0' } }, startMs), job, {
    cancelled: true,
  });
  expect(reconcile(cell, startMs).jobStatuses.get(job)!.counts).toMatchObject({ done: 1 });
});

test.each([true, false])('jobs end in the pass that counts them, by cell: %s', (foldedByCell) => {
  const names = Array.from({ length: 40 }, (_, at) => `job-${String(at).padStart(2, '0')}`);
  const jobs = names.map((name) => makeJob(name, { chunks: 1, intent: { foldedByCell } }));
  let { cell } = rest(makeCell({ edges: makeEdges(40), jobs }), startMs);
  for (const [edge, { work }] of cell.edges) {
    const leased = [...(work?.leases.keys() ?? [])];
    const done = Object.fromEntries(leased.map((name) => [name, { done: '0' }]));
    cell = withReport(cell, edge, done, startMs);
  }
  const { plans, cell: after } = rest(cell, startMs);
  for (const plan of plans) {
    const counted = [...plan.jobStatuses.values()].filter(({ counts }) => counts.done === 1);
    expect(counted.map(({ job: id }) => id)).toEqual([...plan.endedJobs]);
  }
  expect(after.jobs.size).toBe(0);
});

test('too many dead chunks end the job early', () => {
  const retries = { attempts: 1, backoffSeconds: 0, maxFailedChunks: 1 };
  let cell = pass(
    makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 50, retries })] }),
    startMs,
  );
  cell = pass(withReport(cell, 'edge-0', { [job]: { failed: [[0, 1]] } }, startMs), startMs);
  expect(cell.jobs.size).toBe(1);
  const next = leaseOf(cell, 'edge-0', job)!.ranges[0]!;
  cell = withReport(cell, 'edge-0', { [job]: { failed: [[next, 1]] } }, startMs);
  const { plans } = rest(cell, startMs);
  const status = plans.at(-1)!.jobStatuses.get(job)!;
  expect(status).toMatchObject({ reason: 'max-failed-chunks' });
  expect(status.counts).toMatchObject({ dead: 2, cancelled: 48 });
});

test('a deadline ends what is not done by then', () => {
  const late = makeJob(job, { chunks: 4, deadlineSeconds: 60 });
  const cell = pass(makeCell({ edges: makeEdges(4), jobs: [late] }), startMs);
  expect(reconcile(cell, startMs + 30_000).lookAgainAtMs).not.toBeNull();
  const { plans } = rest(cell, startMs + 60_000);
  expect(plans.at(-1)!.jobStatuses.get(job)).toMatchObject({ reason: 'deadline' });
});

test('a deadline ends a job that no edge ever took', () => {
  const late = makeJob(job, { chunks: 4, deadlineSeconds: 60 });
  const cell = pass(makeCell({ jobs: [late] }), startMs);
  expect(reconcile(cell, startMs + 59_999).endedJobs.size).toBe(0);
  const plan = reconcile(cell, startMs + 60_000);
  expect([...plan.endedJobs]).toEqual([job]);
  expect(plan.jobStatuses.get(job)).toMatchObject({
    reason: 'deadline',
    counts: { cancelled: 4, dead: 0 },
  });
});

test('a cordoned edge keeps what it has and gets nothing more', () => {
  let cell = pass(makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 2 })] }), startMs);
  const cordoned = { reason: 'disk', sinceMs: startMs };
  cell = withEdge(cell, 'edge-0', { config: { ...plainConfig, cordoned } });
  const more = makeJob('job-b', { chunks: 10 });
  cell = rest({ ...cell, jobs: new Map(cell.jobs).set(more.id, more) }, startMs).cell;
  expect(Object.keys(held(cell, 'job-b'))).toEqual(['edge-1']);
  expect(Object.keys(held(cell, job))).toHaveLength(2);
});

test('draining moves unstarted chunks once the edge confirms, and running ones at the deadline', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 20 })] }), startMs);
  cell = pass(withReport(cell, 'edge-0', { [job]: { running: '0-1' } }, startMs), startMs);
  expect(formatRanges(leaseOf(cell, 'edge-0', job)!.ranges)).toBe('0-3');
  const drain = { reason: 'move', deadlineAtMs: startMs + 60_000 };
  cell = pass(withEdge(cell, 'edge-0', { config: { ...plainConfig, drain } }), startMs);
  expect(formatRanges(leaseOf(cell, 'edge-0', job)!.reclaiming)).toBe('2-3');
  // Chunk 2 had started before the edge saw that.
  cell = pass(withReport(cell, 'edge-0', { [job]: { running: '0-2' } }, startMs), startMs);
  expect(formatRanges(leaseOf(cell, 'edge-0', job)!.ranges)).toBe('0-2');
  cell = rest(cell, startMs + 60_000).cell;
  expect(held(cell, job)).toEqual({});
  expect(slice(cell, job).retries.size).toBe(0);
});

test('an edge that is removed leaves when it holds nothing, by force at once', () => {
  for (const force of [false, true]) {
    let cell = pass(
      makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 4 })] }),
      startMs,
    );
    cell = pass(withReport(cell, 'edge-0', { [job]: { running: '0-1' } }, startMs), startMs);
    cell = withEdge(cell, 'edge-0', { config: { ...plainConfig, removing: { force } } });
    const { cell: after, plans } = rest(cell, startMs);
    expect(after.edges.size).toBe(force ? 0 : 1);
    if (force) expect(plans.flatMap((plan) => [...plan.removedEdges])).toEqual(['edge-0']);
    if (force) continue;
    const end = rest(withReport(after, 'edge-0', { [job]: { done: '0-1' } }, startMs), startMs);
    expect(end.cell.edges.size).toBe(0);
  }
});

test('an edge on which everything fails is quarantined, visibly, and gets another chance', () => {
  const retries = { attempts: 100, backoffSeconds: 0, maxFailedChunks: null };
  const jobs = [makeJob(job, { chunks: 5_000, retries, chunkPower: 100 })];
  let { cell } = rest(makeCell({ edges: makeEdges(4), jobs }), startMs);
  const good = leaseOf(cell, 'edge-1', job)!.ranges[0]!;
  cell = rest(withReport(cell, 'edge-1', { [job]: { done: `${good}` } }, startMs), startMs).cell;
  let atMs = startMs;
  let alarms = 0;
  for (let i = 0; i < 40 && alarms === 0; i++) {
    atMs += 1_000;
    const fresh = [...chunksOf(leaseOf(cell, 'edge-0', job)!.ranges)].filter(
      (chunk) => !slice(cell, job).retries.has(chunk),
    );
    const failed: [number, number][] = fresh.map((chunk) => [chunk, 1]);
    cell = withReport(cell, 'edge-0', { [job]: { failed } }, atMs);
    const end = rest(cell, atMs);
    alarms += end.plans.flatMap((plan) => plan.alarms).length;
    cell = end.cell;
  }
  expect(alarms).toBe(1);
  const damaged = cell.edges.get(edgeNameOf('edge-0'))!.work!;
  expect(damaged.quarantinedUntilMs).toBeGreaterThan(atMs);
  cell = rest(withReport(cell, 'edge-0', { [job]: {} }, atMs), atMs).cell;
  expect(held(cell, job)['edge-0']).toBeUndefined();
  expect(cell.meta.summary.edges.quarantined).toBe(1);
  cell = rest(cell, damaged.quarantinedUntilMs!).cell;
  expect(held(cell, job)['edge-0']).toBeDefined();
});
