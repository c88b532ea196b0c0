import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { hasStatus } from '../../../core/model/edge-state.ts';
import { rewritesMax, takenWithinMs, unprovenPowerMax } from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { edgeReportOf, silenceMsMax } from '../../../core/model/presence.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  makeReport,
  startMs,
  withEdge,
} from '../cell-fixture.ts';
import { applied, connect, held, leaseOf, pass, rest, withReport } from '../stage.ts';

/** Edges that say nothing: over HTTPS, where no broker notices, and those that never did. */

const poll = { contactAtMs: startMs, everyMs: 4_000 };
const silentMs = silenceMsMax(poll);

function atLater(seconds: number): number {
  return startMs + seconds * 1000;
}

/** An edge that polls, and reported last at this time. */
function polling(cell: Cell, edge: string, contactAtMs: number): Cell {
  const { report } = cell.edges.get(edgeNameOf(edge))!;
  const changed = { ...report!, connected: true, poll: { ...poll, contactAtMs } };
  return withEdge(cell, edge, { report: changed });
}

function working(lostAfterSeconds: number): Cell {
  const jobs = [makeJob('job-a', { chunks: 2, lostAfterSeconds })];
  const cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  return polling(applied(cell, startMs), 'edge-0', startMs);
}

test('an edge over HTTPS that falls silent loses its work after the grace of the job', () => {
  let cell = pass(working(60), startMs);
  expect(reconcile(cell, atLater(59)).works.size).toBe(0);
  expect(reconcile(cell, atLater(59)).lookAgainAtMs).toBe(atLater(60));
  cell = rest(cell, atLater(60)).cell;
  expect(held(cell, 'job-a')).toEqual({});
  expect(cell.edges.get(edgeNameOf('edge-0'))!.work!.lostAtMs).toBe(atLater(60));
});

test('a contact of any kind keeps it; its grace is never less than a few of its polls', () => {
  let cell = polling(pass(working(5), startMs), 'edge-0', atLater(100));
  expect(held(rest(cell, atLater(101)).cell, 'job-a')).toEqual({ 'edge-0': '0-1' });
  cell = rest(cell, atLater(100) + silentMs - 1).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0-1' });
  expect(held(rest(cell, atLater(100) + silentMs).cell, 'job-a')).toEqual({});
});

test('it counts as away in time, and gets nothing', () => {
  const cell = polling(makeCell({ edges: makeEdges(1) }), 'edge-0', startMs);
  const edge = cell.edges.get(edgeNameOf('edge-0'))!;
  expect(hasStatus(edge, 'connected', startMs + silentMs - 1)).toBe(true);
  expect(hasStatus(edge, 'disconnected', startMs + silentMs)).toBe(true);
  const job = makeJob('job-a', { chunks: 1 });
  const asked = { ...cell, jobs: new Map([[job.id, job]]) };
  expect(held(pass(asked, startMs + silentMs), 'job-a')).toEqual({});
  expect(held(pass(asked, startMs + silentMs - 1), 'job-a')).toEqual({ 'edge-0': '0' });
});

test('the broker is believed before polls, and a poll makes no edge of one that is gone', () => {
  const progress = parseProgressReport({ b: 'b', e: 0, n: 1, f: 0, w: {}, i: 4 });
  const contact = { progress, version: 0, overHttps: true, connectionVersion: 1 };
  const session = { ...contact, connected: true, connectionAtMs: 10, receivedAtMs: 20 };
  expect(edgeReportOf(session).poll).toBeUndefined();
  const gone = { ...contact, connected: false, connectionAtMs: 30, receivedAtMs: 20 };
  expect(edgeReportOf(gone)).toMatchObject({ connected: false, connectionAtMs: 30 });
  const back = { ...gone, receivedAtMs: 40 };
  expect(edgeReportOf(back)).toMatchObject({ connected: true, poll: { everyMs: 4_000 } });
  expect(edgeReportOf({ ...back, overHttps: false }).poll).toBeUndefined();
});

test('a goodbye frees at once what does not run on, and the rest after its grace', () => {
  const jobs = [makeJob('job-a', { chunks: 3, chunkPower: 50, lostAfterSeconds: 60 })];
  let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  cell = rest(withReport(cell, 'edge-0', { 'job-a': { running: '0-1' } }, startMs), startMs).cell;
  cell = withReport(cell, 'edge-0', { 'job-a': { done: '0', running: '1' } }, atLater(1));
  const { report } = cell.edges.get(edgeNameOf('edge-0'))!;
  const progress = { ...report!.progress!, goodbye: true as const };
  const left = { ...report!, progress, connected: false, connectionAtMs: atLater(1) };
  cell = rest(withEdge(cell, 'edge-0', { report: left }), atLater(1)).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '1' });
  expect(leaseOf(cell, 'edge-0', 'job-a')!.heldBefore).toEqual([2, 3]);
  expect(held(rest(cell, atLater(60)).cell, 'job-a')).toEqual({ 'edge-0': '1' });
  expect(held(rest(cell, atLater(61)).cell, 'job-a')).toEqual({});
});

