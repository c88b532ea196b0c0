import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import {
  chunksOf,
  formatRanges,
  has,
  parseRanges,
  rangeOf,
  subtract,
} from '../../../core/model/ranges.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { startMs, withEdge } from '../cell-fixture.ts';
import { connect, held, slice, withReport } from '../stage.ts';
import {
  allReady,
  hashesIn,
  readyIn,
  rolloutIn,
  said,
  serviceStage,
  settle,
  stillReady,
  wanting,
  web,
} from './service-stage.ts';

const seconds = (n: number) => startMs + n * 1_000;

/** Reports and passes once a second, until it stands still; answers how many were away at most. */
function rollOut(cell: Cell, fromS: number, most = 400): { cell: Cell; away: number; s: number } {
  let at = settle(cell, seconds(fromS));
  let away = 0;
  for (let s = fromS; s < fromS + most; s++) {
    away = Math.max(away, slice(at, web).ranges[1]! - readyIn(at).length);
    const { state, due, unsettled } = rolloutIn(at);
    if (state !== 'moving' && due.size === 0 && unsettled.size === 0) return { cell: at, away, s };
    at = allReady(at, seconds(s + 1));
  }
  throw new Error(`the rollout stands still: ${JSON.stringify(rolloutIn(at))}`);
}

/** All that edges hold runs, except this one, of which its edge says nothing. */
function allBut(cell: Cell, missing: number, atMs: number): Cell {
  let at = cell;
  for (const edge of Object.keys(held(cell, web))) {
    const { running, attempts } = said(at, edge);
    const rest = formatRanges(subtract(parseRanges(running!)!, rangeOf(missing, missing + 1)));
    at = withReport(at, edge, { [web]: { running: rest, ready: rest, attempts } } as never, atMs);
  }
  return settle(at, atMs);
}

test('instances come to another generation one after the other, each on its edge', () => {
  const before = serviceStage(3, 3);
  const first = settle(wanting(before, 2), seconds(10));
  expect(held(first, web)).toEqual(held(before, web));
  expect(readyIn(first)).toEqual([1, 2]);
  expect(hashesIn(first)).toEqual({ 0: 'hash-2', 1: 'hash-web', 2: 'hash-web' });
  expect(first.jobs.get(web)!.slice.retries.get(0)).toMatchObject({
    failures: 1,
    last: 'brought to generation 2',
  });
  // Ready, but not for long enough.
  const soon = allReady(first, seconds(12));
  expect(hashesIn(soon)[1]).toBe('hash-web');
  expect(reconcile(soon, seconds(14)).lookAgainAtMs).toBe(seconds(17));
  const next = stillReady(soon, seconds(17));
  expect(hashesIn(next)).toEqual({ 0: 'hash-2', 1: 'hash-2', 2: 'hash-web' });
  const { cell, away, s } = rollOut(next, 18);
  expect(away).toBe(1);
  expect(rolloutIn(cell)).toMatchObject({ state: 'done', generation: 2, stable: 2 });
  expect(hashesIn(cell)).toEqual({ 0: 'hash-2', 1: 'hash-2', 2: 'hash-2' });
  expect(reconcile(cell, seconds(s + 20)).meta).toBeNull();
});

test('it is over in the pass that hears of its last instance that it is still ready', () => {
  const moved = settle(wanting(serviceStage(1, 1), 2), seconds(10));
  const ready = allReady(moved, seconds(12));
  expect(rolloutIn(ready).state).toBe('moving');
  const { lookAgainAtMs } = reconcile(ready, seconds(13));
  expect(lookAgainAtMs).toBe(seconds(17));
  const asked = settle(ready, lookAgainAtMs!);
  expect(rolloutIn(asked).state).toBe('moving');
  expect(rolloutIn(allReady(asked, seconds(18)))).toMatchObject({ state: 'done', stable: 2 });
});

