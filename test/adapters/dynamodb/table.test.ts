import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { documentClientOf } from '../../../adapters/dynamodb/client.ts';
import { createTable, type Table } from '../../../adapters/dynamodb/table.ts';
import { transactAttemptsMax, transactRowsMax } from '../../../core/limits.ts';
import { type Dynoxide, startDynoxide } from '../../contract/dynoxide.ts';

let database: Dynoxide;
let table: Table;
beforeAll(async () => {
  database = await startDynoxide();
  table = await database.makeTable();
});
afterAll(() => database.close());

const row = (pk: string, sk: string, more: Record<string, unknown> = {}) => ({ pk, sk, ...more });

describe('single rows', () => {
  test('a condition that does not hold is an outcome', async () => {
    const absent = { expression: 'attribute_not_exists(#pk)' };
    expect(await table.put(row('one', 'a', { n: 1 }), absent)).toBe(true);
    expect(await table.put(row('one', 'a', { n: 2 }), absent)).toBe(false);
    expect(await table.get(row('one', 'a'))).toEqual(row('one', 'a', { n: 1 }));
    expect(await table.remove(row('one', 'a'), { expression: '#n = :n', values: { n: 2 } })).toBe(
      false,
    );
    expect(await table.remove(row('one', 'a'))).toBe(true);
    expect(await table.get(row('one', 'a'))).toBeNull();
  });

  test('an update sets, adds and removes, and leaves out what is undefined', async () => {
    await table.put(row('two', 'a', { n: 1, old: true }));
    const change = { set: { state: 'done', skipped: undefined }, add: { n: 2 }, remove: ['old'] };
    expect(await table.update(row('two', 'a'), change)).toBe(true);
    expect(await table.get(row('two', 'a'))).toEqual(row('two', 'a', { n: 3, state: 'done' }));
  });

  test('a row in somebody’s transaction is tried again, a bounded number of times', async () => {
    const { mock, away: busy } = awayTable();
    const conflict = Object.assign(new Error('busy'), { name: 'TransactionConflictException' });
    mock.rejectsOnce(conflict).resolves({});
    expect(await busy.put(row('x', 'y'))).toBe(true);
    mock.reset();
    mock.rejects(conflict);
    await expect(busy.put(row('x', 'y'))).rejects.toThrow('busy');
    expect(mock.calls()).toHaveLength(transactAttemptsMax);
  });
});

describe('many rows', () => {
  test('are read in batches, missing ones left out', async () => {
    const keys = Array.from({ length: 130 }, (_, at) => row('many', String(at)));
    for (const key of keys.slice(0, 120)) await table.put(key);
    expect(await table.getMany(keys)).toHaveLength(120);
    expect(await table.getMany([])).toEqual([]);
  });

  test('are listed by prefix, both ways, page by page', async () => {
    for (const sk of ['A#1', 'A#2', 'A#3', 'B#1']) await table.put(row('pages', sk));
    const first = await table.query({ pk: 'pages', skPrefix: 'A#', limit: 2, backwards: true });
    expect(first.rows.map((it) => it.sk)).toEqual(['A#3', 'A#2']);
    expect(first.next).not.toBeNull();
    const rest = await table.query({
      pk: 'pages',
      skPrefix: 'A#',
      backwards: true,
      after: first.next!,
    });
    expect(rest.rows.map((it) => it.sk)).toEqual(['A#1']);
    expect(await table.queryAll({ pk: 'pages', attributes: ['sk'] })).toHaveLength(4);
  });

  test('are in the list index when they carry its keys', async () => {
    await table.put(row('listed', 'a', { listPk: 'LIST', listSk: '1', state: 'done', big: 'x' }));
    await table.put(row('listed', 'b'));
    const rows = await table.queryAll({ pk: 'LIST', index: 'list' });
    expect(rows).toEqual([row('listed', 'a', { listPk: 'LIST', listSk: '1', state: 'done' })]);
  });
});

describe('a transaction', () => {
  test('writes all or nothing, and says which condition did not hold', async () => {
    const absent = { expression: 'attribute_not_exists(#pk)' };
    const writes = ['a', 'b'].map((sk) => ({
      kind: 'put' as const,
      row: row('all', sk),
      condition: absent,
    }));
    expect(await table.transact(writes)).toEqual({ kind: 'committed' });
    const more = [{ kind: 'put' as const, row: row('all', 'c') }, ...writes.slice(1)];
    expect(await table.transact(more)).toEqual({ kind: 'refused', failed: [1] });
    expect(await table.get(row('all', 'c'))).toBeNull();
  });

  test('of nothing is committed', async () => {
    expect(await table.transact([])).toEqual({ kind: 'committed' });
  });

  test('of more rows than the service takes is a defect', async () => {
    const writes = Array.from({ length: transactRowsMax + 1 }, (_, at) => ({
      kind: 'put' as const,
      row: row('much', String(at)),
    }));
    await expect(table.transact(writes)).rejects.toThrow(/101 rows/);
  });

  test.each([
    [['None', 'TransactionConflict'], { kind: 'conflict' }],
    [['ConditionalCheckFailed', 'TransactionConflict'], { kind: 'refused', failed: [0] }],
  ])('that was cancelled for %j is an outcome', async (codes, outcome) => {
    const { mock, away } = awayTable();
    mock.rejects(cancelled(codes));
    expect(await away.transact([{ kind: 'put', row: row('x', 'y') }])).toEqual(outcome);
    expect(mock.calls()).toHaveLength(1);
  });

  test('that was throttled is tried again, a bounded number of times', async () => {
    const { mock, away } = awayTable();
    mock.rejectsOnce(cancelled(['ThrottlingError'])).resolves({});
    expect(await away.transact([{ kind: 'put', row: row('x', 'y') }])).toEqual({
      kind: 'committed',
    });
    mock.reset();
    mock.rejects(cancelled(['ThrottlingError']));
    await expect(away.transact([{ kind: 'put', row: row('x', 'y') }])).rejects.toThrow('cancelled');
    expect(mock.calls()).toHaveLength(transactAttemptsMax);
  });
});

function awayTable() {
  const client = documentClientOf(new DynamoDBClient({ region: 'us-east-1' }));
  return { mock: mockClient(client as never), away: createTable(client, 'away') };
}

function cancelled(codes: readonly string[]): Error {
  return Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });
}
