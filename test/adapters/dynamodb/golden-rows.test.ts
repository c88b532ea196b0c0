import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  cellRows,
  edgeRows,
  jobRows,
  nameRows,
  partitions,
  poolRows,
  scheduleRows,
  statsRows,
  submissionRows,
} from '../../../adapters/dynamodb/schema.ts';
import { startDatabase, type TestDatabase } from '../../contract/database.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { storeOneOfEach } from './one-of-each.ts';

/**
 * What lies in tables of users, byte by byte. A name in the code may change, a row may not: passes
 * of two releases run side by side while one replaces the other. After a wanted change:
 * UPDATE_GOLDEN=1 npx vitest run test/adapters/dynamodb/golden-rows.test.ts, and read the diff.
 */
const path = join(import.meta.dirname, 'rows.golden.txt');

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

test('every kind of row is stored as it always was', async () => {
  const table = await database.makeTable();
  await storeOneOfEach(createTableStores(table));
  const stored = await rowsOf(database.client, table.name);
  if (process.env.UPDATE_GOLDEN) writeFileSync(path, stored);
  expect(stored).toBe(readFileSync(path, 'utf8'));
});

test('no kind of row is missing', () => {
  // A part of a batch is gone when its jobs are stored: `create-jobs.test.ts` has one.
  const { batch: _, ...lasting } = partitions;
  const kinds = [
    ...Object.values(lasting).map((pk) => [pk, '']),
    ...Object.values(cellRows).map((sk) => [partitions.cell, sk]),
    ...Object.values(jobRows).map((sk) => [partitions.job, sk]),
    ...Object.values(nameRows).map((sk) => [partitions.name, sk]),
    ...Object.values(edgeRows).map((sk) => [partitions.edge, sk]),
    ...Object.values(poolRows).map((sk) => [partitions.pool, sk]),
    ...Object.values(statsRows).map((sk) => [partitions.stats, sk]),
    ...Object.values(submissionRows).map((sk) => [partitions.submission, sk]),
    ...Object.values(scheduleRows).map((sk) => [partitions.schedule, sk]),
  ] as const;
  const keys = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^\S/.test(line));
  const missing = kinds.filter(
    ([pk, sk]) => !keys.some((key) => key.startsWith(pk!) && key.includes(` ${sk}`)),
  );
  expect(missing).toEqual([]);
});

/** A row is its key and its attributes, by name; an attribute is a line. */
async function rowsOf(client: DynamoDBClient, TableName: string): Promise<string> {
  const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }));
  const rows = Items.map(({ pk, sk, ...attributes }) => {
    const lines = Object.entries(attributes).map(([name, value]) => `  ${name} ${textOf(value)}`);
    return [`${pk?.S} ${sk?.S}`, ...lines.sort()].join('\n');
  });
  return `${rows.sort().join('\n')}\n`;
}

const textOf = (value: AttributeValue): string => JSON.stringify(value);
