import { describe, expect, test } from 'vitest';
import type { Cell, EdgeWork, Lease, Slice } from '../../../core/model/cell.ts';
import { planRowsMax } from '../../../core/model/limits.ts';
import { type EdgeName, edgeNameOf, type JobId, jobIdOf } from '../../../core/model/names.ts';
import type { ChunkEnd, JobCellStatus, Plan } from '../../../core/model/plan.ts';
import { emptyRanges, rangeOf, subtract, union } from '../../../core/model/ranges.ts';
import { violationsOf } from '../../../core/scheduler/invariants.ts';
import { reconcile } from '../../../core/scheduler/reconcile.ts';
import {
  makeCell,
  makeEdges,
  makeJob,
  plainConfig,
  startMs,
  withEdge,
  withIntent,
} from '../cell-fixture.ts';
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

test('a job that its user retries and cancels at once ends in one pass', () => {
  const waiting = makeCell({ jobs: [makeJob('a-job', { chunks: 2 })] });
  const dead = withSliceOf(waiting, { done: rangeOf(0, 1), dead: rangeOf(1, 2) });
  const asked = withIntent(dead, job, { retryEpoch: 1, cancelled: true });
  const ending = reconcile(asked, startMs);
  expect([...ending.endedJobs]).toEqual([job]);
  expect(violationsOf(asked, ending)).toEqual([]);
});

