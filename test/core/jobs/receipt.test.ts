import { expect, test } from 'vitest';
import { receiptOf } from '../../../core/jobs/receipt.ts';
import { north } from './job-fixture.ts';

test('a job that nobody ran has cost what it takes to store and to look at it', () => {
  const chunking = { chunks: 4, chunkPower: 1, lastChunkPower: 1 };
  const receipt = receiptOf({ chunking, cells: [north] }, []);
  expect(receipt).toMatchObject({ shadowUpdates: 0, messages: 0 });
  expect(receipt.tableWrites).toBeGreaterThan(0);
  expect(receipt.usd).toBeGreaterThan(0);
});
