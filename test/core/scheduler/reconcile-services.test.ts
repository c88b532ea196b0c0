import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import type { Chunking } from '../../../core/model/job.ts';
import { rewritesMax, unresponsiveRewritesMin } from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { count, formatRanges, rangeOf } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { scaledTo, withoutNumber } from '../../../core/services/instance-numbers.ts';
import {
  type JobOptions,
  makeCell,
  makeEdges,
  makeJob,
  startMs,
  withEdge,
  withIntent,
} from '../cell-fixture.ts';
import { applied, connect, held, leaseOf, type ReportedJob, slice, withReport } from '../stage.ts';
import { allReady, service, settle } from './service-stage.ts';

const job = jobIdOf('web');

type Policy = 'always' | 'on-failure' | 'never';

function options(chunks: number, policy: Policy = 'always'): JobOptions {
  const restart = { ...service.restart, policy };
  const intent = { foldedByCell: true };
  return { ...service, restart, chunks, chunkPower: 100, kind: 'service', intent };
}

function stage(chunks: number, edges = 3, policy: Policy = 'always'): Cell {
  const flat = { services: true };
  const cell = makeCell({
    edges: makeEdges(edges, { power: 250, flat }),
    jobs: [makeJob(job, options(chunks, policy))],
  });
  return settle(cell, startMs);
}

function stateOf(cell: Cell) {
  return slice(cell, job).countedAs;
}

function scaled(cell: Cell, chunks: number): Cell {
  return cut(cell, (before) => scaledTo(before, chunks));
}

function cut(cell: Cell, change: (before: Chunking) => Chunking): Cell {
  const before = cell.jobs.get(job)!;
  const chunking = change(before.intent.chunking);
  const after = { ...before, intent: { ...before.intent, chunking } };
  return { ...cell, jobs: new Map(cell.jobs).set(job, after) };
}

test('instances are spread, and the service runs when all of them are ready', () => {
  const placed = stage(3);
  expect(stateOf(placed)).toBe('scheduled');
  expect(Object.keys(held(placed, job))).toHaveLength(3);
  const [first] = Object.keys(held(placed, job));
  const some = withReport(
    placed,
    first!,
    { [job]: { running: held(placed, job)[first!] } },
    startMs,
  );
  expect(stateOf(settle(some, startMs + 10))).toBe('scheduled');
  const running = allReady(placed, startMs + 2_000);
  expect(stateOf(running)).toBe('running');
  expect(reconcile(running, startMs + 60_000).meta).toBeNull();
});

test('an end is no end of the job, whatever its exit code: it starts again after its wait', () => {
  for (const code of [0, 1, 'timeout']) {
    const running = allReady(stage(1, 1), startMs + 2_000);
    const ended = withReport(
      running,
      'edge-0',
      { [job]: { failed: [[0, code]] } },
      startMs + 3_000,
    );
    const after = settle(ended, startMs + 3_000);
    expect(held(after, job)).toEqual({});
    expect(stateOf(after)).toBe('degraded');
    expect(slice(after, job).retries.get(0)).toMatchObject({ failures: 1, last: code });
    expect(held(settle(after, startMs + 3_900), job)).toEqual({});
    expect(held(settle(after, startMs + 4_000), job)).toEqual({ 'edge-0': '0' });
  }
});

test('the wait doubles to its longest, and begins anew after a long run; no end is one too many', () => {
  let cell = allReady(stage(1, 1), startMs);
  let atMs = startMs + 1_000;
  const waits: number[] = [];
  const crash = (): void => {
    const attempt = (slice(cell, job).retries.get(0)?.failures ?? 0) + 1;
    const entry = { failed: [[0, 1]] as [number, number][], attempts: [[attempt, '0']] };
    cell = settle(withReport(cell, 'edge-0', { [job]: entry as ReportedJob }, atMs), atMs);
    const due = slice(cell, job).retries.get(0)!.dueAtMs;
    waits.push((due - atMs) / 1_000);
    atMs = due;
    cell = settle(cell, atMs);
    expect(held(cell, job)).toEqual({ 'edge-0': '0' });
    atMs += 100;
  };
  for (let times = 0; times < 6; times++) crash();
  expect(waits).toEqual([1, 2, 4, 8, 8, 8]);
  atMs += 60_000;
  crash();
  expect(waits.at(-1)).toBe(1);
  for (let times = 0; times < 200; times++) crash();
  expect(formatRanges(slice(cell, job).dead)).toBe('');
});

