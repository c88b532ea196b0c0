import { expect, test } from 'vitest';
import type { Cell } from '../../../core/model/cell.ts';
import { type EdgeName, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import {
  emptyRanges,
  formatRanges,
  parseRanges,
  type RangeSet,
  rangeOf,
} from '../../../core/model/ranges.ts';
import type {
  Failure,
  JobProgress,
  ProgressReport,
} from '../../../core/protocol/progress-report.ts';
import { workOf } from '../../../core/protocol/work-of.ts';
import { applyPlan } from '../../../core/scheduler/apply-plan.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdges,
  makeJob,
  startMs,
  withEdge,
  withIntent,
  withProgress,
} from '../cell-fixture.ts';

/** What reports do to a cell, one case each. */

const job = jobIdOf('job-a');
const one = edgeNameOf('edge-0');
const two = edgeNameOf('edge-1');

type ReportedJob = {
  done?: string;
  failed?: [number, Failure][];
  running?: string;
  attempts?: string;
};

function reportOf(
  cell: Cell,
  edge: EdgeName,
  sequence: number,
  reported: ReportedJob & { epoch?: number },
): ProgressReport {
  const attempts = new Map<number, RangeSet>();
  if (reported.attempts !== undefined) {
    const [attempt, text] = reported.attempts.split(':');
    attempts.set(Number(attempt), parseRanges(text!)!);
  }
  const entry: JobProgress = {
    done: parseRanges(reported.done ?? '')!,
    failed: new Map(reported.failed ?? []),
    running: parseRanges(reported.running ?? '')!,
    attempts,
    chunkMs: null,
    refused: null,
  };
  const epoch = reported.epoch ?? cell.edges.get(edge)?.work?.epoch ?? 0;
  return { boot: 'b', epoch, sequence, freePower: 0, jobs: new Map([[job, entry]]) };
}

function pass(cell: Cell, atMs = startMs): Cell {
  return applyPlan(cell, reconcile(cell, atMs));
}

function slice(cell: Cell) {
  return cell.jobs.get(job)!.slice;
}

function lease(cell: Cell, edge: EdgeName) {
  return cell.edges.get(edge)!.work!.leases.get(job)!;
}

function twoChunksOnTwoEdges(): Cell {
  return pass(makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 2 })] }));
}

test('done chunks leave the lease and are counted once, however often they are reported', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 40 })] }));
  expect(formatRanges(lease(cell, one).ranges)).toBe('0-1');
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { done: '0', running: '1' })));
  expect(formatRanges(slice(cell).done)).toBe('0');
  cell = pass(withProgress(cell, one, reportOf(cell, one, 2, { done: '0', running: '1' })));
  expect(formatRanges(slice(cell).done)).toBe('0');
  expect(cell.meta.summary.chunks.done).toBe(1);
  expect(cell.meta.summary.power.served).toBe(100);
});

test('an edge that ran dry and gets more began when it began', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 40 })] }));
  const reportedReasons = withProgress(cell, one, reportOf(cell, one, 1, { done: '0-1' }));
  const plan = reconcile(reportedReasons, startMs + 5_000);
  expect(plan.executions).toMatchObject([{ startedAtMs: startMs, endedAtMs: null }]);
  cell = applyPlan(reportedReasons, plan);
  expect(lease(cell, one)).toMatchObject({ grantedAtMs: startMs + 5_000, startedAtMs: startMs });
});

test('a job with all chunks done leaves the cell with its final counts', () => {
  let cell = twoChunksOnTwoEdges();
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { done: '0' })));
  const before = withProgress(cell, two, reportOf(cell, two, 1, { done: '1' }));
  const plan = reconcile(before, startMs);
  expect([...plan.endedJobs]).toEqual([job]);
  const status = plan.jobStatuses.get(job)!;
  expect(status.counts).toMatchObject({ total: 2, done: 2, pending: 0, scheduled: 0, running: 0 });
  expect(status.endedAtMs).toBe(startMs);
  cell = applyPlan(before, plan);
  expect(cell.jobs.size).toBe(0);
  expect(cell.edges.get(two)!.work!.leases.size).toBe(0);
  expect([...plan.shadows]).toEqual([two]);
});

