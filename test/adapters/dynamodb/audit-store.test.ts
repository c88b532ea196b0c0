import { expect, test } from 'vitest';
import { createAuditStore } from '../../../adapters/dynamodb/access/audit-store.ts';
import { SimulatedTable, tableThrough } from '../../sim/table/simulated-table.ts';

const nowMs = 1_700_000_000_000;

test('a position in the far future costs no more than one of now', async () => {
  let reads = 0;
  const table = new SimulatedTable(() => undefined);
  const store = createAuditStore(
    tableThrough(table, async (_, run) => {
      reads += 1;
      return run();
    }),
  );
  const event = { atMs: nowMs - 5_000, by: 'token:ci', action: 'pool-changed', target: 'default' };
  await store.add({ ...event, requestId: 'r-1' });
  reads = 0;
  const found = await store.list('99999999999999#r-9.zzzzzz', nowMs - 60_000, nowMs, 10);
  expect(found.map(({ event: { requestId } }) => requestId)).toEqual(['r-1']);
  expect(reads).toBeLessThan(50);
});
