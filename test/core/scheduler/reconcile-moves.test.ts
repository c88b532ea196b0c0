import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { formatRanges } from '../../../core/model/ranges.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { scaledTo } from '../../../core/services/instance-numbers.ts';
import { makeEdges, startMs, withEdge } from '../cell-fixture.ts';
import { connect, held, slice, withReport } from '../stage.ts';
import {
  allReady,
  readyIn,
  said,
  serviceStage,
  settle,
  stillReady,
  wanting,
  web,
} from './service-stage.ts';

/** Instances that leave an edge: others stand in for them where there is room. */
const seconds = (n: number) => startMs + n * 1_000;

function drained(cell: Cell, edge: string): Cell {
  const { config } = cell.edges.get(edgeNameOf(edge))!;
  return withEdge(cell, edge, {
    config: { ...config, drain: { reason: 'repair', deadlineAtMs: null } },
  });
}

/** All of a service on one edge, and so many others with room for two each. */
function stage(chunks: number, others: number, how = {}): Cell {
  const cell = serviceStage(chunks, 1, how, 100 * chunks);
  const flat = { services: true };
  const more = makeEdges(others + 1, { power: 250, flat }).slice(1);
  return { ...cell, edges: new Map([...cell.edges, ...more.map((it) => [it.name, it] as const)]) };
}

type Moved = { cell: Cell; readyMin: number; s: number };

/** Reports and passes once a second, until nothing is left on the edge and nobody stands in. */
function move(cell: Cell, most = 100): Moved {
  let at = settle(drained(cell, 'edge-0'), seconds(10));
  let readyMin = Number.POSITIVE_INFINITY;
  for (let s = 11; s < 11 + most; s++) {
    const isOver = held(at, web)['edge-0'] === undefined && slice(at, web).standIns === undefined;
    if (isOver) return { cell: at, readyMin, s };
    readyMin = Math.min(readyMin, readyIn(at).length);
    expect(at.jobs.get(web)!.slice.countedAs).toBe('running');
    at = allReady(at, seconds(s));
  }
  throw new Error(`it never comes to its end: ${JSON.stringify(held(at, web))}`);
}

test('another one is ready for long enough before the first one stops', () => {
  const first = settle(drained(stage(2, 2), 'edge-0'), seconds(10));
  expect(held(first, web)['edge-0']).toBe('0-1');
  expect(formatRanges(slice(first, web).ranges)).toBe('0-2');
  const soon = allReady(first, seconds(12));
  expect(readyIn(soon)).toEqual([0, 1, 2]);
  expect(reconcile(soon, seconds(16)).lookAgainAtMs).toBe(seconds(17));
  // That was a while ago: each edge is asked, and nothing moves before all have answered.
  const asked = settle(soon, seconds(17));
  expect(held(asked, web)).toEqual(held(soon, web));
  expect(reconcile(asked, seconds(18)).meta).toBeNull();
  const moving = allReady(asked, seconds(18));
  expect(held(moving, web)['edge-0']).toBe('1');
  expect(readyIn(moving)).toEqual([1, 2]);
  expect(slice(moving, web).retries.get(0)?.last).toBe('its edge is drained; 2 stands in for it');
});

test.each([1, 2, 5])('of %i instances as many are ready as are wanted, all the time', (chunks) => {
  const { cell, readyMin, s } = move(stage(chunks, 4));
  expect(readyMin).toBe(chunks);
  expect(formatRanges(slice(cell, web).ranges)).toBe(
    formatRanges(slice(stage(chunks, 4), web).ranges),
  );
  expect([...slice(cell, web).retries.values()].map(({ failures }) => failures)).toEqual(
    Array.from({ length: chunks }, () => 1),
  );
  expect(reconcile(allReady(cell, seconds(s)), seconds(s + 20)).meta).toBeNull();
});

test('so many move at once as may be away', () => {
  const { s: one } = move(stage(5, 5));
  const { s: three, readyMin } = move(stage(5, 5, { maxUnavailable: 3 }));
  expect(readyMin).toBe(5);
  expect(three).toBeLessThan(one - 10);
});

test('where there is room for one only, it moves as others are ready', () => {
  const cell = stage(1, 1);
  const small = { ...cell.edges.get(edgeNameOf('edge-1'))!.facts!, capacity: { power: 100 } };
  const first = settle(drained(withEdge(cell, 'edge-1', { facts: small }), 'edge-0'), seconds(10));
  expect(held(first, web)).toEqual({ 'edge-1': '0' });
  expect(slice(first, web).retries.get(0)?.last).toBe('its edge is drained');
});

