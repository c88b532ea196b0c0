import { expect, test } from 'vitest';
import { explain, planJob } from '../../core/explain.ts';
import type { JobId } from '../../core/names.ts';
import { count } from '../../core/ranges.ts';
import { makeCell, makeEdge, makeEdges, makeJob, startMs } from './cell-fixture.ts';
import { rest } from './stage.ts';

test('explain counts edges per reason, the most hopeful first', () => {
  const edges = [
    ...makeEdges(2),
    makeEdge('edge-8', { labels: { site: 'south' } }),
    makeEdge('edge-9', { config: { cordoned: { reason: 'fan broken', sinceMs: startMs } } }),
  ];
  const expressions = [{ key: 'site', op: 'notIn' as const, value: ['south'] }];
  const requires = { labels: {}, expressions, edges: [] };
  const { cell } = rest(
    makeCell({ edges, jobs: [makeJob('job-a', { chunks: 10, requires })] }),
    startMs,
  );
  expect(explain(cell, 'job-a' as JobId, startMs)).toEqual([
    {
      reason: 'no-free-power',
      chunks: 6,
      edges: 2,
      examples: ['edge-0', 'edge-1'],
      detail: 'has too little free power for one chunk',
    },
    { reason: 'edge-cordoned', chunks: 6, edges: 1, examples: ['edge-9'], detail: 'fan broken' },
    {
      reason: 'expression-does-not-match',
      chunks: 6,
      edges: 1,
      examples: ['edge-8'],
      detail: 'site notIn south',
    },
  ]);
  expect(explain(cell, 'job-b' as JobId, startMs)).toEqual([]);
});

test('the reasons in the status are those of explain, and are written again when they change', () => {
  let { cell, plans } = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob('job-a', { chunks: 9 })] }),
    startMs,
  );
  expect(plans.at(-1)!.jobStatuses.get('job-a' as JobId)!.waiting).toEqual(
    explain(cell, 'job-a' as JobId, startMs),
  );
  const added = makeEdge('edge-1', { config: { cordoned: { reason: 'new', sinceMs: startMs } } });
  cell = { ...cell, edges: new Map(cell.edges).set(added.name, added) };
  const again = rest(cell, startMs);
  const told = again.plans.at(-1)!.jobStatuses.get('job-a' as JobId)!.waiting;
  expect(told.map(({ reason }) => reason)).toEqual(['no-free-power', 'edge-cordoned']);
});

test('a dry run says where a job would go, beyond one transaction, and stores nothing', () => {
  const cell = makeCell({ edges: makeEdges(200) });
  const { ask } = makeJob('job-a', { chunks: 500 });
  const plan = planJob(cell, ask, startMs);
  expect(plan.executions).toHaveLength(200);
  expect(plan.executions.reduce((sum, { chunks }) => sum + count(chunks), 0)).toBe(400);
  expect(plan.waiting).toMatchObject([{ reason: 'no-free-power', chunks: 100, edges: 200 }]);
  expect(cell.jobs.size).toBe(0);
});
