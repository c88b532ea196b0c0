import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { edgeStatusOf, hasStatus } from '../../../core/model/edge-state.ts';
import {
  connectionsBeforeStartIsKept,
  crashingWithinMs,
  doubledKeptMs,
  startReturnsWithinMs,
} from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { nextStarts } from '../../../core/model/starts.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { encodeWork, parseWork } from '../../../core/protocol/work.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { makeCell, makeEdges, makeJob, startMs, withProgress } from '../cell-fixture.ts';
import { held, pass, rest } from '../stage.ts';

/** Agents that start again, and two agents with the identity of one edge. */

const name = edgeNameOf('edge-0');

/** One start of an agent reports that it applied everything, with this sequence. */
function say(cell: Cell, boot: string, sequence: number | null, atMs: number, running = ''): Cell {
  const { work } = cell.edges.get(name)!;
  const entry = { d: '', a: running };
  const jobs = new Map(running === '' ? [] : [['job-a', entry]]);
  const document = { b: boot, e: work?.epoch ?? 0, n: sequence, f: 0, w: Object.fromEntries(jobs) };
  const progress = parseProgressReport(document)!;
  return rest(withProgress(cell, name, progress, atMs), atMs).cell;
}

function makeStage(chunks = 1): Cell {
  const jobs = [makeJob('job-a', { chunks, chunkPower: 50 })];
  return say(pass(makeCell({ edges: makeEdges(1), jobs }), startMs), 'one', 20, startMs, '0');
}

const linkOf = (cell: Cell) => edgeStatusOf(cell.edges.get(name)!).link;
const documentOf = (cell: Cell) => {
  const { work } = cell.edges.get(name)!;
  return encodeWork(workOf(work!, cell.jobs), work!.removed);
};

/** Two agents take turns; the second was copied when the first had counted to twenty. */
function makeDoubled(chunks = 1): Cell {
  let cell = makeStage(chunks);
  cell = say(cell, 'one', 21, startMs + 1);
  cell = say(cell, 'two', 21, startMs + 2);
  cell = say(cell, 'one', 22, startMs + 3);
  expect(linkOf(cell)).toBe('connected');
  cell = say(cell, 'two', 22, startMs + 4);
  cell = say(cell, 'one', 23, startMs + 5);
  return cell;
}

test('two starts that take turns are two agents: said once, to both, and nothing new for them', () => {
  let cell = makeStage();
  const alarms = [];
  for (let turn = 0; turn < 12; turn++) {
    const boot = turn % 2 === 0 ? 'one' : 'two';
    const next = withProgress(
      cell,
      name,
      parseProgressReport({ b: boot, e: 1, n: 21 + Math.floor(turn / 2), f: 0, w: {} })!,
      startMs + turn,
    );
    const { cell: rested, plans } = rest(next, startMs + turn);
    alarms.push(...plans.flatMap((plan) => plan.alarms));
    cell = rested;
  }
  expect(alarms).toEqual([{ kind: 'identity-doubled', edge: name }]);
  expect(linkOf(cell)).toBe('doubled');
  expect(documentOf(cell).o).toBe(1);
  expect(parseWork(documentOf(cell))!.doubled).toBe(true);
  const more = makeJob('job-b', { chunks: 1, chunkPower: 10 });
  const asked = { ...cell, jobs: new Map(cell.jobs).set(more.id, more) };
  const { cell: after, plans } = rest(asked, startMs + 20);
  expect(held(after, 'job-b')).toEqual({});
  expect(plans.at(-1)!.jobStatuses.get(more.id)!.waiting).toMatchObject([
    { reason: 'edge-cordoned', detail: 'two agents use its identity' },
  ]);
});

test('what neither has started is given back, what runs may end', () => {
  let cell = makeDoubled(5);
  cell = say(cell, 'one', 24, startMs + 6, '0');
  cell = say(cell, 'one', 25, startMs + 7, '0');
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
});

