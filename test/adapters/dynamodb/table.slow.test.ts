import {
  DynamoDBClient,
  TransactionCanceledException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTable, type Table } from '../../../adapters/dynamodb/table.ts';
import { transactAttemptsMax, transactRowsMax } from '../../../core/model/limits.ts';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { sdks } from '../../contract/sdk.ts';
import { answering } from '../answering.ts';

const row = (pk: string, sk: string, more: Record<string, unknown> = {}) => ({ pk, sk, ...more });

describe.each(sdks)('the table over the %s client', (sdk) => {
  let database: TestDatabase;
  let table: Table;
  beforeAll(async () => {
    database = await startDatabase();
    table = await database.makeTable(sdk);
  });
  afterAll(() => database.close());

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
  });

  describe('values', () => {
    test('come back as they were written', async () => {
      const values = {
        text: 'quotes " and \n lines, 😀, % and \u0001',
        empty: '',
        number: -1.5e-7,
        large: Number.MAX_SAFE_INTEGER,
        yes: true,
        nothing: null,
        list: [1, 'two', [false]],
        map: { deep: { er: null }, list: [] },
      };
      await table.put(row('values', 'a', { ...values, left: undefined }));
      expect(await table.get(row('values', 'a'))).toEqual(row('values', 'a', values));
    });

    test.each([Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1])(
      '%s is refused',
      async (value) => {
        await expect(async () => table.put(row('values', 'b', { value }))).rejects.toThrow(/row/);
        expect(await table.get(row('values', 'b'))).toBeNull();
      },
    );
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
  });
});

describe('what a service answers under load', () => {
  test('a row in somebody’s transaction is tried again, a bounded number of times', async () => {
    const conflict = new TransactionConflictException({ message: 'busy', $metadata: {} });
    const once = awayTable(conflict, {});
    expect(await once.away.put(row('x', 'y'))).toBe(true);
    const always = awayTable(conflict);
    await expect(always.away.put(row('x', 'y'))).rejects.toThrow('busy');
    expect(always.inputs).toHaveLength(transactAttemptsMax);
  });

  test('a transaction carries a token of its own, so that a repeated request is carried out once', async () => {
    const { inputs, away } = awayTable({});
    const writes = [{ kind: 'put' as const, row: row('x', 'y') }];
    await away.transact(writes);
    await away.transact(writes);
    const tokens = inputs.map((it) => (it as { ClientRequestToken?: string }).ClientRequestToken);
    expect(tokens[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(new Set(tokens).size).toBe(2);
  });

  test.each([
    [['None', 'TransactionConflict'], { kind: 'conflict' }],
    [['ConditionalCheckFailed', 'TransactionConflict'], { kind: 'refused', failed: [0] }],
  ])('a transaction that was cancelled for %j is an outcome', async (codes, outcome) => {
    const { inputs, away } = awayTable(cancelled(codes));
    expect(await away.transact([{ kind: 'put', row: row('x', 'y') }])).toEqual(outcome);
    expect(inputs).toHaveLength(1);
  });

  test('a transaction that was throttled is tried again, a bounded number of times', async () => {
    const throttled = cancelled(['ThrottlingError']);
    const once = awayTable(throttled, {});
    expect(await once.away.transact([{ kind: 'put', row: row('x', 'y') }])).toEqual({
      kind: 'committed',
    });
    const always = awayTable(throttled);
    await expect(always.away.transact([{ kind: 'put', row: row('x', 'y') }])).rejects.toThrow(
      'cancelled',
    );
    expect(always.inputs).toHaveLength(transactAttemptsMax);
  });
});

/** A table that answers what it is given: each answer once, the last one for ever. */
function awayTable(...answers: readonly object[]) {
  const { client, inputs } = answering(new DynamoDBClient({}), ...answers);
  return { inputs, away: createTable({ client, name: 'away' }) };
}

function cancelled(codes: readonly string[]): TransactionCanceledException {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return new TransactionCanceledException({
    message: 'cancelled',
    $metadata: {},
    CancellationReasons,
  });
}
