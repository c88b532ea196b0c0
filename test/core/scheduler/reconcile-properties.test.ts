import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
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