test('a job that ended before it was seen to run began when its edge got it', () => {
  const begun = () => pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 1 })] }));
  for (const reported of [{ done: '0' }, { failed: [[0, 3]] as [number, Failure][] }]) {
    const cell = begun();
    const plan = reconcile(
      withProgress(cell, one, reportOf(cell, one, 1, reported)),
      startMs + 300,
    );
    expect(plan.jobStatuses.get(job)).toMatchObject({ startedAtMs: startMs });
  }
});

test('a lease that is complete is acknowledged: its job is gone from the document, its key is nulled', () => {
  let cell = twoChunksOnTwoEdges();
  cell = pass(withProgress(cell, one, reportOf(cell, one, 7, { done: '0' })));
  const work = cell.edges.get(one)!.work!;
  expect(work.epoch).toBe(2);
  expect(work.acknowledgedSequence).toBe(7);
  expect(work.removed).toEqual([job]);
  expect(workOf(work, cell.jobs).jobs.size).toBe(0);
});

test('a failed chunk waits for its backoff, which doubles, and dies after its last attempt', () => {
  const retries = { attempts: 3, backoffSeconds: 5, maxFailedChunks: null };
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 1, retries })] }));
  let plan = reconcile(
    withProgress(cell, one, reportOf(cell, one, 1, { failed: [[0, 3]] })),
    startMs,
  );
  expect(plan.chunkEnds).toMatchObject([{ chunk: 0, attempts: 1, failure: 3, state: 'retrying' }]);
  expect(plan.lookAgainAtMs).toBe(startMs + 5_000);
  expect(plan.jobStatuses.get(job)!.waiting[0]).toMatchObject({ reason: 'backoff', chunks: 1 });
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { failed: [[0, 3]] })));
  expect(lease(pass(cell, startMs + 4_999), one).ranges).toEqual(emptyRanges);

  cell = pass(cell, startMs + 5_000);
  expect(workOf(cell.edges.get(one)!.work!, cell.jobs).jobs.get(job)!.attempts).toEqual(
    new Map([[2, [0, 1]]]),
  );
  // The old failure is still in the report: it is of attempt 1 and says nothing about attempt 2.
  cell = pass(
    withProgress(cell, one, reportOf(cell, one, 2, { failed: [[0, 3]] })),
    startMs + 5_000,
  );
  expect(slice(cell).retries.get(0)!.failures).toBe(1);
  const second = reportOf(cell, one, 3, { failed: [[0, 4]], attempts: '2:0' });
  cell = pass(withProgress(cell, one, second), startMs + 6_000);
  expect(slice(cell).retries.get(0)).toMatchObject({ failures: 2, dueAtMs: startMs + 16_000 });
  cell = pass(cell, startMs + 16_000);
  const third = reportOf(cell, one, 4, { failed: [[0, 'timeout']], attempts: '3:0' });
  plan = reconcile(withProgress(cell, one, third), startMs + 17_000);
  expect(plan.chunkEnds).toMatchObject([{ attempts: 3, failure: 'timeout', state: 'dead' }]);
  expect(plan.jobStatuses.get(job)!.counts).toMatchObject({ dead: 1, pending: 0 });
  expect([...plan.endedJobs]).toEqual([job]);
});

test('the first valid result wins: the other holder loses the chunk and gets a new document', () => {
  // Edge 1 holds chunk 1, but edge 0 had run it before it lost its lease.
  let cell = withHeldBefore(twoChunksOnTwoEdges(), one, rangeOf(1, 2));
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { done: '1', running: '0' })));
  expect(formatRanges(slice(cell).done)).toBe('1');
  expect(lease(cell, two).ranges).toEqual(emptyRanges);
  expect(cell.edges.get(two)!.work!.epoch).toBe(2);
  cell = pass(withProgress(cell, two, reportOf(cell, two, 1, { done: '1' })));
  expect(cell.meta.summary.chunks.done).toBe(1);
});