test('what is said of an earlier start is not taken for the present one', () => {
  const running = allReady(stage(1, 1), startMs);
  const crashed = { [job]: { failed: [[0, 1]] as [number, number][] } };
  const ended = settle(withReport(running, 'edge-0', crashed, startMs + 1_000), startMs + 1_000);
  const again = settle(ended, startMs + 2_000);
  const repeated = settle(withReport(again, 'edge-0', crashed, startMs + 2_100), startMs + 2_100);
  expect(held(repeated, job)).toEqual({ 'edge-0': '0' });
  expect(slice(repeated, job).retries.get(0)!.failures).toBe(1);
});

test.each<[Policy, number, string]>([
  ['on-failure', 0, 'done'],
  ['on-failure', 1, 'degraded'],
  ['never', 0, 'done'],
  ['never', 1, 'failed'],
])('with the policy %s an exit code of %i leaves the service %s', (policy, code, state) => {
  const running = allReady(stage(1, 1, policy), startMs);
  const ended = withReport(running, 'edge-0', { [job]: { failed: [[0, code]] } }, startMs + 1_000);
  const plan = reconcile(ended, startMs + 1_000);
  expect(violationsOf(ended, plan)).toEqual([]);
  expect(plan.folds.get(job)?.next.state).toBe(state);
  expect(plan.endedJobs.has(job)).toBe(state !== 'degraded');
});

test('an instance of a lost edge starts elsewhere under its number, and the old one counts no more', () => {
  const running = allReady(stage(2, 3), startMs);
  const [lost, number] = Object.entries(held(running, job))[0]!;
  const away = connect(running, lost, false, startMs + 1_000);
  const later = settle(settle(away, startMs + 1_000), startMs + 200_000);
  expect(Object.keys(held(later, job))).not.toContain(lost);
  expect(Object.values(held(later, job)).join()).toContain(number);
  const chunk = Number(number);
  expect(slice(later, job).retries.get(chunk)).toMatchObject({ failures: 1, streak: 0 });
  const holders = Object.values(held(later, job));
  expect(holders).toHaveLength(2);
  // The one that was lost comes back and says what it ran.
  const back = connect(later, lost, true, startMs + 201_000);
  const entry = { [job]: { running: number, ready: number } };
  const after = settle(withReport(back, lost, entry, startMs + 201_000, 1), startMs + 201_000);
  expect(Object.values(held(after, job)).sort()).toEqual(holders.sort());
  expect(leaseOf(after, lost, job)?.ready).toBeUndefined();
});

test('it is scaled up and down; the highest numbers go, and without any it is stopped and kept', () => {
  let cell = allReady(stage(2), startMs);
  cell = allReady(settle(scaled(cell, 5), startMs + 1_000), startMs + 3_000);
  expect(count(slice(cell, job).ranges)).toBe(5);
  expect(stateOf(cell)).toBe('running');
  const epochs = [...cell.edges.values()].map(({ work }) => work?.epoch);
  cell = settle(scaled(cell, 1), startMs + 4_000);
  expect(Object.values(held(cell, job))).toEqual(['0']);
  expect([...cell.edges.values()].map(({ work }) => work?.epoch)).not.toEqual(epochs);
  expect(stateOf(cell)).toBe('running');
  cell = applied(settle(scaled(cell, 0), startMs + 5_000), startMs + 6_000);
  cell = settle(cell, startMs + 6_000);
  expect(held(cell, job)).toEqual({});
  expect(stateOf(cell)).toBe('stopped');
  expect(cell.jobs.has(job)).toBe(true);
  expect(reconcile(cell, startMs + 900_000).meta).toBeNull();
  cell = settle(scaled(cell, 1), startMs + 900_000);
  expect(Object.values(held(cell, job))).toEqual(['0']);
});

