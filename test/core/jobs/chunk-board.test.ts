import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boardOf, placeOf } from '../../../core/jobs/chunk-board.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { ChunkEnd, Execution } from '../../../core/model/plan.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  fromChunks,
  parseRanges,
} from '../../../core/model/ranges.ts';
import { makeCellStatus, startMs } from '../cell-fixture.ts';
import { creation, jobId } from './job-fixture.ts';

const found = creation({ chunks: 10 });
const edge = edgeNameOf('edge-0');

function execution(over: Partial<Execution>): Execution {
  return {
    job: jobId,
    submittedAtMs: startMs,
    edge,
    chunks: emptyRanges,
    done: emptyRanges,
    running: emptyRanges,
    dead: emptyRanges,
    power: 0,
    slots: 1,
    startedAtMs: startMs,
    endedAtMs: null,
    ...over,
  };
}

test('a chunk is where its cells and its edges say, and the end comes first', () => {
  const cells = [makeCellStatus(jobId, { done: parseRanges('0')!, dead: parseRanges('0-1')! })];
  const held = { chunks: parseRanges('0-4')!, running: parseRanges('0,2')! };
  const board = boardOf(found, cells, [execution({ ...held, done: parseRanges('0')! })]);
  const end: ChunkEnd = {
    job: jobId,
    chunk: 1,
    edge,
    attempts: 3,
    failure: 7,
    state: 'dead',
    atMs: startMs + 5,
  };
  expect(placeOf(board, 0, null)).toMatchObject({ state: 'done', edge, attempts: 1, exitCode: 0 });
  expect(placeOf(board, 1, end)).toEqual({
    state: 'dead',
    edge,
    attempts: 3,
    exitCode: 7,
    reason: 'exit code 7',
    percent: null,
    instance: null,
    startedAtMs: null,
    endedAtMs: startMs + 5,
    within: null,
  });
  expect(placeOf(board, 2, null)).toMatchObject({ state: 'running', startedAtMs: null });
  expect(placeOf(board, 3, null)).toMatchObject({ state: 'scheduled', edge, startedAtMs: null });
  expect(placeOf(board, 9, null)).toMatchObject({ state: 'pending', edge: null, attempts: 0 });
});

test('of one of several chunks the times of the execution are bounds, not its own', () => {
  const bounds = { startedAtMs: startMs, endedAtMs: startMs + 900 };
  const within = { fromMs: startMs, toMs: startMs + 900 };
  const three = { chunks: parseRanges('0-2')!, done: parseRanges('0-1')!, ...bounds };
  const dead = { ...three, dead: parseRanges('2')! };
  const board = boardOf(
    found,
    [makeCellStatus(jobId, { dead: parseRanges('2')! })],
    [execution(dead)],
  );
  const unknown = { startedAtMs: null, endedAtMs: null, within };
  expect(placeOf(board, 0, null)).toMatchObject({ state: 'done', ...unknown });
  const end = { job: jobId, chunk: 2, edge, attempts: 1, failure: 7, atMs: startMs + 300 };
  expect(placeOf(board, 2, { ...end, state: 'dead' })).toMatchObject({
    ...unknown,
    endedAtMs: startMs + 300,
  });
});

test('a chunk that was all its edge got has the times of the execution', () => {
  const one = { chunks: parseRanges('4')!, startedAtMs: startMs };
  const running = boardOf(found, [], [execution({ ...one, running: parseRanges('4')! })]);
  expect(placeOf(running, 4, null)).toMatchObject({ startedAtMs: startMs, endedAtMs: null });
  const ended = execution({ ...one, done: parseRanges('4')!, endedAtMs: startMs + 9 });
  const board = boardOf(found, [], [ended]);
  const own = { startedAtMs: startMs, endedAtMs: startMs + 9 };
  expect(placeOf(board, 4, null)).toMatchObject(own);
  // Of a second attempt only the end could be its own, and nobody says which of them it was.
  const failed = { job: jobId, chunk: 4, edge, attempts: 2, failure: 1, atMs: startMs + 2 };
  expect(placeOf(board, 4, { ...failed, state: 'retrying' })).toMatchObject({
    startedAtMs: null,
    endedAtMs: null,
  });
});

test('every chunk is in exactly one state, whatever cells and edges say', () => {
  const chunks = fc.uniqueArray(fc.nat(9)).map(fromChunks);
  const cell = fc
    .record({ done: chunks, dead: chunks, cancelled: chunks })
    .map((over) => makeCellStatus(jobId, over));
  const edges = fc.record({ chunks, running: chunks, done: chunks }).map(execution);
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 3 }), fc.array(edges, { maxLength: 3 }), (a, b) => {
      const { sets } = boardOf(found, a, b);
      const all = Object.values(sets);
      expect(all.reduce((sum, set) => sum + count(set), 0)).toBe(10);
      expect(new Set(all.flatMap((set) => [...chunksOf(set)])).size).toBe(10);
    }),
  );
});
