import { expect, test } from 'vitest';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { Execution } from '../../../core/model/plan.ts';
import { emptyRanges, parseRanges, type RangeSet } from '../../../core/model/ranges.ts';
import { partsOf } from '../../../core/services/execution-parts.ts';

const set = (text: string): RangeSet => parseRanges(text)!;
const chunking = { chunks: 6, chunkPower: 10, lastChunkPower: 10 };
const execution: Execution = {
  job: jobIdOf('web'),
  submittedAtMs: 0,
  edge: edgeNameOf('edge-0'),
  chunks: set('0-4'),
  done: set('4'),
  running: set('0-2'),
  dead: emptyRanges,
  power: 50,
  slots: 4,
  startedAtMs: 0,
  endedAtMs: null,
};

test('an edge that holds one generation, or a job without any, is one part', () => {
  expect(partsOf(chunking, execution)).toEqual([execution]);
  const one = { ...execution, generations: new Map([[2, set('0-3')]]) };
  expect(partsOf(chunking, one)).toEqual([one]);
});

test('one that holds two is two parts, which have all of its chunks between them', () => {
  const generations = new Map([
    [3, set('1')],
    [2, set('0,2-3')],
  ]);
  const parts = partsOf(chunking, { ...execution, generations });
  expect(parts.map(({ chunks, running, done, power }) => [chunks, running, done, power])).toEqual([
    [set('0,2-3'), set('0,2'), emptyRanges, 30],
    [set('1,4'), set('1'), set('4'), 20],
  ]);
  expect(parts.map((part) => [...part.generations!.keys()])).toEqual([[2], [3]]);
});