test('two agents that were never given anything are noticed, one that connects once writes nothing', () => {
  const connectedTimes = (times: number): Cell => {
    const cell = pass(makeCell({ edges: makeEdges(1), jobs: [] }), startMs);
    const edge = cell.edges.get(name)!;
    const report = { ...edge.report!, connectionVersion: times };
    return { ...cell, edges: new Map(cell.edges).set(name, { ...edge, report }) };
  };
  const takeTurns = (stage: Cell): Cell => {
    let cell = stage;
    for (let turn = 0; turn < 6; turn++) {
      cell = say(cell, turn % 2 === 0 ? 'one' : 'two', 21 + turn, startMs + 1 + turn);
    }
    return cell;
  };
  const often = takeTurns(connectedTimes(connectionsBeforeStartIsKept));
  expect(linkOf(often)).toBe('doubled');
  const once = connectedTimes(connectionsBeforeStartIsKept - 1);
  expect(takeTurns(once).meta.version).toBe(once.meta.version);
});

test('when one of them is gone, the other works on after a while', () => {
  let cell = makeDoubled();
  expect(linkOf(cell)).toBe('doubled');
  const untilMs = startMs + 5 + doubledKeptMs;
  cell = say(cell, 'one', 30, untilMs - 1);
  expect(linkOf(cell)).toBe('doubled');
  cell = rest(cell, untilMs).cell;
  expect(linkOf(cell)).toBe('connected');
  expect(documentOf(cell).o).toBeNull();
  cell = say(cell, 'one', 31, untilMs + 1);
  expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0' });
});

test('an agent that is started again and again is one agent', () => {
  let cell = makeStage();
  for (let start = 1; start <= 12; start++) {
    cell = say(cell, `start-${start}`, 1_000 * start, startMs + start);
  }
  expect(linkOf(cell)).toBe('connected');
  expect(documentOf(cell)).not.toHaveProperty('o');
});

test('an agent that starts three times within ten minutes is crashing, for as long', () => {
  let cell = makeStage();
  const isNow = (state: 'crashing', atMs: number) => hasStatus(cell.edges.get(name)!, state, atMs);
  cell = say(cell, 'two', 1_000, startMs + 1);
  cell = say(cell, 'three', 2_000, startMs + 2);
  // Late: it is no start of its own.
  cell = say(cell, 'two', 1_001, startMs + 3);
  expect(isNow('crashing', startMs + 3)).toBe(false);
  cell = say(cell, 'four', 3_000, startMs + 4);
  expect(isNow('crashing', startMs + 4)).toBe(true);
  expect(linkOf(cell)).toBe('connected');
  expect(isNow('crashing', startMs + crashingWithinMs)).toBe(true);
  expect(isNow('crashing', startMs + 1 + crashingWithinMs)).toBe(false);
});

test('a late report of an earlier start makes no second agent', () => {
  let cell = makeStage();
  cell = say(cell, 'one', 5, startMs + 1);
  cell = say(cell, 'two', 1_001, startMs + 2);
  cell = say(cell, 'one', 6, startMs + 3);
  cell = say(cell, 'two', 1_002, startMs + 4);
  expect(linkOf(cell)).toBe('connected');
});

test('returns that are far apart are accidents; of agents without sequences all count', () => {
  const before = { boot: 'two', acknowledgedSequence: 8 };
  const once = { earlier: ['one'], returnedAtMs: startMs, doubledAtMs: null };
  const back = { boot: 'one', sequence: 9 };
  const late = startMs + startReturnsWithinMs;
  expect(nextStarts(once, before, back, late - 1).doubledAtMs).toBe(late - 1);
  expect(nextStarts(once, before, back, late).doubledAtMs).toBeNull();
  expect(nextStarts(once, before, { ...back, sequence: 8 }, late - 1).doubledAtMs).toBeNull();
  expect(nextStarts(once, before, { ...back, sequence: null }, late - 1).doubledAtMs).toBe(
    late - 1,
  );
});

test('chunks are not blamed for agents that take turns', () => {
  let cell = makeDoubled(1);
  const lossesOf = (at: Cell) => [...at.jobs.values()][0]!.slice.losses;
  const before = lossesOf(cell);
  for (let turn = 0; turn < 40; turn++) {
    cell = say(cell, turn % 2 === 0 ? 'two' : 'one', 100 + turn, startMs + 10 + turn, '0');
  }
  expect(lossesOf(cell)).toEqual(before);
});
