import { expect, test } from 'vitest';
import { heldBy, workElsewhere } from '../../../core/fleet/move-edge.ts';
import { type EdgeWork, type Lease, noEdgeWork } from '../../../core/model/cell.ts';
import { jobIdOf } from '../../../core/model/names.ts';
import { emptyRanges, rangeOf } from '../../../core/model/ranges.ts';
import { parseProgressReport } from '../../../core/protocol/progress-report.ts';
import { type EdgeOptions, makeEdge, makeReport } from '../cell-fixture.ts';

const job = jobIdOf('job');
const history: Lease = {
  ...{ ranges: emptyRanges, reclaiming: emptyRanges, reclaimEpoch: null, slots: 0 },
  ...{ running: emptyRanges, grantedAtMs: 0, startedAtMs: 0, chunkMs: 5 },
  ...{ heldBefore: emptyRanges, doneHere: rangeOf(0, 4), deadHere: emptyRanges },
};
const workOf = (lease: Partial<Lease>, over: Partial<EdgeWork> = {}): EdgeWork => ({
  ...{ ...noEdgeWork, epoch: 4, leases: new Map([[job, { ...history, ...lease }]]) },
  ...over,
});
const said = (epoch: number, running = '') =>
  makeReport({
    receivedAtMs: 1_000,
    progress: parseProgressReport({
      ...{ b: 'boot', e: epoch, n: 1, f: 1 },
      w: running === '' ? {} : { job: { a: running } },
    }),
  });

const held = (options: EdgeOptions, cluster: object | null = null) =>
  heldBy({ ...makeEdge('edge-1', options), cluster });

test('what was done and is over holds nobody', () => {
  expect(held({})).toBe('nothing');
  expect(held({ work: workOf({}), report: said(4) })).toBe('nothing');
  expect(held({ config: { drain: { reason: 'move', deadlineAtMs: null } } })).toBe('nothing');
});

test('chunks that are its own hold it, and so does a job whose slice lies there alone', () => {
  expect(held({ work: workOf({ ranges: rangeOf(4, 6) }), report: said(4) })).toBe('work');
  const marks = { reportedReasons: [], countedAs: null, lastEventAtMs: null, startedAtMs: null };
  expect(held({ work: workOf({ slice: marks }), report: said(4) })).toBe('work');
  const taken = [{ id: job, fits: true }] as unknown as NonNullable<EdgeWork['taken']>;
  expect(held({ work: workOf({}, { taken }), report: said(4) })).toBe('work');
});

test('what was taken from it holds it until it says that it has stopped', () => {
  expect(held({ work: workOf({}), report: said(4, '4-5') })).toBe('unconfirmed');
  expect(held({ work: workOf({}), report: said(3) })).toBe('unconfirmed');
  const away = { ...said(3), connected: false };
  expect(held({ work: workOf({}), report: away })).toBe('nothing');
});

test('one that leaves, and a cluster, stay', () => {
  expect(held({ config: { removing: { force: false } } })).toBe('leaving');
  expect(held({}, {})).toBe('cluster');
});

test('it counts its documents on and knows nothing of the jobs that it leaves', () => {
  expect(workElsewhere(workOf({}))).toEqual({ ...noEdgeWork, epoch: 4 });
  expect(workElsewhere(null)).toBeNull();
});
