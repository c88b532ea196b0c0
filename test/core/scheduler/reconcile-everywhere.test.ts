import { expect, test } from 'vitest';
import type { Cell, EdgeConfig } from '../../../core/model/cell.ts';
import { cellIdOf, edgeNameOf } from '../../../core/model/names.ts';
import { formatRanges, rangeOf } from '../../../core/model/ranges.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { reconcileSafely } from '../../../core/scheduler/reconcile-safely.ts';
import type { Everywhere } from '../../../core/services/everywhere.ts';
import type { RolloutTurn } from '../../../core/services/rollout-turn.ts';
import {
  makeCell,
  makeEdges,
  makeJob,
  startMs,
  withEdge,
  withId,
  withIntent,
} from '../cell-fixture.ts';
import { connect, held, slice, withReport } from '../stage.ts';
import {
  allReady,
  hashesIn,
  readyIn,
  rolloutIn,
  serviceOptions,
  settle,
  wanting,
  web,
} from './service-stage.ts';

const seconds = (n: number) => startMs + n * 1_000;
const edges = (from: number, to: number) =>
  makeEdges(to, { power: 250, flat: { services: true } }).slice(from);

function stage(count: number, how: Partial<Everywhere> = {}, policy = 'always'): Cell {
  const options = serviceOptions(0, {});
  const everywhere = { until: 'forever' as const, onCordoned: false, ...how };
  const restart = { ...options.restart!, policy: policy as 'always' };
  const job = makeJob(web, { ...options, restart, everywhere, kind: 'everywhere' });
  return settle(makeCell({ edges: edges(0, count), jobs: [job] }), startMs);
}

function joined(cell: Cell, from: number, to: number): Cell {
  const more = edges(from, to).map((edge) => [edge.name, edge] as const);
  return { ...cell, edges: new Map([...cell.edges, ...more]) };
}

function configured(cell: Cell, edge: string, change: Partial<EdgeConfig>): Cell {
  const { config } = cell.edges.get(edgeNameOf(edge))!;
  return withEdge(cell, edge, { config: { ...config, ...change } });
}

const cordoned = { reason: 'repair', sinceMs: startMs };

test('a hundred edges have one each; ten join, five leave: a hundred and five', () => {
  let cell = allReady(stage(100), seconds(2));
  expect(Object.values(held(cell, web))).toHaveLength(100);
  expect(held(cell, web)['edge-0']).toBe('0');
  expect(slice(cell, web).countedAs).toBe('running');
  expect(reconcile(cell, seconds(10)).meta).toBeNull();
  const before = held(cell, web);
  cell = joined(cell, 100, 110);
  for (const n of [3, 14, 15, 92, 65]) {
    cell = configured(cell, `edge-${n}`, { removing: { force: true } });
  }
  cell = allReady(settle(cell, seconds(11)), seconds(13));
  const now = held(cell, web);
  expect(Object.keys(now)).toHaveLength(105);
  expect(new Set(Object.values(now)).size).toBe(105);
  // Whoever was there keeps its number.
  for (const [edge, number] of Object.entries(now)) {
    if (edge in before) expect(number).toBe(before[edge]);
  }
  expect(readyIn(cell)).toHaveLength(105);
  expect(reconcile(cell, seconds(20)).jobStatuses.get(web)).toBeUndefined();
});

test('only edges that match have one, and one that matches later gets its own', () => {
  const job = stage(2).jobs.get(web)!;
  const requires = { labels: { role: 'front' }, expressions: [], edges: [] };
  const asking = { ...job, intent: { ...job.intent, spec: { ...job.intent.spec, requires } } };
  let cell: Cell = { ...stage(2), jobs: new Map([[web, asking]]) };
  cell = configured(settle(cell, seconds(1)), 'edge-1', { labels: { role: 'front' } });
  cell = settle(cell, seconds(2));
  expect(Object.keys(held(cell, web))).toEqual(['edge-1']);
  cell = settle(configured(cell, 'edge-1', { labels: {} }), seconds(3));
  expect(held(cell, web)).toEqual({});
});

test('a cordoned edge gets none, and keeps the one that it has', () => {
  const cell = allReady(stage(2), seconds(1));
  const kept = configured(cell, 'edge-0', { cordoned });
  const more = configured(joined(kept, 2, 3), 'edge-2', { cordoned });
  const after = settle(more, seconds(2));
  expect(held(after, web)).toEqual({ 'edge-0': '0', 'edge-1': '1' });
  const free = settle(configured(after, 'edge-2', { cordoned: null }), seconds(3));
  expect(held(free, web)['edge-2']).toBe('2');
});

test('unless its job wants it there all the same', () => {
  const cell = stage(1, { onCordoned: true });
  const after = settle(configured(joined(cell, 1, 2), 'edge-1', { cordoned }), seconds(2));
  expect(held(after, web)).toEqual({ 'edge-0': '0', 'edge-1': '1' });
});

test('an instance never runs on another edge than its own', () => {
  const cell = allReady(stage(2), seconds(1));
  const away = settle(connect(cell, 'edge-0', false, seconds(2)), seconds(300));
  expect(held(away, web)).toEqual({ 'edge-1': '1' });
  expect(formatRanges(slice(away, web).ranges)).toBe('0-1');
  expect(slice(away, web).countedAs).toBe('degraded');
});