function withHeldBefore(cell: Cell, edge: EdgeName, heldBefore: RangeSet): Cell {
  const { work } = cell.edges.get(edge)!;
  const leases = new Map(work!.leases).set(job, { ...lease(cell, edge), heldBefore });
  return withEdge(cell, edge, { work: { ...work!, leases } });
}

test('what an edge was never given is not its to report, and is seen on the edge', () => {
  const forged = withProgress(
    twoChunksOnTwoEdges(),
    one,
    reportOf(twoChunksOnTwoEdges(), one, 1, { done: '0-39' }),
  );
  const plan = reconcile(forged, startMs);
  expect(plan.alarms).toEqual([{ kind: 'foreign-results', edge: one, chunks: 1 }]);
  let cell = applyPlan(forged, plan);
  expect(formatRanges(slice(cell).done)).toBe('0');
  expect(formatRanges(lease(cell, two).ranges)).toBe('1');
  expect(cell.edges.get(one)!.work).toMatchObject({ foreignResults: 1, acknowledgedSequence: 1 });
  expect(
    reconcile(withProgress(cell, one, reportOf(cell, one, 2, { done: '1' })), startMs).alarms,
  ).toEqual([]);
  cell = pass(withProgress(cell, one, reportOf(cell, one, 3, {})));
  expect(cell.edges.get(one)!.work!.foreignResults).toBe(0);
});

test('an edge that holds nothing of a job cannot end it', () => {
  const edges = makeEdges(2);
  const requires = { labels: {}, expressions: [], edges: [two] };
  const cell = pass(makeCell({ edges, jobs: [makeJob(job, { chunks: 2, requires })] }));
  const forged = withProgress(cell, one, reportOf(cell, one, 1, { done: '0-1' }));
  const plan = reconcile(forged, startMs);
  expect(plan.endedJobs.size).toBe(0);
  expect(plan.executions.map(({ edge }) => edge)).not.toContain(one);
  expect(formatRanges(slice(applyPlan(forged, plan)).done)).toBe('');
});

test('a failure counts only from the holder', () => {
  let cell = twoChunksOnTwoEdges();
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { failed: [[1, 9]], running: '0' })));
  expect(slice(cell).retries.size).toBe(0);
  expect(formatRanges(lease(cell, two).ranges)).toBe('1');
});

test('a result for a lease that is gone is acknowledged, once', () => {
  const cancelled = withIntent(twoChunksOnTwoEdges(), job, { cancelled: true });
  let cell = pass(cancelled);
  expect(cell.jobs.size).toBe(0);
  const epoch = cell.edges.get(one)!.work!.epoch;
  cell = pass(withProgress(cell, one, reportOf(cell, one, 5, { done: '0' })));
  expect(cell.edges.get(one)!.work).toMatchObject({
    epoch: epoch + 1,
    acknowledgedSequence: 5,
    removed: [job],
  });
  // A later report from before the edge saw that: nothing more to say.
  cell = pass(withProgress(cell, one, reportOf(cell, one, 6, { done: '0', epoch })));
  expect(cell.edges.get(one)!.work!.epoch).toBe(epoch + 1);
});

test('an edge that starts from nothing counts its reports from one again and they count', () => {
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 9 })] }));
  cell = pass(withProgress(cell, one, reportOf(cell, one, 40, { done: '0', running: '1' })));
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { done: '1' })));
  expect(formatRanges(slice(cell).done)).toBe('0-1');
});

test('an edge that refuses a job is not tried again', () => {
  let cell = pass(makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 4 })] }));
  const progress = reportOf(cell, one, 1, {});
  const entry = { ...progress.jobs.get(job)!, refused: 'image not allowed' };
  cell = pass(withProgress(cell, one, { ...progress, jobs: new Map([[job, entry]]) }));
  expect(slice(cell).refusals.get(one)).toEqual({ reason: 'image not allowed', atMs: startMs });
  expect(lease(cell, one).ranges).toEqual(emptyRanges);
  expect(workOf(cell.edges.get(one)!.work!, cell.jobs).jobs.size).toBe(0);
});

