import { expect, test } from 'vitest';
import { collectParts } from '../../../../adapters/dynamodb/rows/cell-parts.ts';
import { encodeIntent } from '../../../../adapters/dynamodb/rows/rows-slice.ts';
import { cellIdOf, jobIdOf } from '../../../../core/model/names.ts';
import { rangeOf } from '../../../../core/model/ranges.ts';
import { makeJob } from '../../../core/cell-fixture.ts';

const cell = cellIdOf('default.0');

function rowOf(id: string, over: Readonly<Record<string, unknown>> = {}) {
  const job = makeJob(id, { chunks: 7 });
  return { ...encodeIntent(cell, job.id, job.intent, rangeOf(0, 7)), ...over };
}

test('what many jobs ask for is read once, and each is read as if it were alone', () => {
  const rows = [
    rowOf('a'),
    rowOf('b'),
    rowOf('c', { priority: 51 }),
    rowOf('d', { cut: '{"chunks":8,"chunkPower":1,"lastChunkPower":1}' }),
  ];
  const { intents, unreadable } = collectParts(rows);
  expect(unreadable).toEqual([]);
  const [a, b, c, d] = [...intents.values()];
  expect(b!.spec).toBe(a!.spec);
  expect(b!.chunking).toBe(a!.chunking);
  expect(c!.spec).toEqual({ ...a!.spec, priority: 51 });
  expect(d!.spec).toBe(a!.spec);
  expect(d!.chunking.chunks).toBe(8);
  for (const row of rows) {
    const alone = [...collectParts([row]).intents];
    expect([...intents].filter(([id]) => id === alone[0]![0])).toEqual(alone);
  }
});

test.each([
  { priority: '50' },
  { retries: 5 },
  { spec: { queue: 'default' } },
  { cut: '{"chunks":0}' },
  { spec: null },
])('%j is not read as what another row says', (over) => {
  const { intents, damagedJobs } = collectParts([rowOf('a'), rowOf('b', over)]);
  expect([...intents.keys()]).toEqual([jobIdOf('a')]);
  expect([...damagedJobs.keys()]).toEqual([jobIdOf('b')]);
});
