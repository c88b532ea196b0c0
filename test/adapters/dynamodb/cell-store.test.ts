import { expect, test } from 'vitest';
import { planWrites } from '../../../adapters/dynamodb/fleet/cell-store.ts';
import { transactRowsMax } from '../../../core/model/limits.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdges, makeJob, startMs } from '../../core/cell-fixture.ts';

test('the largest plan fits one transaction', () => {
  const jobs = Array.from({ length: 120 }, (_, at) => makeJob(`job-${at}`, { chunks: 500 }));
  const cell = makeCell({ edges: makeEdges(250), jobs });
  const writes = planWrites(reconcile(cell, startMs));
  expect(writes.length).toBeGreaterThan(transactRowsMax / 2);
  expect(writes.length).toBeLessThanOrEqual(transactRowsMax);
});