test('numbers outside of the slice are not believed', () => {
  let cell = twoChunksOnTwoEdges();
  cell = pass(
    withProgress(cell, one, reportOf(cell, one, 1, { done: '0,7-900', failed: [[12, 1]] })),
  );
  expect(formatRanges(slice(cell).done)).toBe('0');
  expect(slice(cell).retries.size).toBe(0);
});

test('a user’s retry brings dead chunks back with all their attempts, counting on', () => {
  const retries = { attempts: 1, backoffSeconds: 0, maxFailedChunks: null };
  let cell = pass(makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 2, retries })] }));
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { failed: [[0, 1]] })));
  expect(formatRanges(slice(cell).dead)).toBe('0');
  cell = pass(withIntent(cell, job, { retryEpoch: 1 }));
  expect(slice(cell).dead).toEqual(emptyRanges);
  const work = workOf(cell.edges.get(one)!.work!, cell.jobs).jobs.get(job)!;
  expect(work.attempts).toEqual(new Map([[2, [0, 1]]]));
  // The old failure is still reported and is superseded.
  cell = pass(withProgress(cell, one, reportOf(cell, one, 2, { failed: [[0, 1]] })));
  expect(slice(cell).dead).toEqual(emptyRanges);
  cell = pass(
    withProgress(cell, one, reportOf(cell, one, 3, { failed: [[0, 1]], attempts: '2:0' })),
  );
  expect(formatRanges(slice(cell).dead)).toBe('0');
});

test('attempts keep their numbers, also when fewer are allowed before the next retry', () => {
  const spec = (attempts: number) => ({ attempts, backoffSeconds: 0, maxFailedChunks: null });
  const made = makeJob(job, { chunks: 2, retries: spec(3) });
  let cell = pass(makeCell({ edges: makeEdges(1), jobs: [made] }));
  for (const [sequence, attempts] of [undefined, '2:0', '3:0'].entries()) {
    const failed = { failed: [[0, 1]] as [number, number][] };
    const said = attempts === undefined ? failed : { ...failed, attempts };
    cell = pass(withProgress(cell, one, reportOf(cell, one, sequence + 1, said)));
  }
  expect(formatRanges(slice(cell).dead)).toBe('0');
  const fewer = { ...cell.jobs.get(job)!.intent.spec, retries: spec(1) };
  cell = pass(withIntent(cell, job, { retryEpoch: 1, spec: fewer }));
  const work = workOf(cell.edges.get(one)!.work!, cell.jobs).jobs.get(job)!;
  expect(work.attempts).toEqual(new Map([[4, [0, 1]]]));
});

test('a chunk that is held when others are brought back gets its new number', () => {
  const retries = { attempts: 1, backoffSeconds: 0, maxFailedChunks: null };
  const edges = makeEdges(2, { power: 100 });
  let cell = pass(makeCell({ edges, jobs: [makeJob(job, { chunks: 2, retries })] }));
  const [mine, other] = [one, two].map((edge) => lease(cell, edge).ranges[0]!);
  cell = pass(withProgress(cell, one, reportOf(cell, one, 1, { failed: [[mine!, 1]] })));
  cell = pass(withIntent(cell, job, { retryEpoch: 1 }));
  cell = pass(withProgress(cell, two, reportOf(cell, two, 1, { failed: [[other!, 1]] })));
  cell = pass(withIntent(cell, job, { retryEpoch: 2 }));
  // The edge does not know of the second retry, and its chunk fails with the number of the first.
  const failedAgain = { failed: [[mine!, 1]] as [number, number][], attempts: `2:${mine}` };
  const { epoch } = cell.edges.get(one)!.work!;
  cell = pass(
    withProgress(cell, one, reportOf(cell, one, 2, { ...failedAgain, epoch: epoch - 1 })),
  );
  expect(cell.edges.get(one)!.work!.epoch).toBe(epoch);
  cell = pass(withProgress(cell, one, reportOf(cell, one, 3, failedAgain)));
  const work = cell.edges.get(one)!.work!;
  expect(work.epoch).toBe(epoch + 1);
  expect(slice(cell).dead).toEqual(emptyRanges);
  expect(workOf(work, cell.jobs).jobs.get(job)!.attempts).toEqual(
    new Map([[3, [mine, mine! + 1]]]),
  );
});