test('an agent that starts anew has its instances begin anew to be ready for long enough', () => {
  const moved = settle(wanting(serviceStage(1, 1), 2), seconds(10));
  const ready = allReady(moved, seconds(12));
  // It died with what it ran, and says of the same start that it is ready now.
  const edge = withReport(ready, 'edge-0', { [web]: said(ready, 'edge-0') }, seconds(20)).edges.get(
    edgeNameOf('edge-0'),
  )!;
  const progress = { ...edge.report!.progress!, boot: 'another' };
  const anew = { ...edge, report: { ...edge.report!, progress } };
  const back = settle({ ...ready, edges: new Map([[edge.name, anew]]) }, seconds(20));
  expect(rolloutIn(back).unsettled).toEqual(new Map([[0, seconds(20)]]));
});

test('silence is no readiness: what was ready for a moment and died counts for nobody', () => {
  const before = serviceStage(50, 5, { maxUnavailable: 5 }, 1_500);
  const first = settle(wanting(before, 2), seconds(10));
  const ready = allReady(first, seconds(11));
  // Long enough ago, and no edge has said anything since: each is asked, once.
  const asked = settle(ready, seconds(16));
  const isNew = (hash: string) => hash === 'hash-2';
  expect(Object.values(hashesIn(asked)).filter(isNew)).toHaveLength(5);
  expect(reconcile(asked, seconds(17)).meta).toBeNull();
  const epochs = (cell: Cell) => [...cell.edges.values()].map(({ work }) => work!.epoch);
  const holders = Object.keys(held(before, web)).filter((edge) => {
    return [0, 1, 2, 3, 4].some((it) => has(parseRanges(held(before, web)[edge]!)!, it));
  });
  const more = epochs(asked).filter((epoch, at) => epoch > epochs(ready)[at]!);
  expect(more).toHaveLength(holders.length);
  // A report that left before its edge had read that is no answer either.
  const [edge] = holders;
  const epoch = asked.edges.get(edgeNameOf(edge!))!.work!.epoch - 1;
  const early = { [web]: said(asked, edge!) };
  const late = settle(withReport(asked, edge!, early, seconds(17), epoch), seconds(17));
  expect(rolloutIn(late).unsettled.size).toBe(5);
  const dead = chunksOf(parseRanges(held(asked, web)[edge!]!)!).next().value!;
  const failed = { failed: [[dead, 125]] as [number, number][], attempts: [[2, `${dead}`]] };
  const back = settle(
    withReport(late, edge!, { [web]: failed } as never, seconds(18)),
    seconds(18),
  );
  expect(rolloutIn(back)).toMatchObject({ state: 'rolled-back', generation: 1 });
  expect(slice(back, web).retries.size).toBe(5);
});

test('of fifty instances never more than five are away', () => {
  const before = serviceStage(50, 25, { maxUnavailable: 5 });
  const { cell, away, s } = rollOut(wanting(before, 2), 10);
  expect(away).toBe(5);
  expect(s).toBeLessThan(10 + 10 * 8);
  expect(new Set(Object.values(hashesIn(cell)))).toEqual(new Set(['hash-2']));
});

test('what an edge says of the start before is no readiness of the new one', () => {
  const before = serviceStage(2, 1);
  const first = settle(wanting(before, 2), seconds(10));
  // As it was before the document came.
  const late = { [web]: { running: '0-1', ready: '0-1' } };
  const after = settle(withReport(first, 'edge-0', late, seconds(11)), seconds(30));
  expect(readyIn(after)).toEqual([1]);
  expect(hashesIn(after)).toEqual({ 0: 'hash-2', 1: 'hash-web' });
});

