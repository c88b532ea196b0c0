import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeMap } from '../../../adapters/dynamodb/attribute-values.ts';
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
import { createTableStores } from '../../contract/table-stores.ts';
import { SimulatedTable, tableThrough } from '../../sim/table/simulated-table.ts';
import { storeOneOfEach } from './one-of-each.ts';

/**
 * What lies in tables of users, byte by byte. A name in the code may change, a row may not: passes
 * of two releases run side by side while one replaces the other. After a wanted change:
 * UPDATE_GOLDEN=1 npx vitest run test/adapters/dynamodb/golden-rows.test.ts, and read the diff.
 */
const path = join(import.meta.dirname, 'rows.golden.txt');

test('every kind of row is stored as it always was', async () => {
  const table = new SimulatedTable(() => undefined);
  const stores = createTableStores(tableThrough(table, async (_, operation) => operation()));
  await storeOneOfEach(stores);
  const stored = rowsOf(table);
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

/** A row is its key and its attributes, by name, as they go over the wire; each is a line. */
function rowsOf(table: SimulatedTable): string {
  const all = table.partitionsOf('').flatMap((pk) => [...table.partition(pk).values()]);
  const rows = all.map(({ pk, sk, ...attributes }) => {
    const values = Object.entries(encodeMap(attributes));
    const lines = values.map(([name, value]) => `  ${name} ${JSON.stringify(value)}`);
    return [`${pk} ${sk}`, ...lines.sort()].join('\n');
  });
  return `${rows.sort().join('\n')}\n`;
}
