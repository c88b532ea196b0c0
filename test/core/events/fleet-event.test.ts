import { expect, test } from 'vitest';
import {
  type FleetEvent,
  fleetEventKinds,
  fleetEventsOf,
  isAskedFor,
  seesEvent,
} from '../../../core/events/fleet-event.ts';
import type { TokenCaller } from '../../../core/model/caller.ts';
import { type JobStatus, newJobStatus } from '../../../core/model/job-status.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../core/model/names.ts';
import type { RolloutCounts } from '../../../core/services/service.ts';

const submitted: JobStatus = newJobStatus({
  ...{ job: jobIdOf('job-1'), name: 'render', pool: 'north', queue: 'fast' },
  labels: { 'jobspec/id': 'spec-1' },
  chunking: { chunks: 4, chunkPower: 1, lastChunkPower: 1 },
  ...{ cells: [cellIdOf('north.0')], dependsOn: [], createdAtMs: 1_000 },
  maxFailedChunks: null,
});
const changesOf = (before: JobStatus | null, after: JobStatus) =>
  fleetEventsOf(before, after).map(({ kind, atMs }) => [kind, atMs]);

test('a job that is submitted says so, and that it was placed with that', () => {
  expect(changesOf(null, submitted)).toEqual([['job.submitted', 1_000]]);
  const placed: JobStatus = { ...submitted, state: 'scheduled', countedAs: 'scheduled' };
  expect(changesOf(null, placed)).toEqual([
    ['job.submitted', 1_000],
    ['job.scheduled', 1_000],
  ]);
});

test('a change of the state is one event, with the time that the timeline has', () => {
  const running: JobStatus = { ...submitted, state: 'running', lastEventAtMs: 2_000 };
  expect(changesOf(submitted, running)).toEqual([['job.started', 2_000]]);
  const counted = { ...running, counts: { ...running.counts, done: 3 }, version: 9 };
  expect(changesOf(running, counted)).toEqual([]);
  const done: JobStatus = { ...counted, state: 'done', endedAtMs: 3_000, lastEventAtMs: 3_000 };
  const [event] = fleetEventsOf(counted, done);
  expect(event).toEqual({
    ...{ id: 'job-1.job.done.3000', atMs: 3_000, kind: 'job.done', job: 'job-1', name: 'render' },
    ...{
      edge: null,
      pool: 'north',
      queue: 'fast',
      jobspec: 'spec-1',
      detail: '3 of 4 chunks done.',
    },
  });
  expect(fleetEventKinds).toContain('job.done');
});

test('what a stream says in whole seconds lies between what is known of the job', () => {
  const scheduled: JobStatus = { ...submitted, state: 'scheduled', lastEventAtMs: 2_852 };
  const counts = { ...scheduled.counts, dead: 1 };
  const failed: JobStatus = { ...scheduled, counts, state: 'failed', endedAtMs: 2_963 };
  const timesOf = (after: JobStatus, writtenAtMs: number) =>
    fleetEventsOf(scheduled, after, writtenAtMs).map(({ kind, atMs }) => [kind, atMs]);
  expect(timesOf(failed, 2_000)).toEqual([
    ['chunk.dead', 2_852],
    ['job.failed', 2_963],
  ]);
  expect(timesOf(failed, 3_000)).toEqual([
    ['chunk.dead', 2_963],
    ['job.failed', 2_963],
  ]);
  expect(timesOf({ ...scheduled, counts }, 3_000)).toEqual([['chunk.dead', 3_000]]);
});

test('chunks that died, instances that ended and new generations are events within a job', () => {
  const dead = (status: JobStatus, n: number, version: number): JobStatus => {
    return { ...status, counts: { ...status.counts, dead: n }, version };
  };
  const running: JobStatus = { ...submitted, state: 'running', lastEventAtMs: 2_000 };
  const shown = (before: JobStatus, after: JobStatus) =>
    fleetEventsOf(before, after, 5_000).map(({ id, atMs, detail }) => [id, atMs, detail]);
  expect(shown(running, dead(running, 2, 7))).toEqual([
    ['job-1.chunk.dead.7', 5_000, '2 more: 2 of 4 chunks are dead.'],
  ]);
  expect(shown(dead(running, 2, 7), dead(running, 0, 8))).toEqual([]);
  const failed = { ...dead(running, 3, 9), state: 'failed' as const, endedAtMs: 4_000 };
  expect(shown(dead(running, 2, 7), failed).map(([id]) => id)).toEqual([
    'job-1.chunk.dead.9',
    'job-1.job.failed.4000',
  ]);
  const service = (restarts: number, rollout?: RolloutCounts): JobStatus => {
    const counts = { wanted: 2, ready: 2, restarts, ...(rollout !== undefined && { rollout }) };
    return { ...running, service: counts, version: 3 };
  };
  expect(shown(service(1), service(3))).toEqual([
    ['job-1.instance.stopped.3', 5_000, '2 more: 3 restarts in all.'],
  ]);
  const rollout = (state: RolloutCounts['state'], reason: string | null = null) =>
    service(0, { generation: 2, state, updated: 1, reason });
  const states = [service(0), rollout('moving'), rollout('paused', 'it ends'), rollout('done')];
  const kinds = states.slice(1).flatMap((after, at) => shown(states[at]!, after));
  expect(kinds).toEqual([
    ['job-1.rollout.started.3', 5_000, 'Instances are brought to generation 2.'],
    ['job-1.rollout.paused.3', 5_000, 'Instances are brought to generation 2: it ends.'],
    ['job-1.rollout.done.3', 5_000, 'All instances run generation 2.'],
  ]);
  expect(shown(rollout('done'), { ...rollout('done'), version: 4 })).toEqual([]);
  expect(fleetEventKinds).toContain('rollout.rolled-back');
});

const event: FleetEvent = fleetEventsOf(null, submitted)[0]!;
const everything = { kinds: [], job: null, edge: null, jobspec: null, pool: null };

test.each([
  [{}, true],
  [{ kinds: ['job.done'] }, false],
  [{ kinds: ['job.done', 'job.submitted'], job: 'job-1' }, true],
  [{ job: 'job-2' }, false],
  [{ jobspec: 'spec-1', pool: 'north' }, true],
  [{ jobspec: 'spec-2' }, false],
  [{ pool: 'south' }, false],
])('%j is asked for: %s', (filter, is) => {
  expect(isAskedFor({ ...everything, ...filter }, event)).toBe(is);
});

const token: TokenCaller = {
  ...{ kind: 'token', id: 't', name: 'ci', scopes: ['jobs:read'] },
  ...{ pool: null, queue: null, edge: null, edges: null },
};

test.each<[Partial<TokenCaller>, boolean]>([
  [{}, true],
  [{ pool: 'north' }, true],
  [{ pool: 'south' }, false],
  [{ queue: 'slow' }, false],
  [{ edges: [edgeNameOf('cluster-1')] }, false],
])('a token of %j sees it: %s', (limits, sees) => {
  expect(seesEvent({ ...token, ...limits }, event)).toBe(sees);
});