test('one that never gets ready is not waited for without an end', () => {
  const first = settle(drained(stage(2, 2, { failAfterSeconds: 30 }), 'edge-0'), seconds(10));
  const { running, attempts } = said(first, 'edge-0');
  const entry = { running, ready: running, attempts };
  const silent = settle(
    withReport(first, 'edge-0', { [web]: entry } as never, seconds(39)),
    seconds(39),
  );
  expect(held(silent, web)['edge-0']).toBe('0-1');
  const late = settle(silent, seconds(40));
  expect(held(late, web)['edge-0']).toBe('1');
  expect(readyIn(late)).toEqual([1]);
});

test('nobody stands in once the drain is taken back, the service is brought further or deleted', () => {
  const first = settle(drained(stage(2, 2), 'edge-0'), seconds(10));
  const { config } = first.edges.get(edgeNameOf('edge-1'))!;
  const back = allReady(settle(withEdge(first, 'edge-0', { config }), seconds(11)), seconds(12));
  expect(formatRanges(slice(stillReady(back, seconds(18)), web).ranges)).toBe('0-1');
  expect(formatRanges(slice(settle(wanting(first, 2), seconds(11)), web).ranges)).toBe('0-1');
  const job = first.jobs.get(web)!;
  const cancelled = { ...job, intent: { ...job.intent, cancelled: true } };
  const plan = reconcile({ ...first, jobs: new Map([[web, cancelled]]) }, seconds(11));
  expect(plan.endedJobs.has(web)).toBe(true);
});

test('a program that comes to its end is not run once more for it', () => {
  const cell = stage(2, 2);
  const job = cell.jobs.get(web)!;
  const restart = { ...job.intent.spec.restart!, policy: 'on-failure' as const };
  const intent = { ...job.intent, spec: { ...job.intent.spec, restart } };
  const ending = { ...cell, jobs: new Map([[web, { ...job, intent }]]) };
  const first = settle(drained(ending, 'edge-0'), seconds(10));
  expect(formatRanges(slice(first, web).ranges)).toBe('0-1');
  expect(held(first, web)['edge-0']).toBe('1');
});

test('scaled meanwhile, the number of who stands in is that of an instance', () => {
  const first = allReady(settle(drained(stage(2, 3), 'edge-0'), seconds(10)), seconds(12));
  const job = first.jobs.get(web)!;
  const chunking = scaledTo(job.intent.chunking, 3);
  const more = { ...job, intent: { ...job.intent, chunking } };
  const at = settle({ ...first, jobs: new Map([[web, more]]) }, seconds(13));
  expect(formatRanges(slice(at, web).ranges)).toBe('0-3');
  expect(readyIn(at)).toEqual([0, 1, 2]);
  expect(slice(at, web).retries.size).toBe(0);
});

test('services that stand still cost no writes, however long and often their edges say so', () => {
  let at = serviceStage(20, 10);
  for (let s = 60; s < 3_600; s += 60) {
    for (const edge of at.edges.keys()) {
      at = withReport(at, edge, { [web]: said(at, edge) }, seconds(s));
    }
    const plan = reconcile(at, seconds(s));
    expect([plan.meta, plan.shadows.size]).toEqual([null, 0]);
  }
});

test.each([
  ['drained', { drain: { reason: 'repair', deadlineAtMs: null } }],
  ['removed', { removing: { reason: 'gone', force: false } }],
])('of an edge that is %s and not there instances start elsewhere after the grace', (_, wish) => {
  const cell = stage(1, 2);
  const { config } = cell.edges.get(edgeNameOf('edge-0'))!;
  const away = connect(cell, 'edge-0', false, seconds(5));
  const asked = withEdge(away, 'edge-0', { config: { ...config, ...wish } as typeof config });
  // Nobody can tell it to stop: whatever it runs may run on.
  const soon = settle(asked, seconds(10));
  expect(held(soon, web)).toEqual({ 'edge-0': '0' });
  expect(slice(soon, web).standIns).toBeUndefined();
  const late = settle(soon, seconds(5 + 120));
  expect(Object.keys(held(late, web))).not.toContain('edge-0');
  expect(slice(late, web).retries.get(0)?.last).toBe('its edge was lost');
});
