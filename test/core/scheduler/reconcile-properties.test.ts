import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell, Slice } from '../../../core/model/cell.ts';
import type { JobId } from '../../../core/model/names.ts';
import { count, emptyRanges, subtract } from '../../../core/model/ranges.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { explain } from '../../../core/scheduler/explain.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { type Command, commands, newWorld, play, runPass, settle } from '../world.ts';

/**
 * Random lives of a cell: edges come, go and lie; jobs are submitted, cancelled and retried; chunks
 * fail and succeed.
 */

const runs = Number(process.env.EDGEWISE_PROPERTY_RUNS ?? 60);

test('every step keeps all chunks, capacities and promises, and in the end every job ends', () => {
  fc.assert(
    fc.property(fc.array(commands, { minLength: 5, maxLength: 60 }), (list: Command[]) => {
      const world = newWorld();
      for (const command of list) play(world, command);
      settle(world);
      expect([...world.cell.jobs.keys()]).toEqual([]);
    }),
    { numRuns: runs },
  );
});

test('a pass on its own result changes nothing', () => {
  fc.assert(
    fc.property(fc.array(commands, { minLength: 5, maxLength: 40 }), (list: Command[]) => {
      const world = newWorld();
      for (const command of list) play(world, command);
      let passes = 0;
      while (runPass(world)) expect(++passes).toBeLessThan(200);
      const again = reconcile(world.cell, world.nowMs);
      expect(again.meta).toBeNull();
      expect(again.shadows.size).toBe(0);
      const same: Cell = applyPlan(world.cell, again);
      expect(same).toBe(world.cell);
    }),
    { numRuns: runs },
  );
});

test('while a chunk waits there is a reason for as many chunks as wait', () => {
  fc.assert(
    fc.property(fc.array(commands, { minLength: 5, maxLength: 40 }), (list: Command[]) => {
      const world = newWorld();
      for (const command of list) play(world, command);
      for (let passes = 0; runPass(world); ) expect(++passes).toBeLessThan(200);
      for (const [id, { slice }] of world.cell.jobs) {
        const waiting = waitingChunks(world.cell, id, slice);
        const reasons = explain(world.cell, id, world.nowMs);
        const most = Math.max(0, ...reasons.map(({ chunks }) => chunks));
        expect(most > 0, `${waiting} chunks of ${id} wait`).toBe(waiting > 0);
      }
    }),
    { numRuns: runs },
  );
});

function waitingChunks(cell: Cell, id: JobId, slice: Slice): number {
  let rest = slice.ranges;
  for (const over of [slice.done, slice.dead, slice.cancelled]) rest = subtract(rest, over);
  for (const { work } of cell.edges.values()) {
    rest = subtract(rest, work?.leases.get(id)?.ranges ?? emptyRanges);
  }
  return count(rest);
}
