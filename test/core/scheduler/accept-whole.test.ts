import { expect, test } from 'vitest';
import { takenSubmissionsMax } from '../../../core/graph/limits.ts';
import type { Cell, PullConfig } from '../../../core/model/cell.ts';
import { refusalKeptMs } from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
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
  withIntent,
} from '../cell-fixture.ts';
import { held, pass, withReport } from '../stage.ts';

/** A jobspec that went to a cluster in pull mode is one offer, and is taken whole. */
const cluster = edgeNameOf('keebler');
const submission = (tasks: number, id = 's') => ({ id: jobIdOf(id), tasks });
const pull: PullConfig = { offers: 'named' };

function partOf(tasks: number, waits = false, more: JobOptions = {}, id = 's'): JobOptions {
  const intent = { submission: submission(tasks, id), blockedByDependencies: waits };
  return {
    chunks: 1,
    ...more,
    requires: { labels: {}, expressions: [], edges: ['keebler'] },
    intent,
  };
}

function cellWith(jobs: Readonly<Record<string, JobOptions>>): Cell {
  return makeCell({
    edges: [makeEdge('keebler', { config: { ...plainConfig, pull } })],
    jobs: Object.entries(jobs).map(([id, options]) => makeJob(id, options)),
  });
}

const three = () => cellWith({ a: partOf(3), b: partOf(3), c: partOf(3, true) });
const offers = (cell: Cell, atMs = startMs) => offersOf(cell, cluster, atMs);

function take(cell: Cell, ids: readonly string[], atMs = startMs, fits = false) {
  const wanted = ids.map((id) => ({ job: jobIdOf(id), chunks: null, fits }));
  const taken = accept(cell, cluster, wanted, atMs);
  if (taken.plan.meta !== null) expect(violationsOf(cell, taken.plan)).toEqual([]);
  return { ...taken, cell: taken.plan.meta === null ? cell : applyPlan(cell, taken.plan) };
}

/** What its parents' ends do to a job. */
const unblocked = (cell: Cell, id: string) =>
  withIntent(cell, id, { blockedByDependencies: false });

test('it is one offer whatever it has, and its jobs are none', () => {
  const cell = cellWith({
    a: partOf(3),
    b: partOf(3),
    c: partOf(3, true),
    other: { ...partOf(1), intent: {} },
  });
  expect(offers(cell).map(({ job, whole }) => [whole?.id ?? job, whole?.tasks])).toEqual([
    ['s', 3],
    ['other', undefined],
  ]);
  expect(offers(cell)).toEqual(offers(cell));
  const { refused } = take(cell, ['a']);
  expect([...refused.values()]).toEqual(['not-offered']);
});

test('one plan takes all of it: what can begin now, and the rest when it can', () => {
  const { accepted, leases, cell } = take(three(), ['s']);
  expect(accepted).toEqual(['s']);
  expect(leases.map(({ job, chunks }) => [job, formatRanges(chunks)])).toEqual([
    ['a', '0'],
    ['b', '0'],
  ]);
  expect(offers(cell)).toEqual([]);
  expect(held(pass(cell, startMs + 10), 'c')).toEqual({});
  const after = pass(unblocked(cell, 'c'), startMs + 20);
  expect(held(after, 'c')).toEqual({ keebler: '0' });
  expect([...take(after, ['s', 'a']).refused.values()]).toEqual([
    'already-accepted',
    'already-accepted',
  ]);
  expect(reconcile(after, startMs + 20).meta).toBeNull();
});

test('two hundred tasks are taken by one plan, and given as far as rows go', () => {
  const names = Array.from({ length: 200 }, (_, at) => `job-${at}`);
  const jobs = Object.fromEntries(names.map((name) => [name, partOf(200)]));
  const { accepted, leases, cell, left } = take(cellWith(jobs), ['s']);
  expect([accepted, left]).toEqual([['s'], []]);
  expect(leases.length).toBeGreaterThan(10);
  expect(leases.length).toBeLessThan(200);
  expect(offers(cell)).toEqual([]);
  let now = cell;
  let given = leases.length;
  for (let at = 1; at <= 3; at++) {
    now = pass(now, startMs + at);
    const next = names.filter((name) => held(now, name).keebler !== undefined).length;
    expect(next).toBeGreaterThanOrEqual(given);
    given = next;
  }
  expect(given).toBeGreaterThan(leases.length);
});

