import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeRandomJob, seededRandom } from '../../../cli/fleet/random-job.ts';
import { run } from '../../../cli/run.ts';
import { type ApiDouble, startApiDouble } from '../api-double.ts';
import { addJob } from '../api-double-world.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';

let api: ApiDouble;
beforeEach(async () => {
  api = await startApiDouble();
});
afterEach(() => api.close());

const submitted = () =>
  api.seen.filter(({ method, path }) => method === 'POST' && path === '/v1/jobs');

async function request(words: string, interruptAfterMs?: number) {
  const env = { EDGEWISE_API: api.url, EDGEWISE_TOKEN: 'admin' };
  const interrupt = interruptAfterMs === undefined ? {} : { interruptAfterMs };
  const terminal = scriptedTerminal({ directory: '/', env, ...interrupt });
  return run(['request', ...words.split(' ')], terminal);
}

test('it stops submitting while enough jobs wait, and goes on when they do not', async () => {
  // One job of the double waits for ever, so there is room for two more.
  expect(await request('--pending 3', 5_000)).toBe(0);
  expect(submitted()).toHaveLength(2);
});

test('it stops submitting while enough jobs are under way', async () => {
  for (let i = 0; i < 4; i++) addJob(api.world, { name: `run-${i}` }, 'running');
  expect(await request('--max-active 6 --pending 100', 5_000)).toBe(0);
  expect(submitted()).toHaveLength(1);
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
  expect(await request('--max-jobs 2 --pending 2 --keep 1s', 20_000)).toBe(0);
  const removed = api.seen.filter(({ method }) => method === 'DELETE');
  expect(removed.length).toBeGreaterThan(0);
  expect(removed[0]?.path).toContain('purge=true');
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
