import { describe, expect, test } from 'vitest';
import type { Edge, Job } from '../../../core/contract/resources.ts';
import { shortStatusOf } from '../../../core/contract/short-status.ts';
import { loadStep } from '../../../dashboard/model/edge-power.ts';
import {
  countStatuses,
  depthByQueue,
  failureReasons,
  natural,
  powerByPool,
} from '../../../dashboard/model/fleet-summary.ts';
import { statusWords } from '../../../dashboard/model/status-words.ts';
import { type Fleet, makeFleet } from '../../browser/fleet.ts';

const edge = (change: Partial<Edge>): Edge => ({
  name: 'edge-1',
  pool: 'default',
  cell: 'default.0',
  state: 'connected',
  lastSeenAt: null,
  factsAt: null,
  connectedAt: null,
  capacity: { power: 250 },
  free: { power: 250 },
  labels: {},
  facts: {},
  mode: 'push',
  offers: null,
  graph: null,
  clusterState: {},
  stateAt: null,
  cordoned: false,
  draining: false,
  removing: false,
  busy: false,
  crashing: false,
  reason: null,
  leases: [],
  totals: { chunksDone: 0, powerServed: 0 },
  ...change,
});

/** What the API lists of the fleet. */
async function listed<T>({ api }: Fleet, noun: string): Promise<readonly T[]> {
  return (await api.request('GET', `/v1/${noun}?limit=500`)).json.items;
}

async function submit({ api }: Fleet, body: object): Promise<void> {
  expect((await api.request('POST', '/v1/jobs', { body })).status).toBe(202);
}

describe('statuses', () => {
  test.each([
    [edge({}), 'connected'],
    [edge({ state: 'disconnected' }), 'late'],
    [edge({ state: 'enrolled' }), 'late'],
    [edge({ state: 'lost' }), 'lost'],
    [edge({ state: 'lost', cordoned: true }), 'lost'],
    [edge({ cordoned: true }), 'drained'],
    [edge({ draining: true }), 'drained'],
    [edge({ removing: true, state: 'disconnected' }), 'drained'],
  ])('%# is %s', (one, status) => {
    expect(shortStatusOf(one)).toBe(status);
    expect(statusWords(one)).not.toBe('');
  });

  test('the counts are the statuses of the cells', async () => {
    const edges = await listed<Edge>(await makeFleet(400, 0, Date.now()), 'edges');
    const counts = countStatuses(edges);
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

  test('depth counts what waits, deepest queue first', async () => {
    const fleet = await makeFleet(0, 0, Date.now());
    await submit(fleet, { queue: 'small', chunks: 3 });
    await submit(fleet, { queue: 'bulk', chunks: 40 });
    await submit(fleet, { queue: 'bulk', chunks: 2 });
    expect(depthByQueue(await listed<Job>(fleet, 'jobs'))).toEqual([
      { queue: 'bulk', jobs: 2, chunks: 42 },
      { queue: 'small', jobs: 1, chunks: 3 },
    ]);
  });

  test('failures group by reason and lead to a job', async () => {
    const jobs = await listed<Job>(await makeFleet(10, 300, Date.now()), 'jobs');
    const reasons = failureReasons(jobs, new Map());
    expect(reasons.length).toBeGreaterThan(1);
    for (const { example, reason } of reasons) {
      expect(jobs.find((job) => job.id === example)?.status.reason).toBe(reason);
    }
  });

  test('what the chunks said is better than the job has to say', async () => {
    const fleet = await makeFleet(0, 0, Date.now());
    await submit(fleet, { chunks: 3 });
    const [job] = await listed<Job>(fleet, 'jobs');
    const { status } = job!;
    const failed = { ...status, chunks: { ...status.chunks, dead: 2 } };
    const jobs = ['b', 'a'].map((id): Job => ({ ...job!, id, status: failed }));
    const said = new Map([['b', ['timeout', 'exit code 3']]]);
    expect(failureReasons(jobs, said)).toEqual([
      { reason: 'failed after the last attempt', jobs: 1, chunks: 2, example: 'a' },
      { reason: 'timeout', jobs: 1, chunks: 1, example: 'b' },
      { reason: 'exit code 3', jobs: 1, chunks: 1, example: 'b' },
    ]);
  });

  test('edge-2 comes before edge-10', () => {
    expect(['edge-10', 'edge-2', 'edge-1'].sort(natural)).toEqual(['edge-1', 'edge-2', 'edge-10']);
  });
});
