import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { Cell } from '../../core/model/cell.ts';
import { cellFactsOf, diskTroubleOf } from '../../core/model/edge-facts.ts';
import { refusalKeptMs, reportEveryMsMax } from '../../core/model/limits.ts';
import { edgeNameOf, jobIdOf } from '../../core/model/names.ts';
import type { DiskState } from '../../edge-agent/disk/journal.ts';
import { collectFacts } from '../../edge-agent/host/facts.ts';
import type { Host } from '../../edge-agent/host/host-inspection.ts';
import {
  type EdgeOptions,
  makeCell,
  makeEdge,
  makeEdges,
  makeJob,
  startMs,
  withEdge,
} from '../core/cell-fixture.ts';
import { connect, held, pass, rest, slice, withReport } from '../core/stage.ts';

/**
 * Edges that are there, answer, and yet do not do the work: what they hold must not wait for ever.
 */

const job = jobIdOf('job-a');
const minuteMs = 60_000;
const retries = { attempts: 3, backoffSeconds: 0, maxFailedChunks: null };

function fullDisk(options: EdgeOptions = {}) {
  return makeEdge('edge-0', { ...options, flat: { health: 'disk-full' } });
}

test('an edge whose disk takes nothing gets no work, and says so', () => {
  const edges = [fullDisk({ power: 1_000 }), makeEdge('edge-1')];
  const { cell, plans } = rest(makeCell({ edges, jobs: [makeJob(job, { chunks: 4 })] }), startMs);
  expect(held(cell, job)).toEqual({ 'edge-1': '0-1' });
  const waiting = plans.at(-1)!.jobStatuses.get(job)!.waiting;
  expect(waiting).toContainEqual({
    reason: 'edge-cordoned',
    chunks: 2,
    edges: 1,
    examples: ['edge-0'],
    detail: 'its disk cannot be written: disk-full',
  });
});

test('the scheduler understands what an agent says of its disk', () => {
  const host = { executors: new Map(), gpus: 0, software: {} } as unknown as Host;
  const where = { dataDirectory: tmpdir(), chunksDirectory: tmpdir(), cacheBytes: 0 };
  const self = { power: 100, labels: {}, host, isolation: 'none', ...where } as const;
  const reported = (health: DiskState) =>
    diskTroubleOf(cellFactsOf(collectFacts({ ...self, health })));
  expect(reported('ok')).toBeNull();
  for (const state of ['disk-full', 'read-only', 'disk-failing'] as const) {
    expect(reported(state)).toBe(state);
  }
});

test('when its disk fills up an edge keeps what runs and releases the rest', () => {
  let { cell } = rest(
    makeCell({ edges: [makeEdge('edge-0')], jobs: [makeJob(job, { chunks: 9 })] }),
    startMs,
  );
  cell = rest(withReport(cell, 'edge-0', { [job]: { running: '0' } }, startMs), startMs).cell;
  cell = withEdge(cell, 'edge-0', { facts: fullDisk().facts });
  cell = rest(cell, startMs).cell;
  cell = rest(withReport(cell, 'edge-0', { [job]: { running: '0' } }, startMs), startMs).cell;
  expect(held(cell, job)).toEqual({ 'edge-0': '0' });
  const well = makeEdge('edge-0');
  cell = rest(withEdge(cell, 'edge-0', { facts: well.facts }), startMs).cell;
  expect(held(cell, job)).toEqual({ 'edge-0': '0-2' });
});

