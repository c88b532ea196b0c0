import { expect, test } from 'vitest';
import { type Cell, noEdgeWork, type PullConfig } from '../../../core/model/cell.ts';
import { refusalKeptMs } from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges, parseRanges } from '../../../core/model/ranges.ts';
import { accept, release } from '../../../core/scheduler/accept.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { offersOf } from '../../../core/scheduler/offers.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  type JobOptions,
  makeCell,
  makeEdge,
  makeJob,
  plainConfig,
  startMs,
  withEdge,
  withIntent,
} from '../cell-fixture.ts';
import { held, pass, withReport } from '../stage.ts';

/** Edges that take work by themselves: what they are offered, take and give back. */

const cluster = edgeNameOf('keebler');
const named: PullConfig = { offers: 'named' };

const puller = (name: string, pull: PullConfig = named) =>
  makeEdge(name, { config: { ...plainConfig, pull } });

const forCluster = (options: JobOptions = {}, edges = ['keebler']): JobOptions => ({
  requires: { labels: {}, expressions: [], edges },
  ...options,
});

function cellWith(jobs: Readonly<Record<string, JobOptions>>, ...others: string[]): Cell {
  return makeCell({
    edges: [puller('keebler'), ...others.map((name) => puller(name))],
    jobs: Object.entries(jobs).map(([id, options]) => makeJob(id, options)),
  });
}

const idsOf = (cell: Cell, edge = cluster, atMs = startMs) =>
  offersOf(cell, edge, atMs).map(({ job }) => String(job));

function take(cell: Cell, edge: string, jobs: readonly string[], atMs = startMs) {
  const wanted = jobs.map((job) => ({ job: jobIdOf(job), chunks: null }));
  const taken = accept(cell, edgeNameOf(edge), wanted, atMs);
  if (taken.plan.meta !== null) expect(violationsOf(cell, taken.plan)).toEqual([]);
  return { ...taken, cell: taken.plan.meta === null ? cell : applyPlan(cell, taken.plan) };
}

test('a pass gives it nothing, and says what the job waits for', () => {
  const cell = pass(cellWith({ a: forCluster() }), startMs);
  expect(held(cell, 'a')).toEqual({});
  expect(cell.jobs.get(jobIdOf('a'))?.slice.reportedReasons[0]).toBe('awaits-accept');
});

test('what is offered names it, or matches it where it asked for that', () => {
  const jobs = { a: forCluster(), b: {}, c: forCluster({}, ['other']) };
  expect(idsOf(cellWith(jobs))).toEqual(['a']);
  const open = makeCell({
    edges: [puller('keebler', { offers: 'pool' })],
    jobs: [makeJob('a', forCluster()), makeJob('b')],
  });
  expect(idsOf(open)).toEqual(['a', 'b']);
});

test('offers come by priority, then by arrival, and looking reserves nothing', () => {
  const cell = cellWith({
    a: forCluster({ intent: { submittedAtMs: startMs - 1 } }),
    b: forCluster({ priority: 90 }),
    c: forCluster({ intent: { submittedAtMs: startMs - 2 } }),
  });
  expect(idsOf(cell)).toEqual(['b', 'c', 'a']);
  expect(idsOf(cell)).toEqual(['b', 'c', 'a']);
});

test('what is held, cancelled or backing off is not offered', () => {
  let cell = cellWith({ a: forCluster(), b: forCluster(), c: forCluster() });
  cell = withIntent(cell, 'a', { cancelled: true });
  cell = withIntent(cell, 'b', { blockedByDependencies: true });
  expect(idsOf(cell)).toEqual(['c']);
  const taken = take(cell, 'keebler', ['a', 'b']);
  expect(Object.fromEntries(taken.refused)).toEqual({ a: 'ended', b: 'held' });
});

test('free capacity does not limit what may be seen or taken', () => {
  const cell = cellWith({ a: forCluster({ chunks: 40, chunkPower: 100 }) });
  expect(offersOf(cell, cluster, startMs)[0]?.fits).toBe(false);
  const { leases, cell: after } = take(cell, 'keebler', ['a']);
  expect(leases).toMatchObject([{ job: 'a', slots: 40 }]);
  const rested = pass(pass(after, startMs + 10), startMs + 20);
  expect(held(rested, 'a')).toEqual({ keebler: '0-39' });
});

test('a queue holds no more than its quota, whatever is offered and taken of it', () => {
  const small = { name: 'small', weight: 1, strict: false, quota: 100 };
  const jobs = { a: forCluster({ chunks: 40, chunkPower: 30, queue: 'small' }) };
  const cell = { ...cellWith(jobs), queues: new Map([['small', small]]) };
  expect(offersOf(cell, cluster, startMs).map(({ chunks }) => formatRanges(chunks))).toEqual([
    '0-2',
  ]);
  const taken = take(cell, 'keebler', ['a']);
  expect(taken.leases).toMatchObject([{ job: 'a', slots: 3 }]);
  expect(idsOf(taken.cell)).toEqual([]);
  expect(Object.fromEntries(take(taken.cell, 'keebler', ['a']).refused)).toEqual({ a: 'held' });
});

