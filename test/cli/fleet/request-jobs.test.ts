import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRandomJob, seededRandom } from '../../../cli/fleet/random-job.ts';
import { run } from '../../../cli/run.ts';
import { adminSecret, type ServedFleet, startServedFleet } from '../api/served-fleet.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

let api: ServedFleet;
beforeEach(async () => {
  api = await startServedFleet();
});
afterEach(() => api.close());

const submitted = () =>
  api.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/jobs');

async function request(words: string, interruptAfterMs?: number) {
  const env = { EDGEWISE_API: api.url, EDGEWISE_TOKEN: adminSecret };
  const interrupt = interruptAfterMs === undefined ? {} : { interruptAfterMs };
  const time = { startMs: api.nowMs(), pass: api.pass };
  const terminal = scriptedTerminal({ directory: '/', env, ...time, ...interrupt });
  return run(['request', ...words.split(' ')], terminal);
}

/** What is submitted from here on waits. */
async function cordonAll(): Promise<void> {
  for (const edge of ['edge-10', 'edge-11']) {
    const body = { cordoned: true, reason: 'full' };
    await api.api.request('PATCH', `/v1/edges/${edge}`, { body });
  }
}

test('it stops submitting while enough jobs wait, and goes on when they do not', async () => {
  // One job waits for a label that no edge has, so there is room for two more.
  await cordonAll();
  expect(await request('--pending 3', 5_000)).toBe(0);
  expect(submitted()).toHaveLength(2);
});

test('it stops submitting while enough jobs are under way', async () => {
  const run = { process: { argv: ['sleep', '600'] } };
  for (let i = 0; i < 4; i++) await api.submit({ chunks: 1, chunkPower: 10, run });
  await cordonAll();
  expect(await request('--max-active 6 --pending 100', 5_000)).toBe(0);
  expect(submitted()).toHaveLength(1);
});

test('with a pool only that pool is counted', async () => {
  await cordonAll();
  await api.api.request('PUT', '/v1/pools/lab', { body: {} });
  for (let i = 0; i < 20; i++) await api.submit({ power: 1 });
  await api.submit({ power: 1, pool: 'lab' });
  expect(await request('--pool lab --pending 3', 5_000)).toBe(0);
  expect(submitted().map(({ body }) => (body as { pool: string }).pool)).toEqual(['lab', 'lab']);
});

test('it ends after as many as it was asked for, each with a key of its own', async () => {
  expect(await request('--max-jobs 5 --pending 50 --min-power 10 --max-power 12')).toBe(0);
  expect(submitted()).toHaveLength(5);
  expect(new Set(submitted().map(({ headers }) => headers['idempotency-key'])).size).toBe(5);
  for (const { body } of submitted()) {
    const { power } = body as { power: number };
    expect(power).toBeGreaterThanOrEqual(10);
    expect(power).toBeLessThanOrEqual(12);
  }
});

test('its old jobs are removed', async () => {
  expect(await request('--max-jobs 12 --pending 2 --keep 4s')).toBe(0);
  const removed = api.seen.filter(({ method }) => method === 'DELETE');
  expect(removed.length).toBeGreaterThan(0);
  expect(removed[0]?.path).toContain('purge=true');
  const [first] = removed.map(({ path }) => path.split('?')[0]!);
  expect((await api.api.request('GET', first!)).status).toBe(404);
});

test('the same seed gives the same jobs', () => {
  const bounds = { minPower: 300, maxPower: 500, secondsMax: 6 };
  const jobs = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 50 }, (_, i) => makeRandomJob(i, 'x', bounds, random));
  };
  expect(jobs(7)).toEqual(jobs(7));
  expect(jobs(7)).not.toEqual(jobs(8));
  const powers = jobs(7).map((job) => job.power);
  expect(Math.min(...powers)).toBeGreaterThanOrEqual(300);
  expect(Math.max(...powers)).toBeLessThanOrEqual(500);
});
