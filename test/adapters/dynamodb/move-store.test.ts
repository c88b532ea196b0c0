import { expect, test } from 'vitest';
import { moveWrites } from '../../../adapters/dynamodb/fleet/move-store.ts';
import { moveJobsMax, transactRowsMax } from '../../../core/model/limits.ts';
import { planMove } from '../../contract/moves.ts';
import { north, south } from '../../contract/stored-fixture.ts';
import { makeCell, makeEdges, makeJob, withId } from '../../core/cell-fixture.ts';

test('the largest move fits one transaction', () => {
  const jobs = Array.from({ length: 40 }, (_, at) => makeJob(`job-${at}`, { chunks: 50 }));
  const from = withId(makeCell({ jobs }), north);
  const to = withId(makeCell({ edges: makeEdges(40) }), south);
  const move = planMove(from, to, 1_000_000);
  expect(move?.intents.size).toBe(moveJobsMax);
  expect(moveWrites(move!).length).toBeLessThanOrEqual(transactRowsMax);
});
