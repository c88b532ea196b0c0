import { describe, expect, test } from 'vitest';
import { edgeAmountMax } from '../../../core/model/limits.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { capacityOf, excessOf } from '../../../core/scheduler/pass/capacity.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { edgeView } from '../../../lambdas/api/edges/view/edge-view.ts';
import { makeCell, makeEdge, makeJob, startMs } from '../cell-fixture.ts';

/** What an edge claims to have. */
describe.each([3e9, 1e15, 2 ** 53 - 1, 1.7e308])('an edge that claims %d', (claim) => {
  const edge = makeEdge('edge-0', { power: claim, resources: { memory: claim } });

  test('is believed up to the bound, and says so', () => {
    const { power, others } = capacityOf(edge);
    expect([power, others.get('memory')]).toEqual([edgeAmountMax, edgeAmountMax]);
    expect(excessOf(edge)).toEqual(['power', 'memory']);
    const stored = { ...edge, cell: makeCell().meta.id, version: 1, allFacts: {} };
    const view = edgeView(stored, new Map(), { chunksDone: 0, powerServed: 0 });
    expect(view.reason).toContain('claims more power, memory');
    expect(view.capacity).toEqual({ power: edgeAmountMax, memory: edgeAmountMax });
  });

  test('is what its users set, where they did', () => {
    const set = { ...edge, config: { ...edge.config, capacity: { power: 7 } } };
    expect(capacityOf(set).power).toBe(7);
  });

  test('leaves the totals of its cell numbers', () => {
    const edges = Array.from({ length: 250 }, (_, at) => ({
      ...edge,
      name: makeEdge(`e-${at}`).name,
    }));
    const jobs = [makeJob('job-a', { chunks: 100 })];
    const cell = makeCell({ edges, jobs });
    const { meta } = applyPlan(cell, reconcile(cell, startMs));
    for (const total of Object.values(meta.summary.power)) {
      expect(Number.isSafeInteger(total)).toBe(true);
    }
  });
});
