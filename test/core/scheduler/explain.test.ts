import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { count } from '../../../core/model/ranges.ts';
import { explain, planJob } from '../../../core/scheduler/explain.ts';
import { isActive } from '../../../core/scheduler/pass/draft.ts';
import { waitingOf } from '../../../core/scheduler/phases/waiting.ts';
import { decide } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdge, makeEdges, makeJob, startMs } from '../cell-fixture.ts';
import { rest } from '../stage.ts';
import { type Command, commands, newWorld, play, runPass } from '../world.ts';

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
  expect(explain(cell, jobIdOf('job-a'), startMs)).toEqual([
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
  expect(explain(cell, jobIdOf('job-b'), startMs)).toEqual([]);
});

test('the reasons in the status are those of explain, and are written again when they change', () => {
  let { cell, plans } = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob('job-a', { chunks: 9 })] }),
    startMs,
  );
  expect(plans.at(-1)!.jobStatuses.get(jobIdOf('job-a'))!.waiting).toEqual(
    explain(cell, jobIdOf('job-a'), startMs),
  );
  const added = makeEdge('edge-1', { config: { cordoned: { reason: 'new', sinceMs: startMs } } });
  cell = { ...cell, edges: new Map(cell.edges).set(added.name, added) };
  const again = rest(cell, startMs);
  const waiting = again.plans.at(-1)!.jobStatuses.get(jobIdOf('job-a'))!.waiting;
  expect(waiting.map(({ reason }) => reason)).toEqual(['no-free-power', 'edge-cordoned']);
});

test('a dry run says where a job would go, beyond one transaction, and stores nothing', () => {
  const cell = makeCell({ edges: makeEdges(200) });
  const { intent } = makeJob('job-a', { chunks: 500 });
  const plan = planJob(cell, intent, startMs);
  expect(plan.executions).toHaveLength(200);
  expect(plan.executions.reduce((sum, { chunks }) => sum + count(chunks), 0)).toBe(400);
  expect(plan.waiting).toMatchObject([{ reason: 'no-free-power', chunks: 100, edges: 200 }]);
  expect(cell.jobs.size).toBe(0);
});

/** A cell that has lived, with nothing left to decide about what was reported so far. */
function livedCell(list: readonly Command[]): { cell: Cell; nowMs: number } {
  const world = newWorld();
  for (const command of list) play(world, command);
  for (let passes = 0; runPass(world); passes++) expect(passes).toBeLessThan(200);
  return world;
}

const lives = fc.array(commands, { minLength: 10, maxLength: 60 });
const runs = Number(process.env.EDGEWISE_PROPERTY_RUNS ?? 60);
const rowsMax = Number.POSITIVE_INFINITY;

test('reasons are those that a whole pass would find', () => {
  fc.assert(
    fc.property(lives, (list) => {
      const { cell, nowMs } = livedCell(list);
      for (const id of cell.jobs.keys()) {
        const pass = decide(cell, nowMs, rowsMax);
        expect(explain(cell, id, nowMs)).toEqual(waitingOf(pass, pass.jobs.get(id)!));
      }
    }),
    { numRuns: runs },
  );
});

test('a dry run places what a whole pass would place', () => {
  const shape = fc.record({
    chunks: fc.integer({ min: 1, max: 40 }),
    chunkPower: fc.integer({ min: 1, max: 300 }),
    priority: fc.nat({ max: 3 }),
    policy: fc.constantFrom('spread', 'pack', 'fastest'),
    maxEdges: fc.constantFrom(null, 2),
    nodes: fc.constantFrom(null, null, 2),
    queue: fc.constantFrom('default', 'strict', 'small'),
  });
  let placed = 0;
  fc.assert(
    fc.property(lives, shape, (list, { policy, maxEdges, nodes, ...over }) => {
      const { cell, nowMs } = livedCell(list);
      const placement = { policy, maxEdges, nodes };
      const job = makeJob('zzzzzzzzzzzzzzzzzz', {
        ...over,
        placement,
        intent: { submittedAtMs: nowMs },
      });
      const jobs = new Map(cell.jobs).set(job.id, job);
      const pass = decide({ ...cell, jobs }, nowMs, rowsMax);
      const draft = pass.jobs.get(job.id)!;
      const plan = planJob(cell, job.intent, nowMs);
      expect(plan.executions.map(({ edge, chunks }) => [edge, chunks])).toEqual(
        draft.leases.filter(isActive).map((lease) => [lease.edge.name, lease.ranges]),
      );
      expect(plan.waiting).toEqual(waitingOf(pass, draft));
      placed += plan.executions.length;
    }),
    { numRuns: runs },
  );
  expect(placed).toBeGreaterThan(0);
});