test('one that is taken out stops, the others keep their numbers, and it is the first to come back', () => {
  let cell = allReady(stage(3), startMs);
  const before = held(cell, job);
  cell = settle(
    cut(cell, (it) => withoutNumber(it, 1)),
    startMs + 1_000,
  );
  const kept = Object.entries(before).filter(([, chunks]) => chunks !== '1');
  expect(held(cell, job)).toEqual(Object.fromEntries(kept));
  expect(formatRanges(slice(cell, job).ranges)).toBe('0,2');
  expect(stateOf(cell)).toBe('running');
  cell = settle(scaled(cell, 3), startMs + 2_000);
  expect(formatRanges(slice(cell, job).ranges)).toBe('0-2');
  expect(Object.values(held(cell, job)).join()).toContain('1');
});

test('a number that was started before goes on counting its starts when it comes again', () => {
  let cell = allReady(stage(2, 1), startMs);
  const crash = { running: '0', ready: '0', failed: [[1, 1]] as [number, number][] };
  cell = settle(withReport(cell, 'edge-0', { [job]: crash }, startMs + 1_000), startMs + 1_000);
  cell = settle(scaled(cell, 1), startMs + 1_500);
  cell = settle(scaled(cell, 2), startMs + 9_000);
  expect(slice(cell, job).retries.get(1)?.failures).toBe(1);
  expect(held(cell, job)).toEqual({ 'edge-0': '0-1' });
});

test('cancelled, it stops everywhere and is cancelled, also without instances', () => {
  for (const chunks of [3, 0]) {
    const cell = allReady(stage(chunks), startMs);
    const stored = cell.jobs.get(job)!;
    const cancelled = { ...stored, intent: { ...stored.intent, cancelled: true } };
    const asked = { ...cell, jobs: new Map(cell.jobs).set(job, cancelled) };
    const plan = reconcile(asked, startMs + 1_000);
    expect(violationsOf(asked, plan)).toEqual([]);
    expect(plan.endedJobs.has(job)).toBe(true);
    const after = applyPlan(asked, plan);
    expect(held(after, job)).toEqual({});
  }
});

function drained(cell: Cell, edge: string): Cell {
  const drain = { reason: 'repair', deadlineAtMs: null };
  const { config } = cell.edges.get(edgeNameOf(edge))!;
  return withEdge(cell, edge, { config: { ...config, drain } });
}

test('a drained edge loses its instances one by one, each when all others are ready', () => {
  const cell = allReady(stage(2, 1), startMs);
  const more = makeEdges(3, { power: 250, flat: { services: true } }).slice(1);
  const edges = new Map([...cell.edges, ...more.map((edge) => [edge.name, edge] as const)]);
  let at = settle(drained({ ...cell, edges }, 'edge-0'), startMs + 1_000);
  expect(held(at, job)['edge-0']).toBe('1');
  expect(settle(at, startMs + 60_000).edges.get(edgeNameOf('edge-0'))!.work).toEqual(
    at.edges.get(edgeNameOf('edge-0'))!.work,
  );
  at = allReady(at, startMs + 3_000);
  expect(held(at, job)['edge-0']).toBeUndefined();
  expect(Object.values(held(at, job)).join()).toMatch(/0.*1|1.*0/);
  expect(slice(at, job).retries.get(0)).toMatchObject({ failures: 1, last: 'its edge is drained' });
});

test('an edge on its way out stays until it confirms that its instance moved', () => {
  const first = allReady(stage(1, 1), startMs);
  const [more] = makeEdges(2, { power: 250, flat: { services: true } }).slice(1);
  const cell = { ...first, edges: new Map(first.edges).set(more!.name, more!) };
  const { config } = cell.edges.get(edgeNameOf('edge-0'))!;
  const leaving = withEdge(cell, 'edge-0', { config: { ...config, removing: { force: false } } });
  const moved = settle(leaving, startMs + 1_000);
  expect(held(moved, job)).toEqual({ 'edge-1': '0' });
  expect([...moved.edges.keys()]).toEqual(['edge-0', 'edge-1']);
  const confirmed = settle(withReport(moved, 'edge-0', {}, startMs + 2_000), startMs + 2_000);
  expect([...confirmed.edges.keys()]).toEqual(['edge-1']);
  // Nobody waits for ever for one that is gone, or that applies nothing.
  const away = settle(connect(moved, 'edge-0', false, startMs + 2_000), startMs + 2_000);
  expect([...away.edges.keys()]).toEqual(['edge-1']);
  const work = moved.edges.get(edgeNameOf('edge-0'))!.work!;
  const stuck = withEdge(moved, 'edge-0', { work: { ...work, rewrites: rewritesMax } });
  expect([...settle(stuck, startMs + 2_000).edges.keys()]).toEqual(['edge-1']);
});

