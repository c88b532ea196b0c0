import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import {
  quietJobsForReportsMax,
  quietJobsMax,
  reportsAtOnceMax,
} from '../../../core/model/limits.ts';
import { edgeNameOf } from '../../../core/model/names.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  applyReportsAtOnce,
  isQuiet,
  looksQuiet,
  type ProgressEvent,
  placeNewJob,
  placingCellOf,
  withNewJob,
  withReports,
} from '../../../core/scheduler/short-pass.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  makeReport,
  plainConfig,
  startMs,
  withEdge,
} from '../cell-fixture.ts';
import { checkChunks } from '../invariants.ts';
import { creation, jobId, makeMeta, north, south, storedJob } from '../jobs/job-fixture.ts';

const alone = { metas: [makeMeta(north)] };
const queue = { weight: 1, strict: false, quota: null };

function placed(cell: Cell, body: object = {}) {
  return placeNewJob(cell, creation(body, alone), startMs);
}

test('a new job is placed as the pass that the stream wakes would place it', () => {
  const cell = makeCell({ edges: makeEdges(3) });
  const made = creation({ chunks: 4 }, alone);
  const short = placeNewJob(cell, made, startMs);
  expect(short?.plan).toEqual(reconcile(withNewJob(cell, made), startMs));
  expect(short?.status).toMatchObject({ state: 'scheduled', countedAs: 'scheduled', version: 1 });
  expect(short?.status).toMatchObject({ labels: made.status.labels, cells: [north] });
  expect(short?.plan.shadows.size).toBeGreaterThan(0);
});

test('what it committed is a fixpoint, and each chunk is somewhere once', () => {
  const short = placed(makeCell({ edges: makeEdges(2) }), { chunks: 40 });
  const after = applyPlan(short!.cell, short!.plan);
  checkChunks(after);
  expect(reconcile(after, startMs).meta).toBeNull();
});

test('a job that nothing can run says so at once', () => {
  const short = placed(makeCell());
  expect(short?.status).toMatchObject({ state: 'pending', waiting: [{ reason: 'no-edges' }] });
});

test('quotas hold, and a strict queue keeps its order', () => {
  const strict = new Map([['default', { ...queue, strict: true, quota: 300 }]]);
  const short = placed(makeCell({ edges: makeEdges(4), queues: strict }), { chunks: 8 });
  expect(short?.status.counts).toMatchObject({ scheduled: 3, pending: 5 });
  const after = applyPlan(short!.cell, short!.plan);
  // What waits there has its turn first: the next one is left to the pass over all of them.
  expect(isQuiet(after)).toBe(false);
});

test.each<[string, Cell]>([
  ['has a job that no pass has seen', cellWith({ intent: { foldedByCell: true } })],
  ['has work that waits', withSummary({ backlogPower: 100 })],
  [
    'has many jobs',
    makeCell({
      jobs: Array.from({ length: quietJobsMax + 1 }, (_, at) => makeJob(`job-${at}`)),
    }),
  ],
  [
    'has rows that cannot be read',
    { ...makeCell(), unreadable: { rows: ['ASK#x'], edges: new Map(), jobs: new Map() } },
  ],
])('a cell that %s is left to the stream', (_, cell) => {
  expect(isQuiet(cell)).toBe(false);
  expect(placed(cell)).toBeNull();
});

test('jobs that others fold, and jobs that a pass has seen, leave a cell quiet', () => {
  expect(isQuiet(cellWith({ intent: { foldedByCell: false } }))).toBe(true);
  const seen = { intent: { foldedByCell: true }, slice: { countedAs: 'scheduled' } } as const;
  expect(isQuiet(cellWith(seen))).toBe(true);
  expect(looksQuiet(makeMeta(north, { jobs: quietJobsMax + 1 }).summary)).toBe(false);
});

test('only a job that one cell has alone is placed at once', () => {
  expect(placingCellOf(creation({}, alone))).toBe(north);
  const metas = [north, south].map((cell) => {
    return makeMeta(cell, { power: { total: 800, free: 800, reserved: 0, served: 0 } });
  });
  const two = creation({ chunks: 16 }, { metas });
  expect([...two.intents.keys()]).toHaveLength(2);
  expect(placingCellOf(two)).toBeNull();
  const parent = storedJob();
  const waiting = creation({ dependsOn: [parent.job.id] }, { ...alone, parents: [parent] });
  expect(placingCellOf(waiting)).toBeNull();
});