test('what failed and waits is given to it again, and not offered', () => {
  const { cell } = take(cellWith({ a: partOf(1) }), ['s']);
  const at = startMs + 1_000;
  const failed = pass(withReport(cell, 'keebler', { a: { failed: [[0, 1]] } }, at), at);
  expect(held(failed, 'a')).toEqual({});
  expect(offers(failed, at)).toEqual([]);
  const dueAtMs = failed.jobs.get(jobIdOf('a'))!.slice.retries.get(0)!.dueAtMs;
  expect(reconcile(failed, at).lookAgainAtMs ?? dueAtMs).toBeLessThanOrEqual(dueAtMs);
  expect(held(pass(failed, dueAtMs), 'a')).toEqual({ keebler: '0' });
});

test('what it does not show in time is offered again, as a whole', () => {
  const { cell } = take(three(), ['s']);
  const at = startMs + 120_000;
  const silent = withReport(cell, 'keebler', { b: { running: '0' } }, at);
  const plan = reconcile(silent, at);
  expect(violationsOf(silent, plan)).toEqual([]);
  const after = applyPlan(silent, plan);
  expect([held(after, 'a'), held(after, 'b')]).toEqual([{}, { keebler: '0' }]);
  expect(offers(after, at).map(({ whole }) => whole?.id)).toEqual(['s']);
  expect(held(pass(unblocked(after, 'c'), at + 1), 'c')).toEqual({});
  expect(take(after, ['s'], at).accepted).toEqual(['s']);
});

test('giving one of its jobs back gives back what has not begun', () => {
  const { cell } = take(three(), ['s']);
  const back = release(cell, cluster, [jobIdOf('a')], 'no room', startMs);
  expect(violationsOf(cell, back.plan)).toEqual([]);
  const after = pass(unblocked(applyPlan(cell, back.plan), 'c'), startMs + 1);
  expect([held(after, 'a'), held(after, 'c')]).toEqual([{}, {}]);
  expect(offers(after)).toEqual([]);
  expect([...take(after, ['s']).refused.values()]).toEqual(['not-offered']);
  const later = startMs + refusalKeptMs;
  expect(offers(after, later).map(({ whole }) => whole?.id)).toEqual(['s']);
});

test('a host gets of it what fits, and more when there is room', () => {
  const jobs = {
    a: partOf(2, false, { chunkPower: 200 }),
    b: partOf(2, false, { chunkPower: 200 }),
  };
  const { cell, leases } = take(cellWith(jobs), ['s'], startMs, true);
  expect(leases.length).toBe(1);
  const rested = pass(cell, startMs + 1);
  expect([held(rested, 'a'), held(rested, 'b')]).toEqual([{ keebler: '0' }, {}]);
  const done = withReport(rested, 'keebler', { a: { done: '0' } }, startMs + 2);
  expect(held(pass(done, startMs + 2), 'b')).toEqual({ keebler: '0' });
});

test('the note goes with the last of it, and only so many are kept', () => {
  const { cell } = take(cellWith({ a: partOf(1) }), ['s']);
  expect(cell.edges.get(cluster)!.work!.taken).toEqual([{ id: 's', fits: false }]);
  const done = withReport(cell, 'keebler', { a: { done: '0' } }, startMs + 2);
  const after = pass(pass(done, startMs + 2), startMs + 3);
  expect(after.edges.get(cluster)!.work!.taken).toBeUndefined();
  const jobs = Array.from({ length: takenSubmissionsMax + 1 }, (_, at) => {
    return [`job-${at}`, partOf(1, false, {}, `s${at}`)] as const;
  });
  let many = cellWith(Object.fromEntries(jobs));
  const refused: string[] = [];
  for (const [, { intent }] of jobs) {
    const taken = take(many, [intent!.submission!.id]);
    refused.push(...taken.refused.values());
    many = taken.cell;
  }
  expect(refused).toEqual(['held']);
});

test('one that is cancelled or held is not offered, and is refused with the word for it', () => {
  const cell = cellWith({ a: partOf(2, true), b: partOf(2, true) });
  expect(offers(cell)).toEqual([]);
  expect([...take(cell, ['s']).refused.values()]).toEqual(['held']);
  const ended = withIntent(withIntent(cell, 'a', { cancelled: true }), 'b', { cancelled: true });
  expect([...take(ended, ['s']).refused.values()]).toEqual(['ended']);
  expect([...take(cell, ['nobody']).refused.values()]).toEqual(['not-offered']);
});
