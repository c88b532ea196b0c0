import { expect, test } from 'vitest';
import { decodeWorkRow, encodeWorkRow } from '../../../adapters/dynamodb/rows/rows-work.ts';
import type { Cell } from '../../../core/model/cell.ts';
import { hasApplied } from '../../../core/model/edge-state.ts';
import { epochMax, shadowRewriteMs } from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { encodeWork, parseWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdges, makeJob, startMs, withProgress } from '../cell-fixture.ts';
import { connect, held, pass, rest, withReport } from '../stage.ts';

const one = edgeNameOf('edge-0');

test('the document says what the committed rows say', () => {
  const job = makeJob('job-a', { chunks: 1 });
  const cell = pass(makeCell({ edges: makeEdges(1), jobs: [job] }), startMs);
  const work = workOf(cell.edges.get(one)!.work!, cell.jobs);
  const entry = { e: 1, r: '0', s: 1, p: 100, g: 'hash-job-a', u: null, t: null };
  expect(encodeWork(work)).toEqual({
    e: 1,
    n: null,
    w: { 'job-a': { ...entry, j: expect.stringContaining('"chunks":1') } },
  });
  expect(parseWork(JSON.parse(JSON.stringify(encodeWork(work))))).toEqual(work);
});

test('what an overtaken write put back into the shadow is no work', () => {
  const entry = { r: '0-3', s: 1, p: 100, g: 'h', u: null, t: null };
  const merged = {
    e: 13,
    n: 15,
    w: { 'job-b': { ...entry, e: 13 }, 'job-a': { ...entry, e: 11 }, 'job-c': entry },
  };
  expect([...parseWork(merged)!.jobs.keys()]).toEqual(['job-b', 'job-c']);
});

test('a document that is not applied is written again, ever more rarely', () => {
  let cell = pass(
    makeCell({ edges: makeEdges(1), jobs: [makeJob('job-a', { chunks: 1 })] }),
    startMs,
  );
  expect(reconcile(cell, startMs).lookAgainAtMs).toBe(startMs + shadowRewriteMs);
  const times: number[] = [];
  for (let atMs = startMs; atMs < startMs + 120_000; atMs += 1_000) {
    const plan = reconcile(cell, atMs);
    if (plan.shadows.has(one)) times.push((atMs - startMs) / 1_000);
    cell = pass(cell, atMs);
  }
  expect(times).toEqual([5, 15, 35, 75]);
  expect(cell.edges.get(one)!.work!.epoch).toBe(5);
  cell = withReport(cell, 'edge-0', { 'job-a': { running: '0' } }, startMs + 120_000);
  expect(reconcile(pass(cell, startMs + 120_000), startMs + 900_000).shadows.size).toBe(0);
});

test('an edge that does not take its work gets no more, one that is away is not written to', () => {
  let cell = pass(
    makeCell({ edges: makeEdges(1), jobs: [makeJob('job-a', { chunks: 1 })] }),
    startMs,
  );
  for (const second of [5, 15, 35]) cell = pass(cell, startMs + second * 1_000);
  const more = makeJob('job-b', { chunks: 1 });
  cell = { ...cell, jobs: new Map(cell.jobs).set(more.id, more) };
  cell = pass(cell, startMs + 36_000);
  expect(held(cell, 'job-b')).toEqual({});
  cell = pass(withReport(cell, 'edge-0', {}, startMs + 40_000), startMs + 40_000);
  expect(held(cell, 'job-b')).toEqual({ 'edge-0': '0' });
  const away = connect(cell, 'edge-0', false, startMs + 41_000);
  expect(reconcile(away, startMs + 60_000).shadows.size).toBe(0);
});