test('an instance that ends turns the rollout back; the others are never touched', () => {
  const before = serviceStage(4, 4);
  const first = settle(wanting(before, 2), seconds(10));
  const [edge] = Object.entries(held(first, web)).find(([, chunks]) => chunks === '0')!;
  const ended = { [web]: { failed: [[0, 125]] as [number, number][], attempts: [[2, '0']] } };
  const back = settle(withReport(first, edge, ended as never, seconds(12)), seconds(12));
  expect(rolloutIn(back)).toMatchObject({
    state: 'rolled-back',
    generation: 1,
    wanted: 2,
    reason: `instance 0 on ${edge} ended: exit code 125`,
  });
  expect(hashesIn(back)).toEqual({ 0: 'hash-web', 1: 'hash-web', 2: 'hash-web', 3: 'hash-web' });
  const { retries } = slice(back, web);
  expect([...retries.keys()]).toEqual([0]);
  const { cell, away, s } = rollOut(back, 13);
  expect(away).toBe(1);
  expect(rolloutIn(cell)).toMatchObject({ state: 'rolled-back', stable: 1 });
  expect(cell.jobs.get(web)!.slice.countedAs).toBe('running');
  expect(reconcile(cell, seconds(s + 20)).meta).toBeNull();
});

test('one that was ready for a moment and ends soon turns it back as well', () => {
  const before = serviceStage(3, 3, { minReadySeconds: 0 });
  const first = settle(wanting(before, 2), seconds(10));
  const [edge] = Object.entries(held(first, web)).find(([, chunks]) => chunks === '0')!;
  const next = settle(allReady(first, seconds(11)), seconds(12));
  expect(hashesIn(next)).toMatchObject({ 0: 'hash-2', 2: 'hash-web' });
  expect(rolloutIn(next).unsettled.has(0)).toBe(false);
  const ended = { [web]: { failed: [[0, 125]] as [number, number][], attempts: [[2, '0']] } };
  const back = settle(withReport(next, edge, ended as never, seconds(13)), seconds(13));
  expect(rolloutIn(back)).toMatchObject({
    state: 'rolled-back',
    generation: 1,
    reason: `instance 0 on ${edge} ended: exit code 125`,
  });
  expect(hashesIn(back)).toMatchObject({ 2: 'hash-web' });
});

test('or pauses it, when its user wants that: what runs either generation goes on', () => {
  const before = serviceStage(3, 3, { onFailure: 'pause' });
  const first = settle(wanting(before, 2), seconds(10));
  const [edge] = Object.entries(held(first, web)).find(([, chunks]) => chunks === '0')!;
  const ended = { [web]: { failed: [[0, 1]] as [number, number][], attempts: [[2, '0']] } };
  const paused = settle(withReport(first, edge, ended as never, seconds(12)), seconds(12));
  expect(rolloutIn(paused)).toMatchObject({ state: 'paused', generation: 2 });
  const later = allReady(settle(paused, seconds(60)), seconds(61));
  expect(hashesIn(later)).toEqual({ 0: 'hash-2', 1: 'hash-web', 2: 'hash-web' });
  // Another generation goes on from there.
  const { cell } = rollOut(wanting(later, 3), 70);
  expect(new Set(Object.values(hashesIn(cell)))).toEqual(new Set(['hash-3']));
});

test('while it is paused, each is placed by what its own generation asks for', () => {
  const before = serviceStage(3, 3, { onFailure: 'pause' });
  const first = settle(wanting(before, 2, { requires: { edges: ['edge-0'] } }), seconds(10));
  let paused = first;
  for (let s = 12; s < 80; s += 5) paused = allBut(paused, 0, seconds(s));
  expect(rolloutIn(paused)).toMatchObject({ state: 'paused', generation: 2 });
  const due = [...rolloutIn(paused).due.values()].flatMap((it) => [...chunksOf(it)]);
  expect(due).toEqual([1, 2]);
  const [edge] = Object.entries(held(paused, web)).find(([, chunks]) => chunks.includes('2'))!;
  const running = said(paused, edge);
  const ended = { [web]: { failed: [[2, 1]] as [number, number][], attempts: running.attempts } };
  const ending = settle(withReport(paused, edge, ended as never, seconds(82)), seconds(82));
  const at = settle(ending, seconds(90));
  expect(hashesIn(at)).toMatchObject({ 2: 'hash-web' });
  const [where] = Object.entries(held(at, web)).find(([, chunks]) => chunks.includes('2'))!;
  expect(where).not.toBe('edge-0');
});

