import { expect, test } from 'vitest';
import { receiptOf } from '../../../core/jobs/receipt.ts';
import { north } from './job-fixture.ts';

test('a job that nobody ran has cost what it takes to store and to look at it', () => {
  const chunking = { chunks: 4, chunkPower: 1, lastChunkPower: 1 };
  const receipt = receiptOf({ chunking, cells: [north], foldedByCell: false }, []);
  expect(receipt).toMatchObject({ counted: false, shadowUpdates: 0, messages: 0 });
  expect(receipt.tableWrites).toBeGreaterThan(0);
  expect(receipt.usd).toBeGreaterThan(0);
});

test('a job of one cell has cost what was counted for it', () => {
  const chunking = { chunks: 1, chunkPower: 1, lastChunkPower: 1 };
  const spent = { rows: 12.6, documents: 1.2, reports: 0.9, calls: 3.5 };
  const status = { chunking, cells: [north], foldedByCell: true, spent };
  const receipt = receiptOf(status, []);
  expect(receipt).toMatchObject({ counted: true, shadowUpdates: 2, messages: 2, tableWrites: 13 });
  expect(receipt.usd).toBeGreaterThan(13 * 2 * 0.625e-6);
  expect(receiptOf({ ...status, foldedByCell: false }, []).counted).toBe(false);
});