test('an edge that is there twice takes nothing until one of the two is gone', () => {
  const starts = { earlier: [], returnedAtMs: startMs, doubledAtMs: startMs };
  const cell = withEdge(cellWith({ a: forCluster() }), 'keebler', {
    work: { ...noEdgeWork, starts },
  });
  expect(Object.fromEntries(take(cell, 'keebler', ['a']).refused)).toEqual({ a: 'not-offered' });
});

test('of two that take the same job the second finds it taken', () => {
  const jobs = { a: forCluster({}, ['keebler', 'oreo']) };
  const first = take(cellWith(jobs, 'oreo'), 'keebler', ['a']);
  expect(first.leases.map(({ chunks }) => formatRanges(chunks))).toEqual(['0-3']);
  const second = take(first.cell, 'oreo', ['a']);
  expect(Object.fromEntries(second.refused)).toEqual({ a: 'taken' });
  expect(Object.fromEntries(take(first.cell, 'keebler', ['a']).refused)).toEqual({
    a: 'already-accepted',
  });
  expect(second.plan.meta).toBeNull();
});

test('a part of a job may be taken, and the rest by another', () => {
  const cell = cellWith({ a: forCluster({}, ['keebler', 'oreo']) }, 'oreo');
  const chunks = parseRanges('0-1')!;
  const { plan } = accept(cell, cluster, [{ job: jobIdOf('a'), chunks }], startMs);
  const rest = take(applyPlan(cell, plan), 'oreo', ['a']);
  expect(held(rest.cell, 'a')).toEqual({ keebler: '0-1', oreo: '2-3' });
});

test('what is another’s and what is not there is refused with one word', () => {
  const { refused } = take(cellWith({ a: forCluster({}, ['other']) }), 'keebler', ['a', 'nobody']);
  expect([...refused.values()]).toEqual(['not-offered', 'not-offered']);
});

test('an edge that is given work takes none', () => {
  const cell = makeCell({ edges: [makeEdge('keebler')], jobs: [makeJob('a', forCluster())] });
  expect(idsOf(cell)).toEqual([]);
  expect([...take(cell, 'keebler', ['a']).refused.values()]).toEqual(['not-offered']);
});

test('what a plan has no rows for is left to the next one', () => {
  const jobs = Array.from(
    { length: 60 },
    (_, i) => [`job-${i}`, forCluster({ chunks: 1 })] as const,
  );
  let cell = cellWith(Object.fromEntries(jobs));
  const taken: string[] = [];
  let left: readonly string[] = jobs.map(([id]) => id);
  for (let plans = 0; left.length > 0 && plans < 10; plans++) {
    const next = take(cell, 'keebler', left);
    taken.push(...next.leases.map(({ job }) => job));
    expect(next.refused.size).toBe(0);
    left = next.left.map(({ job }) => job);
    cell = next.cell;
  }
  expect(taken.sort()).toEqual(jobs.map(([id]) => id).sort());
});

test('what has not begun is given back, and offered to others at once', () => {
  const start = take(cellWith({ a: forCluster({}, ['keebler', 'oreo']) }, 'oreo'), 'keebler', [
    'a',
  ]);
  const running = pass(
    withReport(start.cell, 'keebler', { a: { running: '0' } }, startMs),
    startMs,
  );
  const back = release(running, cluster, [jobIdOf('a'), jobIdOf('b')], 'no room', startMs + 1);
  expect(violationsOf(running, back.plan)).toEqual([]);
  expect(back.released.map(({ chunks }) => formatRanges(chunks))).toEqual(['1-3']);
  expect(Object.fromEntries(back.refused)).toEqual({ b: 'not-held' });
  const after = applyPlan(running, back.plan);
  expect(held(after, 'a')).toEqual({ keebler: '0' });
  expect(idsOf(after, edgeNameOf('oreo'), startMs + 1)).toEqual(['a']);
  expect(idsOf(after, cluster, startMs + 1)).toEqual([]);
  expect(idsOf(after, cluster, startMs + 1 + refusalKeptMs)).toEqual(['a']);
});

test('what it gave back and another took is taken, and not its own any more', () => {
  const jobs = { a: forCluster({}, ['keebler', 'oreo']) };
  const { cell } = take(cellWith(jobs, 'oreo'), 'keebler', ['a']);
  const back = release(cell, cluster, [jobIdOf('a')], '', startMs + 1);
  const taken = take(applyPlan(cell, back.plan), 'oreo', ['a'], startMs + 2).cell;
  expect(held(taken, 'a')).toEqual({ oreo: '0-3' });
  const again = take(taken, 'keebler', ['a'], startMs + 2 + refusalKeptMs);
  expect(Object.fromEntries(again.refused)).toEqual({ a: 'taken' });
});

test('what it had finished when it gave the rest back counts', () => {
  const { cell } = take(cellWith({ a: forCluster() }), 'keebler', ['a']);
  const back = release(cell, cluster, [jobIdOf('a')], '', startMs + 1);
  const given = applyPlan(cell, back.plan);
  const after = pass(withReport(given, 'keebler', { a: { done: '1' } }, startMs + 2), startMs + 2);
  expect(formatRanges(after.jobs.get(jobIdOf('a'))!.slice.done)).toBe('1');
  expect(after.edges.get(cluster)!.work!.foreignResults).toBe(0);
});