test('a drained edge loses its instance, and gets it back under its number', () => {
  const cell = allReady(stage(2), seconds(1));
  const drain = { reason: 'repair', deadlineAtMs: null };
  const drained = settle(configured(cell, 'edge-0', { drain }), seconds(2));
  expect(held(drained, web)).toEqual({ 'edge-1': '1' });
  expect(slice(drained, web).countedAs).toBe('running');
  const back = settle(configured(joined(drained, 2, 3), 'edge-0', { drain: null }), seconds(3));
  expect(held(back, web)).toEqual({ 'edge-0': '0', 'edge-1': '1', 'edge-2': '2' });
});

test.each([
  ['all-now', true],
  ['forever', false],
] as const)('once on each edge, %s: the job ends when all are done: %s', (until, isOver) => {
  let cell = stage(3, { until }, 'never');
  const end = (edge: string, atS: number) => {
    const chunk = Number(held(cell, web)[edge]);
    const entry = { failed: [[chunk, 0]] as [number, number][] };
    return withReport(cell, edge, { [web]: entry }, seconds(atS));
  };
  cell = settle(end('edge-0', 1), seconds(1));
  cell = settle(end('edge-1', 2), seconds(2));
  expect(formatRanges(slice(cell, web).done)).toBe('0-1');
  const totals = cell.edges.get(edgeNameOf('edge-0'))!.work!.totals;
  expect(totals).toEqual({ chunksDone: 1, powerServed: 100 });
  const last = end('edge-2', 3);
  expect(reconcile(last, seconds(3)).endedJobs.has(web)).toBe(isOver);
  if (isOver) return;
  const later = settle(joined(settle(last, seconds(3)), 3, 4), seconds(4));
  expect(held(later, web)).toEqual({ 'edge-3': '3' });
});

test('without any edge it waits for the first', () => {
  const cell = stage(0, { until: 'all-now' });
  expect(cell.jobs.has(web)).toBe(true);
  expect(held(settle(joined(cell, 0, 1), seconds(5)), web)).toEqual({ 'edge-0': '0' });
});

test('what was to start anew does so on an edge that comes back and never knew it was gone', () => {
  const restart = { epoch: 1, chunks: rangeOf(0, 2) };
  const asked = settle(wanting(allReady(stage(2), seconds(1)), 1, { restart }), seconds(2));
  const waits = [...rolloutIn(asked).due.values()].map(formatRanges);
  expect(waits).toEqual(['1']);
  const drain = { reason: 'repair', deadlineAtMs: null };
  const gone = settle(configured(asked, 'edge-1', { drain }), seconds(3));
  expect(held(gone, web)).toEqual({ 'edge-0': '0' });
  const back = settle(configured(gone, 'edge-1', { drain: null }), seconds(4));
  expect(held(back, web)).toMatchObject({ 'edge-1': '1' });
  expect(slice(back, web).retries.get(1)?.failures).toBe(1);
});

test('it is brought to another generation as every service, on cordoned edges too', () => {
  const cell = configured(allReady(stage(2), seconds(1)), 'edge-0', { cordoned });
  let at = settle(wanting(cell, 2), seconds(2));
  expect(hashesIn(at)).toEqual({ 0: 'hash-2', 1: 'hash-web' });
  for (let s = 3; s < 40; s++) at = allReady(at, seconds(s));
  expect(hashesIn(at)).toEqual({ 0: 'hash-2', 1: 'hash-2' });
  expect(rolloutIn(at).state).toBe('done');
  expect(held(at, web)).toEqual(held(cell, web));
});

test('edges that are gone keep no update from the others, and come back as what is wanted', () => {
  const before = connect(allReady(stage(4), seconds(1)), 'edge-0', false, seconds(2));
  let at = settle(before, seconds(400));
  expect(readyIn(at)).toEqual([1, 2, 3]);
  at = settle(wanting(at, 2), seconds(401));
  for (let s = 402; s < 440; s++) at = allReady(at, seconds(s));
  expect(rolloutIn(at)).toMatchObject({ state: 'done', reason: null });
  expect(hashesIn(at)).toEqual({ 1: 'hash-2', 2: 'hash-2', 3: 'hash-2' });
  at = withReport(connect(at, 'edge-0', true, seconds(500)), 'edge-0', {}, seconds(500));
  at = allReady(settle(at, seconds(501)), seconds(502));
  expect(hashesIn(at)).toMatchObject({ 0: 'hash-2' });
  expect(rolloutIn(at).state).toBe('done');
});

test('one whose edge goes while it is brought is waited for no longer', () => {
  const first = settle(wanting(allReady(stage(3), seconds(1)), 2), seconds(2));
  expect(rolloutIn(first).unsettled.has(0)).toBe(true);
  let at = connect(first, 'edge-0', false, seconds(3));
  for (let s = 4; s < 60; s++) at = allReady(at, seconds(s));
  expect(rolloutIn(at)).toMatchObject({ state: 'done', reason: null });
});