test('keys of jobs that are gone are nulled until the edge has applied that', () => {
  const jobs = [makeJob('job-a', { chunks: 1 }), makeJob('job-b', { chunks: 1 })];
  let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  cell = pass(withReport(cell, 'edge-0', { 'job-a': { done: '0' } }, startMs), startMs);
  expect(cell.edges.get(one)!.work!.removed).toEqual(['job-a']);
  // The edge has not applied epoch 2 yet, so its key stays on the list.
  cell = pass(withReport(cell, 'edge-0', { 'job-b': { done: '0' } }, startMs, 1), startMs);
  expect(cell.edges.get(one)!.work!.removed).toEqual(['job-a', 'job-b']);
  const later = makeJob('job-c', { chunks: 1 });
  cell = withReport(cell, 'edge-0', {}, startMs);
  cell = pass({ ...cell, jobs: new Map([[later.id, later]]) }, startMs);
  expect(cell.edges.get(one)!.work!.removed).toEqual([]);
});

test('leases of a job that was taken away are forgotten', () => {
  const jobs = [makeJob('job-a', { chunks: 1 })];
  let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  cell = rest({ ...cell, jobs: new Map() }, startMs).cell;
  expect(cell.edges.get(one)!.work!.leases.has(jobIdOf('job-a'))).toBe(false);
  expect(cell.edges.get(one)!.work!.removed).toEqual(['job-a']);
});

test('the key of a job that cannot be read stays in the document, while others go', () => {
  const jobs = [makeJob('job-a', { chunks: 1 }), makeJob('job-b', { chunks: 1 })];
  const cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
  const reported = withReport(cell, 'edge-0', { 'job-b': { done: '0' } }, startMs);
  const id = jobIdOf('job-a');
  const damaged = new Map([[id, { row: 'ASK#job-a', standIn: reported.jobs.get(id)! }]]);
  const left = new Map(reported.jobs);
  left.delete(id);
  const unreadable = { rows: ['ASK#job-a'], edges: new Map(), jobs: damaged };
  const work = reconcile({ ...reported, jobs: left, unreadable }, startMs).works.get(one)!;
  expect(work.removed).toEqual(['job-b']);
  expect(work.leases.has(id)).toBe(true);
});

test.each([startMs + 1, startMs + 2, 2 ** 49, 2 ** 50, 2 ** 53 - 1])(
  'whoever says that he has applied document %i leaves room to count',
  (epoch) => {
    const jobs = [makeJob('job-a', { chunks: 1 })];
    let cell = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
    const say = (e: number, atMs: number) => {
      const progress = parseProgressReport({ b: 'one', e, n: null, f: 0, w: {} })!;
      cell = rest(withProgress(cell, 'edge-0', progress, atMs), atMs).cell;
      return cell.edges.get(one)!.work!;
    };
    let work = say(epoch, startMs + 1);
    expect(work.epoch).toBeLessThanOrEqual(startMs + 2);
    // What it is given after that it may have applied, and no more.
    work = say(work.epoch, startMs + 2);
    expect(hasApplied(cell.edges.get(one)!.report, work)).toBe(true);
    expect(say(epochMax, startMs + 3).epoch).toBeLessThanOrEqual(startMs + 3);
    expect(decodeWorkRow(encodeWorkRow(cell.meta.id, one, work)).epoch).toBe(work.epoch);
  },
);

test.each([2 ** 49, startMs + 1])(
  'after a restore no edge obeys a document above its own, whoever said %i in its name before',
  (epoch) => {
    const jobs = [makeJob('job-a', { chunks: 1 })];
    const restored = pass(makeCell({ edges: makeEdges(1), jobs }), startMs);
    const say = (cell: Cell, e: number, atMs: number) => {
      const progress = parseProgressReport({ b: 'one', e, n: null, f: 0, w: {} })!;
      return rest(withProgress(cell, 'edge-0', progress, atMs), atMs).cell;
    };
    const before = say(restored, epoch, startMs + 1);
    const obeyed = before.edges.get(one)!.work!.epoch;
    const after = say(restored, obeyed, startMs + 60_000);
    expect(after.edges.get(one)!.work!.epoch).toBeGreaterThanOrEqual(obeyed);
  },
);