test('what runs is not given back', () => {
  const { cell } = take(cellWith({ a: forCluster({ chunks: 1 }) }), 'keebler', ['a']);
  const running = pass(withReport(cell, 'keebler', { a: { running: '0' } }, startMs), startMs);
  const back = release(running, cluster, [jobIdOf('a')], '', startMs + 1);
  expect([...back.refused.values()]).toEqual(['running']);
  expect(back.plan.meta).toBeNull();
});

const graceMs = 120_000;

test('what it took and does not show is offered again, and the timeline says so', () => {
  const { cell } = take(
    cellWith({ a: forCluster({ intent: { foldedByCell: true } }) }),
    'keebler',
    ['a'],
  );
  const seen = (atMs: number) => withReport(cell, 'keebler', {}, atMs);
  const before = reconcile(seen(startMs + graceMs - 1), startMs + graceMs - 1);
  expect(held(applyPlan(seen(startMs), before), 'a')).toEqual({ keebler: '0-3' });
  const at = startMs + graceMs;
  const plan = reconcile(seen(at), at);
  expect(violationsOf(seen(at), plan)).toEqual([]);
  const kinds = plan.folds.get(jobIdOf('a'))?.events.map(({ kind }) => kind);
  expect(kinds).toContain('accepted-and-lost');
  const after = applyPlan(seen(at), plan);
  expect(held(after, 'a')).toEqual({});
  expect(idsOf(after, cluster, at)).toEqual(['a']);
  expect(take(after, 'keebler', ['a'], at).leases.length).toBe(1);
});

test('what stands in its own queue, runs or has ended in part is shown', () => {
  const { cell } = take(cellWith({ a: forCluster() }), 'keebler', ['a']);
  const at = startMs + 10 * graceMs;
  const shown = withReport(cell, 'keebler', { a: { running: '1' } }, at);
  expect(held(pass(shown, at), 'a')).toEqual({ keebler: '0-3' });
  const silent = withReport(cell, 'keebler', {}, at);
  const edge = silent.edges.get(cluster)!;
  const progress = { ...edge.report!.progress!, queued: [jobIdOf('a')] };
  const queued = withEdge(silent, 'keebler', { report: { ...edge.report!, progress } });
  expect(held(pass(queued, at), 'a')).toEqual({ keebler: '0-3' });
});

test('what one edge took is not taken from it for another that is idle', () => {
  const cell = makeCell({
    edges: [puller('keebler', { offers: 'pool' }), makeEdge('idle')],
    jobs: [makeJob('a', { chunks: 8, chunkPower: 10 })],
  });
  const { cell: taken } = take(cell, 'keebler', ['a']);
  const later = startMs + 60_000;
  const running = withReport(taken, 'keebler', { a: { running: '0', chunkMs: 60_000 } }, later);
  expect(held(pass(running, later), 'a')).toEqual({ keebler: '0-7' });
});

test('an edge without a scheduler of its own takes as much as fits, and the rest when there is room', () => {
  const cell = cellWith({ a: forCluster({ chunks: 60, chunkPower: 10 }) });
  const taken = accept(cell, cluster, [{ job: jobIdOf('a'), chunks: null, fits: true }], startMs);
  const room = Math.floor(cell.edges.get(cluster)!.facts!.capacity.power! / 10);
  expect(room).toBeLessThan(60);
  expect(taken.leases).toMatchObject([{ slots: room }]);
  const full = applyPlan(cell, taken.plan);
  const [offer] = offersOf(full, cluster, startMs);
  expect([offer?.fits, offer?.fitsPartly]).toEqual([false, false]);
  const again = accept(full, cluster, [{ job: jobIdOf('a'), chunks: null, fits: true }], startMs);
  expect([...again.refused.values()]).toEqual(['held']);
});

test('several edges at once are not for one to take, nor is more than a job may spread over', () => {
  const placement = { policy: 'spread', nodes: null, maxEdges: null } as const;
  const cell = cellWith(
    {
      gang: forCluster({ chunks: 2, placement: { ...placement, nodes: 2 } }, ['keebler', 'oreo']),
      one: forCluster({ chunks: 2, placement: { ...placement, maxEdges: 1 } }, ['keebler', 'oreo']),
    },
    'oreo',
  );
  expect(idsOf(cell)).toEqual(['one']);
  expect([...take(cell, 'keebler', ['gang']).refused.values()]).toEqual(['not-offered']);
  const first = accept(cell, cluster, [{ job: jobIdOf('one'), chunks: parseRanges('0') }], startMs);
  const taken = applyPlan(cell, first.plan);
  expect(idsOf(taken)).toEqual(['one']);
  expect(idsOf(taken, edgeNameOf('oreo'))).toEqual([]);
  expect([...take(taken, 'oreo', ['one']).refused.values()]).toEqual(['held']);
});