/** It goes on reporting about what it had, and never applies another document. */
function unresponsiveFor(minutes: number) {
  const old = makeJob('job-0', { chunks: 1, chunkPower: 10 });
  let { cell } = rest(makeCell({ edges: makeEdges(1), jobs: [old] }), startMs);
  const epoch = cell.edges.values().next().value!.work!.epoch;
  const say = (atMs: number) =>
    withReport(cell, 'edge-0', { 'job-0': { running: '0' } }, atMs, epoch);
  cell = rest(say(startMs), startMs).cell;
  const more = makeJob(job, { chunks: 2, lostAfterSeconds: 120 });
  cell = rest({ ...cell, jobs: new Map(cell.jobs).set(more.id, more) }, startMs).cell;
  const spare = makeEdge('edge-1');
  for (let minute = 1; minute <= minutes; minute++) {
    const atMs = startMs + minute * minuteMs;
    if (minute === 2) cell = { ...cell, edges: new Map(cell.edges).set(spare.name, spare) };
    if (minute % 5 === 0) cell = say(atMs);
    if (minute > 2) cell = withReport(cell, 'edge-1', { [job]: {} }, atMs);
    for (let second = 0; second < 60; second += 5) cell = rest(cell, atMs + second * 1_000).cell;
  }
  return { cell, say, atMs: startMs + (minutes + 1) * minuteMs };
}

test('an edge that reports but never applies what it is given loses it to one that does', () => {
  const soon = unresponsiveFor(1).cell;
  expect(held(soon, job)).toEqual({ 'edge-0': '0-1' });
  const { cell } = unresponsiveFor(3);
  expect(held(cell, job)).toEqual({ 'edge-1': '0-1' });
  expect(held(cell, 'job-0')).toEqual({ 'edge-0': '0' });
});

test('an edge that was unresponsive is welcome again once it applies its work, and not before', () => {
  const { cell: unresponsive, say, atMs } = unresponsiveFor(30);
  const next = makeJob('job-b', { chunks: 1, chunkPower: 200 });
  let cell: Cell = { ...unresponsive, jobs: new Map(unresponsive.jobs).set(next.id, next) };
  cell = rest(cell, atMs).cell;
  expect(held(cell, 'job-b')).toEqual({});
  cell = rest({ ...say(atMs), jobs: cell.jobs }, atMs).cell;
  expect(held(cell, 'job-b')).toEqual({});
  cell = rest(withReport(cell, 'edge-0', { 'job-0': { running: '0' } }, atMs), atMs).cell;
  expect(held(cell, 'job-b')).toEqual({ 'edge-0': '0' });
});

test('an edge that refused is asked again when its policy may have changed', () => {
  let { cell } = rest(
    makeCell({ edges: makeEdges(1), jobs: [makeJob(job, { chunks: 1, retries })] }),
    startMs,
  );
  const refuse = (atMs: number) => {
    const reported = withReport(cell, 'edge-0', { [job]: {} }, atMs);
    const { report } = reported.edges.get(edgeNameOf('edge-0'))!;
    const entry = { ...report!.progress!.jobs.get(job)!, refused: 'outside the hours' };
    const progress = { ...report!.progress!, jobs: new Map([[job, entry]]) };
    cell = rest(withEdge(reported, 'edge-0', { report: { ...report!, progress } }), atMs).cell;
  };
  refuse(startMs);
  expect(held(cell, job)).toEqual({});
  cell = rest(cell, startMs + refusalKeptMs - 1).cell;
  expect(held(cell, job)).toEqual({});
  cell = rest(cell, startMs + refusalKeptMs).cell;
  expect(held(cell, job)).toEqual({ 'edge-0': '0' });
  refuse(startMs + refusalKeptMs + 1);
  expect(held(cell, job)).toEqual({});
  expect(slice(cell, job).retries.size).toBe(0);
});

test('an edge that is busy and answers late is not taken for lost', () => {
  let cell = pass(makeCell({ edges: makeEdges(2), jobs: [makeJob(job, { chunks: 2 })] }), startMs);
  cell = withReport(cell, 'edge-0', { [job]: { running: '0' } }, startMs);
  cell = pass(withReport(cell, 'edge-1', { [job]: { running: '1' } }, startMs), startMs);
  const before = held(cell, job);
  cell = rest(cell, startMs + 2 * reportEveryMsMax).cell;
  expect(held(cell, job)).toEqual(before);
  cell = connect(cell, 'edge-0', false, startMs + 2 * reportEveryMsMax);
  expect(held(rest(cell, startMs + 2 * reportEveryMsMax + 119_000).cell, job)).toEqual(before);
});
