import { expect, test } from 'vitest';
import type { Cell, EdgeWork, Lease, Slice } from '../../../core/model/cell.ts';
import { planRowsMax } from '../../../core/model/limits.ts';
import { type EdgeName, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { JobCellStatus, Plan } from '../../../core/model/plan.ts';
import { emptyRanges, rangeOf, subtract, union } from '../../../core/model/ranges.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import { makeCell, makeEdges, makeJob, plainConfig, startMs, withEdge } from '../cell-fixture.ts';
import { rest, withReport } from '../stage.ts';

const [one, two] = [edgeNameOf('edge-0'), edgeNameOf('edge-1')];
const job = jobIdOf('a-job');

/** Two edges of 250 with four chunks of 50 each of twelve; the first reports one of them done. */
const granted = rest(
  makeCell({ edges: makeEdges(2), jobs: [makeJob('a-job', { chunks: 12, chunkPower: 50 })] }),
  startMs,
).cell;
const cell = withReport(granted, 'edge-0', { 'a-job': { done: '0', running: '1-3' } }, startMs + 1);
const plan = reconcile(cell, startMs + 1_000);

test('the plan of a pass keeps everything', () => {
  expect(plan.meta).not.toBeNull();
  expect(plan.works.has(one)).toBe(true);
  expect(violationsOf(cell, plan)).toEqual([]);
});

test('a plan that writes nothing is not looked at', () => {
  expect(violationsOf(cell, { ...plan, meta: null, seenVersion: 99 })).toEqual([]);
});

type Change = (plan: Plan) => Plan;

const withWork = (edge: EdgeName, change: (work: EdgeWork) => EdgeWork): Change => {
  const before = plan.works.get(edge) ?? cell.edges.get(edge)!.work!;
  return (it) => ({ ...it, works: new Map(it.works).set(edge, change(before)) });
};

const withLease = (edge: EdgeName, change: (lease: Lease) => Lease): Change =>
  withWork(edge, (work) => ({
    ...work,
    leases: new Map(work.leases).set(job, change(work.leases.get(job)!)),
  }));

const withStatus = (change: (status: JobCellStatus) => JobCellStatus): Change => {
  const statuses = new Map(plan.jobStatuses);
  return (it) => ({ ...it, jobStatuses: statuses.set(job, change(plan.jobStatuses.get(job)!)) });
};

const withSlice = (change: (slice: Slice) => Slice): Change => {
  const slice = plan.slices.get(job) ?? cell.jobs.get(job)!.slice;
  return (it) => ({ ...it, slices: new Map([[job, change(slice)]]) });
};

const all =
  (...changes: Change[]): Change =>
  (it) =>
    changes.reduce((before, change) => change(before), it);

const told: Change = (it) => ({ ...it, shadows: new Set([one, two]) });
const dead = rangeOf(0, 1);
const unknown = jobIdOf('other-job');

const broken: readonly (readonly [string, Change, string, (cell: Cell) => Cell])[] = (
  [
    ['another version', (it) => ({ ...it, seenVersion: 0 }), 'the plan goes from 0'],
    [
      'too many rows',
      (it) => ({ ...it, executions: Array(planRowsMax).fill(plan.executions[0]) }),
      'rows',
    ],
    [
      'an epoch that falls',
      withWork(one, (work) => ({ ...work, epoch: 0 })),
      'the epoch of edge-0 falls',
    ],
    [
      'the same epoch for something new',
      all(
        told,
        withWork(one, (work) => ({ ...work, epoch: cell.edges.get(one)!.work!.epoch })),
      ),
      'edge-0 gets another document without a new epoch',
    ],
    [
      'more work in silence',
      all(
        withLease(one, (lease) => ({ ...lease, slots: lease.slots + 1 })),
        (it) => ({ ...it, shadows: new Set() }),
      ),
      'edge-0 gets more of a-job and no document',
    ],
    [
      'a document that is not committed',
      (it) => ({ ...it, shadows: new Set([...it.shadows, two]) }),
      'edge-1 gets a document that is not committed',
    ],
    [
      'a chunk on two edges',
      withLease(one, (lease) => ({
        ...lease,
        ranges: union(lease.ranges, cell.edges.get(two)!.work!.leases.get(job)!.ranges),
      })),
      'edges hold',
    ],
    [
      'a chunk that nobody has',
      withLease(one, (lease) => ({ ...lease, ranges: subtract(lease.ranges, rangeOf(3, 4)) })),
      'edges hold',
    ],
    [
      'more than there is',
      withLease(one, (lease) => ({ ...lease, ranges: rangeOf(0, 12), slots: 12 })),
      'edge-0 is left with -350 power',
    ],
    [
      'work for a closed edge',
      (it) => it,
      'edge-0 is closed and gets chunks of a-job',
      (it) =>
        withEdge(it, one, { config: { ...plainConfig, cordoned: { reason: '', sinceMs: 0 } } }),
    ],
    [
      'running outside of the lease',
      withLease(one, (lease) => ({ ...lease, running: rangeOf(0, 12) })),
      'running or reclaimed outside of the lease',
    ],
    [
      'a lease that vanishes',
      withWork(one, (work) => ({ ...work, leases: new Map() })),
      'the lease of a-job on edge-0 vanishes',
    ],
    [
      'a change without its counts',
      (it) => ({ ...it, jobStatuses: new Map() }),
      'a-job changes and its counts do not',
    ],
    [
      'counts that do not add up',
      withStatus((status) => ({ ...status, counts: { ...status.counts, pending: 99 } })),
      'of 12 chunks 110 are somewhere',
    ],
    [
      'done that is undone',
      all(
        withStatus((status) => ({ ...status, done: emptyRanges })),
        withSlice((slice) => ({ ...slice, done: emptyRanges })),
      ),
      '1 was done and is not',
      (it) => withSliceOf(it, { done: rangeOf(1, 2) }),
    ],
    [
      'dead that lives',
      (it) => it,
      '5 was dead and is not',
      (it) => withSliceOf(it, { dead: rangeOf(5, 6) }),
    ],
    [
      'an end that counts twice',
      all(
        withStatus((status) => ({ ...status, dead })),
        withSlice((slice) => ({ ...slice, dead })),
      ),
      '0 ended twice',
    ],
    [
      'another slice',
      withSlice((slice) => ({ ...slice, ranges: rangeOf(0, 11) })),
      'its chunks are others than before',
    ],
    [
      'a status that says something else',
      withSlice((slice) => ({ ...slice, cancelled: rangeOf(11, 12) })),
      'its status says something else',
    ],
    [
      'a retry of what has ended',
      withSlice((slice) => ({
        ...slice,
        retries: new Map([[0, { failures: 1, dueAtMs: 0, last: 1 }]]),
      })),
      '0 has ended and waits for a retry',
    ],
    ['an end with open chunks', (it) => ({ ...it, endedJobs: new Set([job]) }), 'chunks open'],
    [
      'an edge that nobody sent away',
      (it) => ({ ...it, removedEdges: new Set([two]) }),
      'edge-1 leaves and was not asked',
    ],
    [
      'an edge of another cell',
      (it) => ({ ...it, works: new Map([[edgeNameOf('far'), plan.works.get(one)!]]) }),
      'far is not in the cell',
    ],
    [
      'a job of another cell',
      (it) => ({
        ...it,
        jobStatuses: new Map(it.jobStatuses).set(unknown, it.jobStatuses.get(job)!),
        executions: [],
      }),
      'other-job is not in the cell',
    ],
  ] as [string, Change, string, ((cell: Cell) => Cell)?][]
).map(([name, change, sentence, at]) => [name, change, sentence, at ?? ((it) => it)] as const);

function withSliceOf(it: Cell, change: Partial<Slice>): Cell {
  const known = it.jobs.get(job)!;
  const slice = { ...known.slice, ...change };
  return { ...it, jobs: new Map(it.jobs).set(job, { ...known, slice }) };
}

test.each(broken)('%s is refused', (_, change, sentence, at) => {
  const violations = violationsOf(at(cell), change(plan));
  expect(violations.map((violation) => violation.sentence).join('\n')).toContain(sentence);
});