test('an edge that is away when it is removed goes when it is lost, and its instance with it', () => {
  const first = allReady(stage(1, 1), startMs);
  const [more] = makeEdges(2, { power: 250, flat: { services: true } }).slice(1);
  const cell = { ...first, edges: new Map(first.edges).set(more!.name, more!) };
  const away = connect(cell, 'edge-0', false, startMs + 1_000);
  const { config } = away.edges.get(edgeNameOf('edge-0'))!;
  const leaving = withEdge(away, 'edge-0', { config: { ...config, removing: { force: false } } });
  const waits = settle(leaving, startMs + 2_000);
  expect(held(waits, job)).toEqual({ 'edge-0': '0' });
  const { lookAgainAtMs } = reconcile(waits, startMs + 2_000);
  const gone = settle(waits, lookAgainAtMs!);
  expect(held(gone, job)).toEqual({ 'edge-1': '0' });
  expect([...gone.edges.keys()]).toEqual(['edge-1']);
});

test('without room elsewhere an instance stays on the drained edge until its deadline', () => {
  const cell = settle(drained(allReady(stage(1, 1), startMs), 'edge-0'), startMs + 1_000);
  expect(held(cell, job)).toEqual({ 'edge-0': '0' });
});

test('an edge whose agent does not run services gets none, and the reason says so', () => {
  const cell = makeCell({ edges: makeEdges(1), jobs: [makeJob(job, options(1))] });
  const plan = reconcile(cell, startMs);
  expect(plan.works.size).toBe(0);
  const [waiting] = plan.jobStatuses.get(job)!.waiting;
  expect(waiting).toMatchObject({ reason: 'expression-does-not-match' });
  expect(waiting!.detail).toContain('does not run services');
});

test('what an edge does not start goes elsewhere, and what runs there goes on', () => {
  const first = allReady(stage(2, 1), startMs);
  const [more] = makeEdges(2, { power: 250, flat: { services: true } }).slice(1);
  const cell = { ...first, edges: new Map(first.edges).set(more!.name, more!) };
  const { work } = cell.edges.get(edgeNameOf('edge-0'))!;
  const lease = { ...work!.leases.get(job)!, running: rangeOf(1, 2), ready: rangeOf(1, 2) };
  // It was to start one of them anew; its document was rewritten, and it applied none.
  const unresponsive = (rewrites: number) => {
    const next = { ...work!, epoch: work!.epoch + 1, rewrites, leases: new Map([[job, lease]]) };
    return settle(withEdge(cell, 'edge-0', { work: next }), startMs + 3);
  };
  expect(held(unresponsive(unresponsiveRewritesMin - 1), job)).toEqual({ 'edge-0': '0-1' });
  expect(held(unresponsive(unresponsiveRewritesMin), job)).toEqual({
    'edge-0': '1',
    'edge-1': '0',
  });
});

test.each([1, 5])(
  'one that is scaled to %i and deleted before a pass ends as that many',
  (most) => {
    const waiting = settle(makeCell({ edges: [], jobs: [makeJob(job, options(3))] }), startMs);
    const asked = withIntent(scaled(waiting, most), job, { cancelled: true });
    const plan = reconcile(asked, startMs + 1_000);
    expect([...plan.endedJobs]).toEqual([job]);
    expect(plan.jobStatuses.get(job)?.counts).toMatchObject({ total: most, cancelled: most });
    expect(violationsOf(asked, plan)).toEqual([]);
  },
);