test('an instance that is not ready in time has failed, whatever keeps it', () => {
  const before = serviceStage(2, 2);
  const first = settle(wanting(before, 2, { requires: { labels: { gpu: 'yes' } } }), seconds(10));
  expect(held(first, web)).not.toEqual(held(before, web));
  const waits = allReady(first, seconds(69));
  expect(rolloutIn(waits).state).toBe('moving');
  const late = settle(waits, seconds(70));
  expect(rolloutIn(late)).toMatchObject({
    state: 'rolled-back',
    reason: 'instance 0 was not ready within 60 s',
  });
  const { cell } = rollOut(late, 71);
  expect(readyIn(cell)).toEqual([0, 1]);
});

test('it does not stand still behind an instance that is away and not due any more', () => {
  const restart = { epoch: 1, chunks: null };
  const first = settle(wanting(serviceStage(3, 3), 1, { restart }), seconds(10));
  const second = stillReady(allReady(first, seconds(12)), seconds(17));
  expect(rolloutIn(second).unsettled.has(1)).toBe(true);
  const [edge] = Object.entries(held(second, web)).find(([, chunks]) => chunks === '0')!;
  const ended = { [web]: { failed: [[0, 1]] as [number, number][], attempts: [[2, '0']] } };
  let at = settle(withReport(second, edge, ended as never, seconds(18)), seconds(18));
  for (let s = 20; s < 70; s += 2) at = allBut(at, 0, seconds(s));
  expect(rolloutIn(at)).toMatchObject({ state: 'moving', due: new Map([[1, rangeOf(2, 3)]]) });
  for (let s = 70; s < 100; s += 2) at = allBut(at, 0, seconds(s));
  expect(rolloutIn(at)).toMatchObject({
    state: 'paused',
    reason: 'instance 0 was not ready within 60 s',
  });
});

test('what is away anyway comes first, and nothing is begun on an edge that is not there', () => {
  const before = serviceStage(3, 3);
  const edges = Object.fromEntries(Object.entries(held(before, web)).map(([e, c]) => [c, e]));
  const crash = { [web]: { failed: [[2, 1]] as [number, number][] } };
  const crashed = settle(withReport(before, edges[2]!, crash, seconds(9)), seconds(9));
  const away = connect(crashed, edges[0]!, false, seconds(9));
  const first = settle(wanting(away, 2), seconds(10));
  // Its wait was for what it ran before.
  expect(hashesIn(first)[2]).toBe('hash-2');
  expect(hashesIn(first)).toMatchObject({ 0: 'hash-web', 1: 'hash-web' });
  const ready = allReady(first, seconds(11));
  const next = stillReady(ready, seconds(16));
  expect(hashesIn(next)).toMatchObject({ 0: 'hash-web', 1: 'hash-2' });
});

test('instances start anew without another generation, those that are named', () => {
  const before = serviceStage(3, 3);
  const restart = { epoch: 1, chunks: parseRanges('1-2')! };
  const { cell, away } = rollOut(wanting(before, 1, { restart }), 10);
  expect(away).toBe(1);
  expect([...slice(cell, web).retries].map(([chunk, { last }]) => [chunk, last])).toEqual([
    [1, 'started anew'],
    [2, 'started anew'],
  ]);
  expect(rolloutIn(cell)).toMatchObject({ state: 'done', generation: 1 });
});

test('two requests before a pass both count, and one that was seen counts no more', () => {
  const before = serviceStage(4, 4);
  const first = { epoch: 1, chunks: parseRanges('1')! };
  const both = { epoch: 2, chunks: parseRanges('3')!, before: [first] };
  const startedAnew = (cell: Cell) => [...slice(cell, web).retries.keys()].sort();
  expect(startedAnew(rollOut(wanting(before, 1, { restart: both }), 10).cell)).toEqual([1, 3]);
  const { cell, s } = rollOut(wanting(before, 1, { restart: first }), 10);
  expect(startedAnew(cell)).toEqual([1]);
  const { retries } = slice(rollOut(wanting(cell, 1, { restart: both }), s).cell, web);
  expect([...retries].map(([chunk, { failures }]) => [chunk, failures])).toEqual([
    [1, 1],
    [3, 1],
  ]);
});

