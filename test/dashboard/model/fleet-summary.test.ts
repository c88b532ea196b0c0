import { describe, expect, test } from 'vitest';
import { shortStatusOf } from '../../../core/contract/short-status.ts';
import type { Edge } from '../../../dashboard/api/resources.ts';
import { loadStep } from '../../../dashboard/model/edge-power.ts';
import {
  countLamps,
  depthByQueue,
  failureReasons,
  natural,
  powerByPool,
} from '../../../dashboard/model/fleet-summary.ts';
import { lampWords } from '../../../dashboard/model/lamp-words.ts';
import { makeJob, makeWorld } from '../../browser/fake-world.ts';

const edge = (change: Partial<Edge>): Edge => ({
  name: 'edge-1',
  pool: 'default',
  cell: 'default.0',
  state: 'connected',
  lastSeenAt: null,
  connectedAt: null,
  capacity: { power: 250 },
  free: { power: 250 },
  labels: {},
  facts: {},
  cordoned: false,
  draining: false,
  removing: false,
  busy: false,
  reason: null,
  leases: [],
  totals: { chunksDone: 0, powerServed: 0 },
  ...change,
});

describe('lamps', () => {
  test.each([
    [edge({}), 'connected'],
    [edge({ state: 'disconnected' }), 'late'],
    [edge({ state: 'enrolled' }), 'late'],
    [edge({ state: 'lost' }), 'lost'],
    [edge({ state: 'lost', cordoned: true }), 'lost'],
    [edge({ cordoned: true }), 'drained'],
    [edge({ draining: true }), 'drained'],
    [edge({ removing: true, state: 'disconnected' }), 'drained'],
  ])('%# is %s', (one, lamp) => {
    expect(shortStatusOf(one)).toBe(lamp);
    expect(lampWords(one)).not.toBe('');
  });

  test('the counts are the lamps of the cells', () => {
    const edges = [...makeWorld(400, 0, 0).edges.values()];
    const counts = countLamps(edges);
    expect(Object.values(counts).reduce((a, b) => a + b)).toBe(400);
    expect(counts.lost).toBe(edges.filter((one) => shortStatusOf(one) === 'lost').length);
    expect(counts.lost).toBeGreaterThan(0);
  });

  test('any load at all shows, and none shows as none', () => {
    expect(loadStep(edge({}))).toBe(0);
    expect(loadStep(edge({ free: { power: 249 } }))).toBe(1);
    expect(loadStep(edge({ free: { power: 0 } }))).toBe(10);
    expect(loadStep(edge({ free: { power: -50 } }))).toBe(10);
    expect(loadStep(edge({ capacity: { power: 0 }, free: { power: 0 } }))).toBe(0);
  });
});

describe('summary', () => {
  test('power adds up by pool', () => {
    const edges = [
      edge({ free: { power: 50 } }),
      edge({ name: 'edge-2', pool: 'north' }),
      edge({ name: 'edge-3', free: { power: 250 } }),
    ];
    expect(powerByPool(edges)).toEqual([
      { pool: 'default', edges: 2, used: 200, total: 500 },
      { pool: 'north', edges: 1, used: 0, total: 250 },
    ]);
  });

  test('depth counts what waits, deepest queue first', () => {
    const world = makeWorld(0, 0, 0);
    makeJob(world, { id: 'a', createdMs: 0, spec: { queue: 'small', chunks: 3 } });
    makeJob(world, { id: 'b', createdMs: 0, spec: { queue: 'bulk', chunks: 40 } });
    makeJob(world, { id: 'c', createdMs: 0, spec: { queue: 'bulk', chunks: 2 } });
    expect(depthByQueue([...world.jobs.values()])).toEqual([
      { queue: 'bulk', jobs: 2, chunks: 42 },
      { queue: 'small', jobs: 1, chunks: 3 },
    ]);
  });

  test('failures group by reason and lead to a job', () => {
    const jobs = [...makeWorld(10, 300, 1e12).jobs.values()];
    const reasons = failureReasons(jobs, new Map());
    expect(reasons.length).toBeGreaterThan(1);
    for (const { example, reason } of reasons) {
      expect(jobs.find((job) => job.id === example)?.status.reason).toBe(reason);
    }
  });

  test('what the chunks said is better than the job has to say', () => {
    const world = makeWorld(0, 0, 0);
    for (const id of ['b', 'a']) {
      const job = makeJob(world, { id, createdMs: 0, spec: { chunks: 3 } });
      job.status.chunks.dead = 2;
    }
    const said = new Map([['b', ['timeout', 'exit code 3']]]);
    expect(failureReasons([...world.jobs.values()], said)).toEqual([
      { reason: 'failed after the last attempt', jobs: 1, chunks: 2, example: 'a' },
      { reason: 'timeout', jobs: 1, chunks: 1, example: 'b' },
      { reason: 'exit code 3', jobs: 1, chunks: 1, example: 'b' },
    ]);
  });

  test('edge-2 comes before edge-10', () => {
    expect(['edge-10', 'edge-2', 'edge-1'].sort(natural)).toEqual(['edge-1', 'edge-2', 'edge-10']);
  });
});