test('a goodbye is that of one start of the agent', () => {
  const of = (z: string) => parseProgressReport({ b: 'one', e: 0, n: 1, f: 0, w: {}, z });
  expect(of('one')?.goodbye).toBe(true);
  expect(of('two')?.goodbye).toBeUndefined();
  const contact = { progress: of('one'), version: 1, overHttps: false, connectionVersion: 1 };
  const session = { ...contact, connected: true, connectionAtMs: 10, receivedAtMs: 20 };
  expect(edgeReportOf(session).connected).toBe(false);
  expect(edgeReportOf({ ...session, connectionAtMs: 30 }).connected).toBe(true);
});

test('a connected edge that never shows that it took a lease loses it, and blames no chunk', () => {
  const jobs = [makeJob('job-a', { chunks: 2, lostAfterSeconds: 120 })];
  let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  for (let second = 5; second < 120; second += 5) cell = rest(cell, atLater(second)).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0-1' });
  cell = rest(cell, atLater(120)).cell;
  expect(held(cell, 'job-a')).toEqual({});
  expect([...cell.jobs.values()][0]!.slice.losses.size).toBe(0);
  // Nor does it get the next one by connecting again.
  cell = connect(cell, 'edge-0', false, atLater(121));
  cell = rest(connect(cell, 'edge-0', true, atLater(122)), atLater(122)).cell;
  expect(held(cell, 'job-a')).toEqual({});
  cell = rest(applied(cell, atLater(123)), atLater(123)).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0-1' });
});

test('a short grace leaves time to take a lease', () => {
  const jobs = [makeJob('job-a', { chunks: 1, lostAfterSeconds: 5 })];
  const early = makeReport({ receivedAtMs: 0 });
  const edges = [makeEdge('edge-0', { report: early })];
  let cell = pass(makeCell({ edges, jobs }), startMs);
  cell = rest(cell, startMs + takenWithinMs - 1).cell;
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  expect(held(rest(cell, startMs + takenWithinMs).cell, 'job-a')).toEqual({});
});

test.each([
  [rewritesMax - 1, { 'edge-0': '0' }],
  [rewritesMax, {}],
])(
  'sent its work %i times again, an edge that reports an older document is left with %j',
  (rewrites, left) => {
    const jobs = [makeJob('job-a', { chunks: 1, lostAfterSeconds: 5 })];
    let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
    const atMs = startMs + takenWithinMs;
    cell = withReport(cell, 'edge-0', {}, atMs - 1, 0);
    const edge = cell.edges.get(edgeNameOf('edge-0'))!;
    const work = { ...edge.work!, rewrites, writtenAtMs: atMs - 1 };
    cell = { ...cell, edges: new Map([[edge.name, { ...edge, work }]]) };
    expect(held(pass(cell, atMs), 'job-a')).toEqual(left);
  },
);

test('an edge gets little until it has applied a document, whatever it claims', () => {
  const edges = [makeEdge('liar', { power: 1_000_000_000 }), makeEdge('edge-0', { power: 300 })];
  const jobs = [
    makeJob('job-a', { chunks: 50, chunkPower: 100 }),
    makeJob('job-b', { chunks: 1, chunkPower: 100 }),
  ];
  let cell = rest(makeCell({ edges, jobs }), startMs).cell;
  const power = () => {
    const all = [...cell.edges.get(edgeNameOf('liar'))!.work!.leases.values()];
    return 100 * all.reduce((sum, { slots }) => sum + slots, 0);
  };
  expect(power()).toBe(unprovenPowerMax);
  cell = rest(withReport(cell, 'liar', {}, startMs), startMs).cell;
  expect(power()).toBeGreaterThan(3 * unprovenPowerMax);
});

test('one chunk that is larger than that goes to an edge that has shown nothing yet', () => {
  const edges = [makeEdge('edge-0', { power: 10_000 })];
  const jobs = [makeJob('job-a', { chunks: 2, chunkPower: 5_000 })];
  const { cell, plans } = rest(makeCell({ edges, jobs }), startMs);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
  const { waiting } = plans.at(-1)!.jobStatuses.values().next().value!;
  expect(waiting).toMatchObject([{ reason: 'no-free-power', chunks: 1, edges: 1 }]);
});

test('an epoch that could not be says nothing of what was applied', () => {
  const jobs = [makeJob('job-a', { chunks: 2, lostAfterSeconds: 120 })];
  const unseen = makeReport({ receivedAtMs: 0 });
  let cell = makeCell({ edges: [makeEdge('edge-0', { report: unseen })], jobs });
  cell = withReport(cell, 'edge-0', {}, startMs - 1, 2 ** 53 - 1);
  cell = pass(cell, startMs);
  for (let second = 5; second < 125; second += 5) cell = rest(cell, atLater(second)).cell;
  expect(held(cell, 'job-a')).toEqual({});
});