test('one that its user stops goes to another edge, and stays where no other has room', () => {
  const restart = { epoch: 1, chunks: rangeOf(1, 2), elsewhere: true as const };
  const before = serviceStage(3, 4);
  const [edge] = Object.entries(held(before, web)).find(([, chunks]) => chunks === '1')!;
  const free = [...before.edges.keys()].find((name) => held(before, web)[name] === undefined)!;
  const moved = settle(wanting(before, 1, { restart }), seconds(10));
  expect(held(moved, web)).toEqual({ ...without(held(before, web), edge), [free]: '1' });
  expect(readyIn(moved)).toEqual([0, 2]);
  expect(rollOut(moved, 11).cell.jobs.get(web)!.slice.countedAs).toBe('running');
  const full = serviceStage(3, 3, {}, 100);
  const stays = settle(wanting(full, 1, { restart }), seconds(10));
  expect(held(stays, web)).toEqual(held(full, web));
  expect(readyIn(stays)).toEqual([0, 2]);
});

test('one that is not ready is stopped once, wherever the edge is to which it goes', () => {
  const restart = { epoch: 1, chunks: rangeOf(0, 3), elsewhere: true as const };
  const before = serviceStage(3, 4);
  let unready = before;
  for (const edge of before.edges.keys()) {
    const nobody = { [web]: said(before, edge, '') };
    unready = withReport(unready, edge, nobody, seconds(9));
  }
  const moved = settle(wanting(settle(unready, seconds(9)), 1, { restart }), seconds(10));
  const starts = [...slice(moved, web).retries].map(([chunk, { failures }]) => [chunk, failures]);
  expect(starts.sort()).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
});

function without<T>(all: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(all).filter(([it]) => it !== name));
}

test('scaled while it moves, what comes is what is wanted and what goes is forgotten', () => {
  const before = serviceStage(3, 3);
  const first = settle(wanting(before, 2), seconds(10));
  const job = first.jobs.get(web)!;
  const cut = (chunks: number): Cell => {
    const chunking = { ...job.intent.chunking, chunks };
    const next = { ...job, intent: { ...job.intent, chunking } };
    return { ...first, jobs: new Map(first.jobs).set(web, next) };
  };
  const more = settle(cut(5), seconds(11));
  expect(hashesIn(more)).toMatchObject({ 3: 'hash-2', 4: 'hash-2', 2: 'hash-web' });
  const { cell } = rollOut(cut(1), 11);
  expect(hashesIn(cell)).toEqual({ 0: 'hash-2' });
  expect(rolloutIn(cell).state).toBe('done');
});

test('while both run, each instance reserves what the larger generation asks for', () => {
  const before = serviceStage(2, 2);
  const large = [...before.edges.keys()].reduce(
    (cell, name) =>
      withEdge(cell, name, {
        facts: {
          ...cell.edges.get(name)!.facts!,
          capacity: { power: 250, memory: 100 },
        },
      }),
    before,
  );
  const { cell } = rollOut(wanting(large, 2, { resources: { memory: 100 } }), 10);
  expect(Object.values(hashesIn(cell))).toEqual(['hash-2', 'hash-2']);
  expect(Object.keys(held(cell, web))).toHaveLength(2);
});

test('a cancelled service is not rolled out any further', () => {
  const first = settle(wanting(serviceStage(3, 3), 2), seconds(10));
  const job = first.jobs.get(web)!;
  const cancelled = { ...job, intent: { ...job.intent, cancelled: true } };
  const plan = reconcile({ ...first, jobs: new Map([[web, cancelled]]) }, seconds(20));
  expect(plan.endedJobs.has(web)).toBe(true);
});

test('an edge tells which it runs: one hash where all are alike, else each with its own', () => {
  const before = serviceStage(2, 1);
  expect(said(before, 'edge-0').running).toBe('0-1');
  const first = settle(wanting(before, 2), seconds(10));
  expect(hashesIn(first)).toEqual({ 0: 'hash-2', 1: 'hash-web' });
});
