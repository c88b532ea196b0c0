import { expect, test } from 'vitest';
import {
  cellQueueKey,
  jobCellKey,
  type Key,
  poolCellKey,
  poolQueueKey,
  tokenKey,
} from '../../../adapters/dynamodb/keys.ts';
import type { Row } from '../../../adapters/dynamodb/table.ts';
import { cellEdgesMax } from '../../../core/model/limits.ts';
import { cellIdOf, jobIdOf } from '../../../core/model/names.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { SimulatedTable, tableThrough } from '../../sim/table/simulated-table.ts';
import { rowsOf } from './kept-rows.ts';

/** Where a row decides what somebody may do, damage means nothing, and is reported. */
const north = cellIdOf('default.0');

function stage(key: Key, damage: (row: Record<string, unknown>) => void) {
  const sim = new SimulatedTable(() => undefined);
  for (const row of rowsOf('second')) sim.write({ kind: 'put', row });
  const row: Record<string, unknown> = { ...sim.get(key)! };
  damage(row);
  sim.write({ kind: 'put', row: row as Row });
  const reported: string[] = [];
  const table = {
    ...tableThrough(sim, async (_, operation) => operation()),
    reportUnreadable: ({ pk, sk }: Key) => void reported.push(`${pk} ${sk}`),
  };
  return { sim, reported, stores: createTableStores(table) };
}

const damagedTokens: readonly (readonly [string, (row: Record<string, unknown>) => void])[] = [
  ['whose pool is a number', (row) => Object.assign(row, { pool: 7 })],
  ['that does not say its pool', (row) => delete row.pool],
  ['that does not say its queue', (row) => delete row.queue],
  ['that does not say when it ends', (row) => delete row.expiresAtMs],
  ['that does not say how often it may be used', (row) => delete row.usesLeft],
  ['whose scopes are a list', (row) => Object.assign(row, { scopes: ['fleet:admin'] })],
  ['of a kind that nobody knows', (row) => Object.assign(row, { kind: 'root' })],
];

test.each(damagedTokens)('a token %s opens nothing', async (_, damage) => {
  const { stores, reported } = stage(tokenKey('hash'), damage);
  expect(await stores.tokens.find('hash')).toBeNull();
  expect(reported).toEqual(['TOKEN#hash TOKEN']);
});

test('a token that cannot be read is listed, and can be revoked', async () => {
  const { stores, sim } = stage(tokenKey('hash'), (row) => Object.assign(row, { pool: 7 }));
  const [listed] = await stores.tokens.list(null, 10);
  expect(listed).toMatchObject({ id: 'id', name: 'its row cannot be read', scopes: [] });
  await stores.tokens.remove((await stores.tokens.findById('id'))!);
  expect(sim.get(tokenKey('hash'))).toBeNull();
});

test('a queue whose row cannot be read may use nothing, and its copies stay', async () => {
  const key = poolQueueKey('*', 'fast');
  const { stores, sim, reported } = stage(key, (row) => Object.assign(row, { quota: 'all' }));
  const copy = sim.get(cellQueueKey(north, 'fast'));
  expect(await stores.queues.find('fast')).toMatchObject({ quota: 0, unreadable: true });
  const slow = { name: 'slow', weight: 1, strict: false, quota: null, version: 1 };
  await stores.queues.put(slow, null);
  expect(sim.get(cellQueueKey(north, 'fast'))).toEqual(copy);
  expect(reported[0]).toBe('POOL#* QUEUE#fast');
});

test('a cell of which nobody knows how many edges it has takes no more', async () => {
  const key = poolCellKey('default', north);
  const { stores } = stage(key, (row) => Object.assign(row, { edges: 'some' }));
  const { cells } = await stores.pools.find('default');
  expect(cells).toContainEqual({ id: north, edges: cellEdgesMax });
});

test('a job is not moved to where nobody can say what became of it', async () => {
  const [job] = ['job-b'].map(jobIdOf);
  const { stores } = stage(jobCellKey(job!, north), (row) => Object.assign(row, { done: '5-1' }));
  const histories = await stores.moves.historiesIn(north, [job!]);
  expect([...histories]).toEqual([[job, null]]);
});
