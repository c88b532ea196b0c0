import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boardOf, placeOf } from '../../../core/jobs/chunk-board.ts';
import { noChunks } from '../../../core/model/job.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import type { ChunkEnd, Execution, JobCellStatus } from '../../../core/model/plan.ts';
import {
  chunksOf,
  count,
  emptyRanges,
  fromChunks,
  parseRanges,
} from '../../../core/model/ranges.ts';
import { startMs } from '../cell-fixture.ts';
import { creation, jobId } from './job-fixture.ts';

const found = creation({ chunks: 10 });
const edge = edgeNameOf('edge-0');

function counted(over: Partial<JobCellStatus>): JobCellStatus {
  return {
    job: jobId,
    counts: noChunks,
    donePower: 0,
    done: emptyRanges,
    dead: emptyRanges,
    cancelled: emptyRanges,
    waiting: [],
    startedAtMs: null,
    endedAtMs: null,
    reason: null,
    retryEpoch: 0,
    ...over,
  };
}

function execution(over: Partial<Execution>): Execution {
  return {
    job: jobId,
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
  const cells = [counted({ done: parseRanges('0')!, dead: parseRanges('0-1')! })];
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
    startedAtMs: null,
    endedAtMs: startMs + 5,
  });
  expect(placeOf(board, 2, null)).toMatchObject({ state: 'running', startedAtMs: startMs });
  expect(placeOf(board, 3, null)).toMatchObject({ state: 'scheduled', edge, startedAtMs: null });
  expect(placeOf(board, 9, null)).toMatchObject({ state: 'pending', edge: null, attempts: 0 });
});

test('every chunk is in exactly one state, whatever cells and edges say', () => {
  const chunks = fc.uniqueArray(fc.nat(9)).map(fromChunks);
  const cell = fc.record({ done: chunks, dead: chunks, cancelled: chunks }).map(counted);
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
