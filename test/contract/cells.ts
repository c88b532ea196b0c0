import { expect, test } from 'vitest';
import type { Cell } from '../../core/model/cell.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  startMs,
  withIntent,
} from '../core/cell-fixture.ts';
import { cellStatus, chunkEnd, commit, executionOf } from './stored-fixture.ts';
import type { Contract } from './stores.ts';

const id = cellIdOf('default.0');
const job = jobIdOf('job-1');

function busyCell(): Cell {
  return makeCell({
    edges: [
      ...makeEdges(3, { labels: { site: 'north' }, flat: { 'os.version': '12', gpu: true } }),
      makeEdge('edge-cordoned', {
        config: { cordoned: { reason: 'repair', sinceMs: startMs }, capacity: { power: 99 } },
      }),
    ],
    jobs: [makeJob(job, { chunks: 40 }), makeJob('job-2', { power: 403, chunkPower: null })],
    queues: new Map([['fast', { weight: 3, strict: true, quota: 500 }]]),
  });
}

/** A plan that grants something. */
function planFor(cell: Cell): Plan {
  const plan = reconcile(cell, startMs + 1_000);
  expect(plan.works.size).toBeGreaterThan(0);
  return plan;
}

/** What every store of cells promises. */
export const cellsContract: Contract = (makeStores) => {
  test('a cell that is not there is null', async () => {
    const { cells } = await makeStores();
    expect(await cells.load(cellIdOf('nowhere.0'))).toBeNull();
  });

  test('a cell is loaded as it was stored', async () => {
    const { cells, seed } = await makeStores();
    await seed(busyCell());
    expect(await cells.load(id)).toEqual(busyCell());
  });

  test('what a plan commits is what the next load gives', async () => {
    const { cells, seed } = await makeStores();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    expect(await cells.commit(plan)).toBe('committed');
    expect(await cells.load(id)).toEqual(applyPlan(cell, plan));
  });

  test('of two commits that saw one version the other changes nothing', async () => {
    const { cells, seed } = await makeStores();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    const other = planFor(withIntent(cell, job, { cancelled: true }));
    const outcomes = await Promise.all([cells.commit(plan), cells.commit(other)]);
    expect(outcomes.toSorted()).toEqual(['committed', 'conflict']);
    const winner = outcomes[0] === 'committed' ? plan : other;
    expect((await cells.load(id))?.edges).toEqual(applyPlan(cell, winner).edges);
  });

  test('a commit that saw an old version is a conflict', async () => {
    const { cells, seed } = await makeStores();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    await cells.commit(plan);
    expect(await cells.commit(plan)).toBe('conflict');
  });

  test('a plan without changes commits without a trace', async () => {
    const { cells, seed } = await makeStores();
    const cell = busyCell();
    await seed(cell);
    expect(await cells.commit({ ...planFor(cell), meta: null })).toBe('committed');
    expect(await cells.load(id)).toEqual(cell);
  });

  test('jobs that ended and edges that left are gone', async () => {
    const { cells, seed } = await makeStores();
    const leaving = makeEdge('edge-leaving', { config: { removing: { force: false } } });
    const cell = makeCell({ edges: [leaving, ...makeEdges(1)], jobs: [makeJob(job)] });
    await seed(cell);
    const plan = { ...planFor(cell), endedJobs: new Set([job]) };
    expect(plan.removedEdges.has(edgeNameOf('edge-leaving'))).toBe(true);
    await cells.commit(plan);
    const after = await cells.load(id);
    expect(after?.jobs.size).toBe(0);
    expect([...(after?.edges.keys() ?? [])]).toEqual(['edge-0']);
  });

  test('a plan that removes an edge that is back is a conflict', async () => {
    const { cells, seed } = await makeStores();
    const name = 'edge-leaving';
    const leaving = makeEdge(name, { config: { removing: { force: false } } });
    const plan = planFor(makeCell({ edges: [leaving, ...makeEdges(1)], jobs: [makeJob(job)] }));
    const back = makeCell({ edges: [makeEdge(name), ...makeEdges(1)], jobs: [makeJob(job)] });
    await seed(back);
    expect(await cells.commit(plan)).toBe('conflict');
    expect(await cells.load(id)).toEqual(back);
  });

  test('what a commit says of its jobs is read with them, its ends owed a fold', async () => {
    const stores = await makeStores();
    await stores.seed(busyCell());
    const status = cellStatus(job, { done: rangeOf(0, 3), endedAtMs: startMs });
    const execution = executionOf(job, edgeNameOf('edge-0'));
    const end = chunkEnd(job, 2);
    await commit(stores, id, {
      jobStatuses: new Map([[job, status]]),
      executions: [execution],
      chunkEnds: [end],
      endedJobs: new Set([job]),
    });
    expect(await stores.jobs.cellStatuses(job)).toEqual([status]);
    expect(await stores.jobs.executions(job, null, 9)).toEqual([execution]);
    expect(await stores.jobs.chunk(job, 2)).toEqual({ chunk: 2, end, output: null });
    expect(await stores.rollups.pendingRollups(startMs)).toEqual([]);
    expect(await stores.rollups.pendingRollups(startMs + 1)).toEqual([job]);
  });

  test('a cell of many pages is loaded whole', async () => {
    const { cells, seed } = await makeStores();
    const labels = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`label-${at}`, 'x'.repeat(200)]),
    );
    const cell = makeCell({ edges: makeEdges(250, { labels, config: { labels } }) });
    await seed(cell);
    expect((await cells.load(id))?.edges.size).toBe(250);
  });
};
