import { expect, test } from 'vitest';
import { reopenedSlice } from '../../../core/jobs/reopened-slice.ts';
import { chunkDeathsMax } from '../../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, formatRanges, rangeOf } from '../../../core/model/ranges.ts';
import type { ProgressReport } from '../../../core/protocol/progress-report.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  makeReport,
  startMs,
  withProgress,
} from '../cell-fixture.ts';
import { applied, connect, held, leaseOf, pass, rest, slice, withReport } from '../stage.ts';

const edge = edgeNameOf('edge-0');
const job = jobIdOf('job-a');

/** The edge says what it runs, after a start of its own. */
function reboot(
  cell: ReturnType<typeof makeCell>,
  boot: string,
  running: string,
  atMs: number,
  how: Pick<ProgressReport, 'diedWithoutContact'> = {},
) {
  const reported = withReport(cell, edge, { [job]: { running } }, atMs);
  const progress = { ...reported.edges.get(edge)!.report!.progress!, boot, ...how };
  return withProgress(reported, edge, progress, atMs);
}

test('a chunk during which the agent dies and comes back again and again is dead', () => {
  let cell = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 1 })] }),
    startMs,
  ).cell;
  let atMs = startMs;
  for (let boot = 0; boot <= chunkDeathsMax; boot++) {
    atMs += 1_000;
    cell = reboot(cell, `boot-${boot}`, '0', atMs);
    const plan = reconcile(cell, atMs);
    if (boot < chunkDeathsMax) {
      expect(plan.chunkEnds).toEqual([]);
      cell = rest(cell, atMs).cell;
    } else {
      expect(plan.chunkEnds).toMatchObject([{ state: 'dead', failure: 'killed-its-edges' }]);
    }
  }
});

test('what kills its agent before that can say anything is dead as well, and not what waits', () => {
  const chunks = { chunks: 5, chunkPower: 200 };
  let { cell } = rest(makeCell({ edges: makeEdges(1), jobs: [makeJob(job, chunks)] }), startMs);
  for (let start = 1; start <= 3; start++) {
    expect(formatRanges(slice(cell, job).dead)).toBe('');
    const atMs = startMs + start * 60_000;
    cell = rest(reboot(cell, `boot-${start}`, '', atMs, { diedWithoutContact: true }), atMs).cell;
  }
  expect(formatRanges(slice(cell, job).dead)).toBe('0');
  expect([...slice(cell, job).losses.keys()]).toEqual([]);
});

test('what only waited on three lost edges is not blamed for it', () => {
  const jobs = [makeJob(job, { chunks: 5, chunkPower: 60, lostAfterSeconds: 10 })];
  let cell = makeCell({ jobs });
  for (let kill = 0; kill < 3; kill++) {
    const atMs = startMs + kill * 200_000;
    const next = makeEdge(`edge-${kill}`, {
      report: makeReport({ receivedAtMs: atMs, connectionAtMs: atMs }),
    });
    cell = { ...cell, edges: new Map(cell.edges).set(next.name, next) };
    cell = rest(cell, atMs).cell;
    expect(held(cell, job)[next.name]).toMatch(/^0-/);
    cell = rest(withReport(cell, next.name, { [job]: { running: '0' } }, atMs), atMs).cell;
    cell = rest(connect(cell, next.name, false, atMs), atMs + 10_000).cell;
  }
  expect(formatRanges(slice(cell, job).dead)).toBe('0');
});

test('an agent that restarts between chunks puts nothing under suspicion', () => {
  let cell = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 9 })] }),
    startMs,
  ).cell;
  cell = rest(reboot(cell, 'boot-1', '0', startMs), startMs).cell;
  cell = rest(withReport(cell, edge, { [job]: { done: '0' } }, startMs), startMs).cell;
  cell = rest(reboot(cell, 'boot-2', '', startMs), startMs).cell;
  expect(slice(cell, job).losses.size).toBe(0);
});

test('after the table was restored to an earlier time the next document is above what the edge obeys', () => {
  let cell = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 9 })] }),
    startMs,
  ).cell;
  const ahead = cell.edges.get(edge)!.work!.epoch + 40;
  cell = withReport(cell, edge, {}, startMs, ahead);
  const plan = reconcile(cell, startMs);
  expect(plan.works.get(edge)!.epoch).toBe(ahead + 1);
  expect(plan.shadows.has(edge)).toBe(true);
  expect(rest(applied(pass(cell, startMs), startMs), startMs).plans.length).toBeLessThan(5);
});

test('a slice made anew by a retry keeps what its edges had done', () => {
  const ended = {
    done: rangeOf(0, 3),
    dead: rangeOf(3, 4),
    cancelled: emptyRanges,
    startedAtMs: 1,
    attemptsUsed: 3,
  };
  const again = reopenedSlice(ended, [{ edge, done: rangeOf(0, 3) }], 1);
  const retried = makeJob(job, { chunks: 4, intent: { retryEpoch: 1 }, slice: again });
  const cell = rest(makeCell({ edges: makeEdges(1), jobs: [retried] }), startMs).cell;
  expect(held(cell, job)).toEqual({ [edge]: '3' });
  expect(formatRanges(leaseOf(cell, edge, job)!.doneHere)).toBe('0-2');
});