test('a plan that leaves no room for the job is left to the stream', () => {
  const cell = makeCell({ edges: makeEdges(60) });
  expect(placed(cell, { chunks: 120 })).toBeNull();
});

const worker = edgeNameOf('edge-0');

/** The cell with a job on its edge, which its broker calls connected. */
function working(): Cell {
  const report = makeReport({ connectionAtMs: startMs - 5, version: 1 });
  const cell = makeCell({ edges: [makeEdge('edge-0', { report })] });
  const short = placeNewJob(cell, creation({ chunks: 1 }, alone), startMs)!;
  return applyPlan(short.cell, short.plan);
}

function reported(over: Partial<ProgressEvent> = {}, document: object = {}): ProgressEvent {
  const text = { b: 'boot', e: 1, n: 2, w: { [jobId]: { d: '0' } }, ...document };
  const progress = parseProgressReport(text)!;
  return { kind: 'prog', edge: worker, atMs: startMs + 9, version: 2, progress, ...over };
}

test('a report is applied as the pass that the stream wakes would apply it', () => {
  const cell = working();
  const short = applyReportsAtOnce(cell, [reported()], startMs + 9)!;
  const same = withReports(cell, [reported()]);
  expect(short.plan).toEqual(reconcile(same, startMs + 9));
  expect([...short.plan.endedJobs]).toEqual([jobId]);
  expect(reconcile(applyPlan(short.cell, short.plan), startMs + 9).meta).toBeNull();
});

test.each<[string, ProgressEvent]>([
  ['is not newer', reported({ version: 1 })],
  ['is of an edge that is not there', reported({ edge: edgeNameOf('stranger') })],
  ['came over HTTPS', reported({ version: null })],
  ['says goodbye', reported({}, { z: 'boot' })],
  ['is older than what is known', reported({ atMs: startMs - 1 })],
])('a report that %s is left to the stream', (_, event) => {
  expect(applyReportsAtOnce(working(), [event], startMs + 9)).toBeNull();
});

test('an edge whose presence follows from its reports is left to the stream', () => {
  for (const over of [{ connectionAtMs: startMs }, { connected: false, connectionAtMs: 1 }]) {
    const cell = withEdge(working(), 'edge-0', { report: makeReport({ version: 1, ...over }) });
    expect(applyReportsAtOnce(cell, [reported()], startMs + 9)).toBeNull();
  }
});

test('the last report of an edge that leaves is left to the stream', () => {
  const cell = working();
  const config = { ...plainConfig, removing: { force: true } };
  const leaving = withEdge(cell, 'edge-0', { config });
  expect(applyReportsAtOnce(leaving, [reported()], startMs + 9)).toBeNull();
});

test('a report to a cell with several jobs is left to the stream', () => {
  const cell = working();
  const seen = { intent: { foldedByCell: true }, slice: { countedAs: 'scheduled' } } as const;
  const others = Array.from({ length: quietJobsForReportsMax }, (_, at) => {
    return makeJob(`other-${at}`, seen);
  });
  const jobs = new Map([...cell.jobs, ...others.map((job) => [job.id, job] as const)]);
  expect(isQuiet({ ...cell, jobs })).toBe(true);
  expect(applyReportsAtOnce({ ...cell, jobs }, [reported()], startMs + 9)).toBeNull();
});

test('many reports at once are left to the stream', () => {
  const events = Array.from({ length: reportsAtOnceMax + 1 }, () => reported());
  expect(applyReportsAtOnce(working(), events, startMs + 9)).toBeNull();
});

function cellWith(options: Parameters<typeof makeJob>[1]): Cell {
  return makeCell({ edges: makeEdges(2), jobs: [makeJob('other', options)] });
}

function withSummary(over: Partial<Cell['meta']['summary']>): Cell {
  const cell = makeCell({ edges: makeEdges(2) });
  return { ...cell, meta: { ...cell.meta, summary: { ...cell.meta.summary, ...over } } };
}