test('a plan with too many rows is about those jobs that have most of them', () => {
  const ids = ['few', 'many', 'most'].map((id) => jobIdOf(id));
  const jobs = ids.map((id) => makeJob(id, { chunks: 4, chunkPower: 10 }));
  const waiting = makeCell({ edges: makeEdges(3), jobs });
  const placed = reconcile(waiting, startMs);
  expect(violationsOf(waiting, placed)).toEqual([]);
  const executionOf = (id: JobId) => placed.executions.find((it) => it.job === id)!;
  const more = (id: JobId, rows: number) => Array(rows).fill(executionOf(id));
  const tooMany = (rows: readonly [few: number, many: number, most: number]) => {
    const executions = ids.flatMap((id, at) => more(id, rows[at]!));
    const found = violationsOf(waiting, { ...placed, executions });
    return found.filter(({ sentence }) => sentence.endsWith('rows')).map((it) => it.jobs);
  };
  expect(tooMany([1, 1, planRowsMax])).toEqual([['most']]);
  expect(tooMany([1, planRowsMax, 2 * planRowsMax])).toEqual([['most', 'many']]);
  expect(tooMany([1, 30, 40])).toEqual([]);
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

const ended: ChunkEnd = {
  ...{ job, chunk: 3, edge: one, attempts: 1, failure: 1 },
  ...{ state: 'retrying', atMs: startMs },
};
const announced: Change = (it) => ({ ...it, shadows: new Set([one, two]) });
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
      'two ends of one chunk',
      (it) => ({ ...it, chunkEnds: [ended, { ...ended, attempts: 2 }] }),
      'two ends of chunk 3 of a-job',
    ],
    [
      'an epoch that falls',
      withWork(one, (work) => ({ ...work, epoch: 0 })),
      'the epoch of edge-0 falls',
    ],
    [
      'the same epoch for something new',
      all(
        announced,
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
      'reclaimed outside of the lease, of one that is otherwise the same',
      withLease(two, (lease) => ({ ...lease, reclaiming: rangeOf(0, 12) })),
      'a-job on edge-1: running or reclaimed outside of the lease',
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
    ...(['total', 'done', 'dead', 'cancelled', 'running'] as const).map(
      (name): [string, Change, string] => [
        `one more in the count of ${name} that waits for nothing`,
        withStatus((status) => {
          const { [name]: many, pending } = status.counts;
          const isTotal = name === 'total';
          const counts = { ...status.counts, [name]: many + 1 };
          return { ...status, counts: { ...counts, pending: pending + (isTotal ? 1 : -1) } };
        }),
        'its counts are',
      ],
    ),
    [
      'counts below nothing',
      withStatus((status) => {
        const { waiting, pending } = status.counts;
        const counts = { ...status.counts, waiting: waiting - 99, pending: pending + 99 };
        return { ...status, counts };
      }),
      'its counts are',
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
      'totals that fall',
      withWork(one, (work) => ({
        ...work,
        totals: { chunksDone: 0, powerServed: 50 },
      })),
      'the totals of edge-0 fall',
      (it) =>
        withEdge(it, one, {
          work: { ...it.edges.get(one)!.work!, totals: { chunksDone: 1, powerServed: 50 } },
        }),
    ],
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

describe('what cannot be read', () => {
  const far = edgeNameOf('far');
  const damagedEdge = (name: EdgeName) => ({
    edges: new Map([[name, { row: 'EDGE#', standIn: { ...cell.edges.get(one)!, work: null } }]]),
    jobs: new Map(),
  });
  const damagedJob = (id: JobId) => ({
    edges: new Map(),
    jobs: new Map([[id, { row: 'ASK#', standIn: cell.jobs.get(job)! }]]),
  });
  const sentencesOf = (
    unreadable: Omit<NonNullable<Cell['unreadable']>, 'rows'>,
    change: Change = (it) => it,
    meta: Partial<Cell['meta']> = {},
  ): string[] => {
    const damaged = { ...cell, unreadable: { rows: [], ...unreadable } };
    const seen = { ...damaged, meta: { ...damaged.meta, ...meta } };
    return violationsOf(seen, change(plan)).map(({ sentence }) => sentence);
  };

  test('is nobody’s business as long as nothing of it is written', () => {
    expect(sentencesOf(damagedEdge(far))).toEqual([]);
    expect(sentencesOf(damagedJob(unknown))).toEqual([]);
    const parts = { unreadable: ['health'] as const };
    expect(sentencesOf(damagedEdge(far), (it) => it, parts)).toEqual([]);
  });

  test('lets nothing be written of a cell whose version it is', () => {
    const sentences = sentencesOf(damagedEdge(far), (it) => it, { unreadable: ['version'] });
    expect(sentences).toContain('the version of the cell cannot be read');
  });

  test.each<[string, Change]>([
    ['its work', (it) => it],
    ['its end', (it) => ({ ...it, works: new Map(), removedEdges: new Set([one]) })],
    ['a document', (it) => ({ ...it, works: new Map(), shadows: new Set([one]) })],
  ])('is no edge that is written: %s', (_, change) => {
    expect(sentencesOf(damagedEdge(one), change)).toContain('edge-0 is written and cannot be read');
  });

  const leaveJob: Change = (it) => ({ ...it, jobStatuses: new Map(), slices: new Map() });
  test.each<[string, Change]>([
    ['its counts', (it) => ({ ...it, slices: new Map() })],
    [
      'its slice',
      all(
        withSlice((slice) => slice),
        (it) => ({ ...it, jobStatuses: new Map() }),
      ),
    ],
    ['its end', all(leaveJob, (it) => ({ ...it, endedJobs: new Set([job]) }))],
  ])('is no job that is written: %s', (_, change) => {
    expect(sentencesOf(damagedJob(job), change)).toContain('a-job is written and cannot be read');
  });

  test('is no job whose lease changes or vanishes', () => {
    const sentence = 'the lease of a-job on edge-0 changes and a-job cannot be read';
    expect(sentencesOf(damagedJob(job), leaveJob)).toContain(sentence);
    const without = withWork(one, (work) => ({ ...work, leases: new Map() }));
    expect(sentencesOf(damagedJob(job), all(leaveJob, without))).toContain(sentence);
    const before = cell.edges.get(one)!.work!.leases.get(job)!;
    const same = all(
      leaveJob,
      withLease(one, () => ({ ...before })),
    );
    expect(sentencesOf(damagedJob(job), same)).not.toContain(sentence);
  });
});
