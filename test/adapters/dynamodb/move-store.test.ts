import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCellStore } from '../../../adapters/dynamodb/cell-store.ts';
import { askKey } from '../../../adapters/dynamodb/keys.ts';
import { createMoveStore, moveWrites } from '../../../adapters/dynamodb/move-store.ts';
import type { Table } from '../../../adapters/dynamodb/table.ts';
import type { Cell } from '../../../core/cell.ts';
import { moveJobsMax, transactRowsMax } from '../../../core/limits.ts';
import { chooseRanges, type Move, moveRanges } from '../../../core/move-ranges.ts';
import { type CellId, cellIdOf, jobIdOf } from '../../../core/names.ts';
import { count, emptyRanges, intersect } from '../../../core/ranges.ts';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { makeCell, makeEdges, makeJob, startMs } from '../../core/cell-fixture.ts';
import { seedCell } from './seed-cell.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const full = cellIdOf('default.0');
const idle = cellIdOf('default.1');
const job = jobIdOf('job-1');

function withId(cell: Cell, id: CellId): Cell {
  return { ...cell, meta: { ...cell.meta, id } };
}

function planMove(from: Cell, to: Cell, power: number): Move | null {
  return moveRanges(
    from,
    to,
    chooseRanges(from, to, { power, stranded: false }, startMs),
    new Map(),
    startMs,
  );
}

async function stage(): Promise<{ table: Table; move: Move }> {
  const table = await database.makeTable();
  const from = withId(makeCell({ jobs: [makeJob(job, { chunks: 50 })] }), full);
  const to = withId(makeCell({ edges: makeEdges(4) }), idle);
  await seedCell(table, from);
  await seedCell(table, to);
  const move = planMove(from, to, 1_000);
  if (move === null) throw new Error('nothing to move');
  return { table, move };
}

test('after a move each chunk is in one cell', async () => {
  const { table, move } = await stage();
  expect(await createMoveStore(table).commitMove(move)).toBe('committed');
  const cells = createCellStore(table);
  const here = (await cells.load(full))?.jobs.get(job)?.share.ranges ?? emptyRanges;
  const there = (await cells.load(idle))?.jobs.get(job)?.share.ranges ?? emptyRanges;
  expect([count(here), count(there)]).toEqual([40, 10]);
  expect(intersect(here, there)).toEqual([]);
});

test('a move against a cell that has changed moves nothing', async () => {
  const { table, move } = await stage();
  const store = createMoveStore(table);
  await store.commitMove(move);
  expect(await store.commitMove(move)).toBe('conflict');
});

test('what is written of a job that was in the target before is found', async () => {
  const { table, move } = await stage();
  const store = createMoveStore(table);
  expect((await store.historiesIn(idle, [job])).size).toBe(0);
  await store.commitMove(move);
  const history = (await store.historiesIn(idle, [job])).get(job);
  expect(history?.ended.counts.total).toBe(10);
});

test('a job that was cancelled in the meantime stays where it is', async () => {
  const { table, move } = await stage();
  await table.update(askKey(full, job), { set: { cancelled: true } });
  expect(await createMoveStore(table).commitMove(move)).toBe('conflict');
  expect((await createCellStore(table).load(idle))?.jobs.size).toBe(0);
});

test('the largest move fits one transaction', () => {
  const jobs = Array.from({ length: 40 }, (_, at) => makeJob(`job-${at}`, { chunks: 50 }));
  const from = withId(makeCell({ jobs }), full);
  const to = withId(makeCell({ edges: makeEdges(40) }), idle);
  const move = planMove(from, to, 1_000_000);
  expect(move?.asks.size).toBe(moveJobsMax);
  expect(moveWrites(move!).length).toBeLessThanOrEqual(transactRowsMax);
});
