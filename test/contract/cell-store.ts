import { expect, test } from 'vitest';
import { applyPlan } from '../../core/apply-plan.ts';
import type { Cell } from '../../core/cell.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/names.ts';
import type { Plan } from '../../core/plan.ts';
import type { CellStore } from '../../core/ports/cells.ts';
import { reconcile } from '../../core/reconcile.ts';
import { makeCell, makeEdge, makeEdges, makeJob, startMs, withAsk } from '../core/cell-fixture.ts';

/** What every store of cells promises; each implementation runs this same suite. */
export type CellStoreHarness = {
  readonly store: CellStore;
  /** Stores a cell as it is, whatever was there. */
  seed(cell: Cell): Promise<void>;
};

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

export function cellStoreContract(makeHarness: () => Promise<CellStoreHarness>): void {
  test('a cell that is not there is null', async () => {
    const { store } = await makeHarness();
    expect(await store.load(cellIdOf('nowhere.0'))).toBeNull();
  });

  test('a cell is loaded as it was stored', async () => {
    const { store, seed } = await makeHarness();
    await seed(busyCell());
    expect(await store.load(id)).toEqual(busyCell());
  });

  test('what a plan commits is what the next load gives', async () => {
    const { store, seed } = await makeHarness();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    expect(await store.commit(plan)).toBe('committed');
    expect(await store.load(id)).toEqual(applyPlan(cell, plan));
  });

  test('of two commits that saw the same version one wins and the other changes nothing', async () => {
    const { store, seed } = await makeHarness();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    const other = planFor(withAsk(cell, job, { cancelled: true }));
    const outcomes = await Promise.all([store.commit(plan), store.commit(other)]);
    expect(outcomes.toSorted()).toEqual(['committed', 'conflict']);
    const winner = outcomes[0] === 'committed' ? plan : other;
    expect((await store.load(id))?.edges).toEqual(applyPlan(cell, winner).edges);
  });

  test('a commit that saw an old version is a conflict', async () => {
    const { store, seed } = await makeHarness();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    await store.commit(plan);
    expect(await store.commit(plan)).toBe('conflict');
  });

  test('a plan without changes commits without a trace', async () => {
    const { store, seed } = await makeHarness();
    const cell = busyCell();
    await seed(cell);
    expect(await store.commit({ ...planFor(cell), meta: null })).toBe('committed');
    expect(await store.load(id)).toEqual(cell);
  });

  test('jobs that ended and edges that left are gone', async () => {
    const { store, seed } = await makeHarness();
    const leaving = makeEdge('edge-leaving', { config: { removing: { force: false } } });
    const cell = makeCell({ edges: [leaving, ...makeEdges(1)], jobs: [makeJob(job)] });
    await seed(cell);
    const plan = { ...planFor(cell), endedJobs: new Set([job]) };
    expect(plan.removedEdges.has(edgeNameOf('edge-leaving'))).toBe(true);
    await store.commit(plan);
    const after = await store.load(id);
    expect(after?.jobs.size).toBe(0);
    expect([...(after?.edges.keys() ?? [])]).toEqual(['edge-0']);
  });

  test('a cell of many pages is loaded whole', async () => {
    const { store, seed } = await makeHarness();
    const labels = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`label-${at}`, 'x'.repeat(200)]),
    );
    const cell = makeCell({ edges: makeEdges(250, { labels, config: { labels } }) });
    await seed(cell);
    expect((await store.load(id))?.edges.size).toBe(250);
  });
}