test('once on each edge: one of them leaves in the pass in which the last is done', () => {
  let cell = stage(3, { until: 'all-now' }, 'never');
  const end = (edge: string, atS: number) => {
    const chunk = Number(held(cell, web)[edge]);
    cell = withReport(cell, edge, { [web]: { failed: [[chunk, 0]] } }, seconds(atS));
  };
  for (const edge of ['edge-0', 'edge-1']) end(edge, 2);
  cell = settle(cell, seconds(3));
  end('edge-2', 4);
  const there = new Map([...cell.edges].filter(([name]) => name !== 'edge-0'));
  const { plan, refused } = reconcileSafely({ ...cell, edges: there }, seconds(5));
  expect(refused).toEqual([]);
  expect([...(plan?.endedJobs ?? [])]).toEqual([web]);
  expect(plan?.jobStatuses.get(web)?.counts).toMatchObject({ total: 2, done: 2 });
});

test('once on each edge: a failed one is retried after its edge began to leave', () => {
  const job = stage(2, { until: 'all-now' }, 'never').jobs.get(web)!;
  const ended = { ...job.slice, done: rangeOf(0, 1), dead: rangeOf(1, 2) };
  const retried = { ...job, slice: ended, intent: { ...job.intent, retryEpoch: 1 } };
  const there = { ...makeCell({ edges: edges(0, 2), jobs: [] }), jobs: new Map([[web, retried]]) };
  const drain = { reason: 'repair', deadlineAtMs: null };
  const { plan, refused } = reconcileSafely(configured(there, 'edge-1', { drain }), seconds(5));
  expect(refused).toEqual([]);
  expect([...(plan?.endedJobs ?? [])]).toEqual([web]);
  expect(plan?.jobStatuses.get(web)?.counts).toMatchObject({ total: 1, done: 1, dead: 0 });
});

test('each cell gives numbers of its own', () => {
  const cell = withId(stage(0), cellIdOf('default.3'));
  const both = settle(joined(cell, 0, 2), seconds(1));
  expect(Object.values(held(both, web))).toEqual(['3000', '3001']);
});

test('a cell whose turn has not come keeps what it runs, also for edges that join', () => {
  const inTurns = (cell: Cell, turn?: { wish: number }) => {
    const rollout = { ...cell.jobs.get(web)!.intent.rollout!, byTurns: true as const };
    return withIntent(cell, web, { rollout, ...(turn !== undefined && { turn }) });
  };
  let cell = settle(inTurns(wanting(allReady(stage(2), seconds(2)), 2)), seconds(10));
  expect(rolloutIn(cell)).toMatchObject({ generation: 1, awaits: { wish: 2, generation: 2 } });
  expect(reconcile(cell, seconds(11)).meta).toBeNull();
  cell = allReady(settle(joined(cell, 2, 3), seconds(12)), seconds(14));
  expect(hashesIn(cell)).toEqual({ 0: 'hash-web', 1: 'hash-web', 2: 'hash-web' });
  cell = settle(inTurns(cell, { wish: 2 }), seconds(15));
  expect(rolloutIn(cell)).toMatchObject({ generation: 2, state: 'moving' });
  expect(rolloutIn(cell)).not.toHaveProperty('awaits');
  expect(Object.values(hashesIn(cell)).filter((hash) => hash === 'hash-2')).toHaveLength(1);
});

test('a cell that goes back says when it is late, so that others need not wait for it', () => {
  const inTurns = (cell: Cell, turn: RolloutTurn) => {
    const rollout = { ...cell.jobs.get(web)!.intent.rollout!, byTurns: true as const };
    return withIntent(cell, web, { rollout, turn });
  };
  const openIn = (cell: Cell, atSeconds: number) =>
    reconcile(cell, seconds(atSeconds)).jobStatuses.get(web)?.service?.rollout?.open;
  let cell = settle(inTurns(wanting(allReady(stage(2), seconds(2)), 2), { wish: 2 }), seconds(10));
  const job = cell.jobs.get(web)!;
  const came = { state: 'done' as const, stable: 2, due: new Map(), unsettled: new Map() };
  const rollout = { ...rolloutIn(cell), ...came };
  cell = { ...cell, jobs: new Map([[web, { ...job, slice: { ...job.slice, rollout } }]]) };
  const turn = { wish: 2, back: { to: 1, reason: 'it ended' } };
  cell = settle(inTurns(cell, turn), seconds(40));
  expect(rolloutIn(cell)).toMatchObject({ generation: 1, state: 'rolled-back', wanted: 2 });
  expect(rolloutIn(cell)).not.toHaveProperty('late');
  expect(reconcile(cell, seconds(99)).lookAgainAtMs).toBe(seconds(100));
  expect(openIn(cell, 100)).toBeUndefined();
  cell = settle(cell, seconds(100));
  expect(rolloutIn(cell)).toMatchObject({ late: true });
  cell = settle(inTurns(wanting(cell, 3), { wish: 3 }), seconds(101));
  expect(rolloutIn(cell)).toMatchObject({ generation: 3, state: 'moving' });
  expect(rolloutIn(cell)).not.toHaveProperty('late');
});
