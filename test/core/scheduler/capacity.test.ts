import { describe, expect, test } from 'vitest';
import { edgeAmountMax } from '../../../core/model/limits.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { capacityOf, excessOf } from '../../../core/scheduler/pass/capacity.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { edgeView } from '../../../lambdas/api/edges/view/edge-view.ts';
import { makeCell, makeEdge, makeJob, startMs, withEdge } from '../cell-fixture.ts';
import { applied, held, leaseOf, rest } from '../stage.ts';

/** What an edge claims to have. */
describe.each([3e9, 1e15, 2 ** 53 - 1, 1.7e308])('an edge that claims %d', (claim) => {
  const edge = makeEdge('edge-0', { power: claim, resources: { memory: claim } });

  test('is believed up to the bound, and says so', () => {
    const { power, others } = capacityOf(edge);
    expect([power, others.get('memory')]).toEqual([edgeAmountMax, edgeAmountMax]);
    expect(excessOf(edge)).toEqual([
      ['power', edgeAmountMax],
      ['memory', edgeAmountMax],
    ]);
    const stored = { ...edge, cell: makeCell().meta.id, version: 1, allFacts: {}, cluster: null };
    const view = edgeView(stored, new Map(), 0);
    expect(view.reason).toContain(`counted power as ${edgeAmountMax}, memory as ${edgeAmountMax}`);
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

describe('an edge of a pool with a maximum', () => {
  const edge = {
    ...makeEdge('edge-0', { power: 900, resources: { gpus: 8, cores: 4 } }),
    capacityMax: { power: 500, gpus: 2 },
  };

  test('is believed up to that, and says so', () => {
    expect(capacityOf(edge)).toEqual({
      power: 500,
      others: new Map(Object.entries({ gpus: 2, cores: 4 })),
    });
    const stored = { ...edge, cell: makeCell().meta.id, version: 1, allFacts: {}, cluster: null };
    const { reason } = edgeView(stored, new Map(), 0);
    expect(reason).toBe('claims more than is believed: counted power as 500, gpus as 2');
  });

  test('has more where its users set it, and then claims nothing too much of that', () => {
    const set = { ...edge, config: { ...edge.config, capacity: { power: 900 } } };
    expect(capacityOf(set).power).toBe(900);
    expect(excessOf(set)).toEqual([['gpus', 2]]);
  });

  test('is given no more than that, and less when the maximum becomes smaller', () => {
    const jobs = [makeJob('job-a', { chunks: 20, chunkPower: 100 })];
    const cell = rest(makeCell({ edges: [edge], jobs }), startMs).cell;
    expect(held(cell, 'job-a')).toEqual({ 'edge-0': '0-4' });
    const smaller = withEdge(applied(cell, startMs), 'edge-0', { capacityMax: { power: 200 } });
    const after = rest(smaller, startMs).cell;
    expect(leaseOf(after, 'edge-0', 'job-a')!.slots).toBe(2);
  });
});
