import { expect, test } from 'vitest';
import { cancel } from '../../core/jobs/cancel.ts';
import type { JobCreation } from '../../core/jobs/submit.ts';
import type { Cell } from '../../core/model/cell.ts';
import { isFinal, type JobState } from '../../core/model/job.ts';
import type { JobStatus } from '../../core/model/job-status.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { Plan } from '../../core/model/plan.ts';
import { rangeOf } from '../../core/model/ranges.ts';
import { parseProgressReport } from '../../core/protocol/progress-report.ts';
import { applyPlan } from '../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../core/scheduler/reconcile.ts';
import type { ProgressEvent } from '../../core/scheduler/short-pass.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  startMs,
  withIntent,
} from '../core/cell-fixture.ts';
import {
  auditOf,
  cellStatus,
  chunkEnd,
  commit,
  contentOf,
  enrol,
  executionOf,
  makeCreation,
  north,
  planOver,
  submit,
  traceOf,
} from './stored-fixture.ts';
import type { Stores } from './stored-ports.ts';
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

async function submitToOneCell(stores: Stores): Promise<JobCreation> {
  await stores.pools.ensureCell('default', 0, startMs);
  const made = makeCreation(job);
  const creation = {
    ...made,
    intents: new Map([...made.intents].filter(([cell]) => cell === north)),
    status: { ...made.status, cells: [north], foldedByCell: true },
  };
  expect(await stores.changes.create(creation, null, auditOf(job))).toBe('created');
  return creation;
}

function foldTo(status: JobStatus, state: JobState, seen: JobState | null): Partial<Plan> {
  const atMs = startMs + (seen === null ? 0 : 1);
  const event = { atMs, kind: state, by: 'scheduler', detail: '' };
  const next = { ...status, state, countedAs: state };
  const eventsIn = seen === null ? 'began' : isFinal(state) ? 'ended' : 'rows';
  const fold = { seen, next, events: [event], eventsIn, progress: { chunks: 0, jobs: 0 } } as const;
  const counted = cellStatus(job, { foldedByCell: true });
  return { jobStatuses: new Map([[job, counted]]), folds: new Map([[job, fold]]) };
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
    expect(contentOf(await cells.load(id))).toEqual(busyCell());
  });

  test('what a plan commits is what the next load gives', async () => {
    const { cells, seed } = await makeStores();
    const cell = busyCell();
    await seed(cell);
    const plan = planFor(cell);
    expect(await cells.commit(plan)).toBe('committed');
    expect(contentOf(await cells.load(id))).toEqual(applyPlan(cell, plan));
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

  test('reports are stored with the pass over them, only while they are news', async () => {
    const stores = await makeStores();
    const { edge } = await enrol(stores, 'edge-1');
    const atMs = startMs + 1;
    await stores.inventory.store(id, { kind: 'connected', edge, atMs, version: 1 });
    const event = (version: number): ProgressEvent => {
      const progress = parseProgressReport({ b: 'boot', e: 0, n: version, w: {} })!;
      return { kind: 'prog', edge, atMs: atMs + version, version, progress };
    };
    await stores.inventory.store(id, event(1));
    const { meta } = (await stores.cells.load(id))!;
    const plan = planOver(meta, {});
    const version = async () => (await stores.cells.load(id))?.edges.get(edge)?.report?.version;
    expect(await stores.cells.commitWithReports(plan, [event(1)])).toBe('conflict');
    expect(await stores.cells.commitWithReports(plan, [event(2)])).toBe('committed');
    expect(await version()).toBe(2);
    expect(await stores.cells.commitWithReports(plan, [event(3)])).toBe('conflict');
    expect(await version()).toBe(2);
    expect(await stores.inventory.store(id, event(3))).toBe('stored');
  });

  test('a plan without changes commits without a trace', async () => {
    const { cells, seed } = await makeStores();
    const cell = busyCell();
    await seed(cell);
    expect(await cells.commit({ ...planFor(cell), meta: null })).toBe('committed');
    expect(contentOf(await cells.load(id))).toEqual(cell);
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
    expect(contentOf(await cells.load(id))).toEqual(back);
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

  test('the status of a job that one cell has is written with its counts', async () => {
    const stores = await makeStores();
    const { status } = await submitToOneCell(stores);
    const running = foldTo(status, 'running', null);
    await commit(stores, north, running);
    const done = foldTo(status, 'done', 'running');
    await commit(stores, north, { ...done, endedJobs: new Set([job]) });
    const found = await stores.jobs.find(job);
    const { countedAs, state, version } = found!.status;
    expect({ countedAs, state, version }).toEqual({ countedAs: 'done', state: 'done', version: 2 });
    const events = await stores.jobs.events(job, null, 9);
    expect(events.map((event) => event.kind)).toEqual(['running', 'done']);
    expect((await stores.jobs.cellStatuses(job))[0]?.foldedByCell).toBe(true);
    expect(await stores.rollups.pendingRollups(startMs + 1)).toEqual([]);
  });

  test.each(['cancel', 'dependant', 'rollup'])(
    'a status that others have a part in is not written by a cell: %s',
    async (who) => {
      const stores = await makeStores();
      const { status } = await submitToOneCell(stores);
      const found = (await stores.jobs.find(job))!;
      if (who === 'cancel') {
        const cells = await stores.changes.cellsOf(found.job);
        const change = cancel(found, cells, startMs);
        if (change.kind !== 'cancel') throw new Error('it could not be cancelled');
        expect(await stores.changes.commit(change, traceOf(job))).toBe('changed');
      }
      if (who === 'dependant') await submit(stores, jobIdOf('child'), { parents: [found] });
      const seen = who === 'rollup' ? 'running' : null;
      const before = await stores.cells.load(north);
      const plan = planOver(before!.meta, foldTo(status, 'done', seen));
      expect(await stores.cells.commit(plan)).toEqual({ shared: [job] });
      expect(await stores.cells.load(north)).toEqual(before);
      expect((await stores.jobs.find(job))!.status.state).toBe('pending');
    },
  );

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
