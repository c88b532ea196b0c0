import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job, Page } from '../../core/contract/resources.ts';
import { runClient } from './cli/client.ts';
import { makeProduct, type Product } from './product.ts';
import { askApi, until } from './start/stage.ts';

/** One job, end to end, on the real parts: what this product is for. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('edge', '--count', '4', '--quiet');
  await product.untilConnected(4);
});
afterAll(() => product.remove());

test('power 403 becomes four executions on four edges, done to 100 %', async () => {
  const first = await submitAndMeasure();
  const second = await submitAndMeasure();
  for (const { job } of [first, second]) {
    expect(job.status).toMatchObject({ state: 'done', percent: 100, waiting: [] });
    expect(job.status.chunks).toMatchObject({ total: 4, done: 4, running: 0, dead: 0 });
    const executions = job.status.executions ?? [];
    expect(executions.map(({ power }) => power).sort((a, b) => a - b)).toEqual([
      100, 100, 100, 103,
    ]);
    expect(new Set(executions.map(({ edge }) => edge)).size).toBe(4);
    expect(executions.map(({ percent }) => percent)).toEqual([100, 100, 100, 100]);
  }
  // A simulated chunk takes its watt-seconds by the power it reserves: here one second, never less.
  expect(first.ms).toBeGreaterThan(1_000);
  writeFileSync(
    1,
    `bench first-job ${first.ms} ms, second ${second.ms} ms, one second is the work\n`,
  );
});

test('the client submits, waits and shows the same', async () => {
  const { directory } = product.place;
  const submitted = await runClient(directory, 'submit', '--power', '403', '--wait');
  expect(submitted).toMatchObject({ code: 0, err: '' });
  const shown = await runClient(directory, 'job', 'get', submitted.out.trim(), '-o', 'json');
  expect(JSON.parse(shown.out)).toMatchObject({ status: { state: 'done', percent: 100 } });
});

describe('a body that is not a job is refused at its place, and nothing is stored', () => {
  const bodies: [string, object, string][] = [
    ['an unknown field', { power: 403, colour: 'red' }, '/colour'],
    ['power 0', { power: 0 }, '/power'],
    ['power -1', { power: -1 }, '/power'],
    ['power 1.5', { power: 1.5 }, '/power'],
    ['power 1e12', { power: 1e12 }, '/power'],
    ['power "x"', { power: 'x' }, '/power'],
    ['both powers', { power: 403, chunkPower: 100 }, '/chunkPower'],
    ['a status', { power: 403, status: { state: 'done' } }, '/status'],
    ['a state', { power: 403, state: 'done' }, '/state'],
  ];
  test.each(bodies)('%s', async (_, body, pointer) => {
    const before = await jobIds();
    const problem = await askApi<{ status: number; code: string; errors: { pointer: string }[] }>(
      product.place,
      '/v1/jobs',
      { method: 'POST', body: JSON.stringify(body) },
    );
    expect(problem).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(problem.errors.map((error) => error.pointer)).toContain(pointer);
    expect(await jobIds()).toEqual(before);
  });
});

describe('a job that nothing can run says why', () => {
  const jobs: [string, object][] = [
    ['labels-do-not-match', { power: 4, requires: { labels: { site: 'nowhere' } } }],
    ['chunk-larger-than-any-edge', { chunks: 1, chunkPower: 100_000 }],
    [
      'expression-does-not-match',
      { power: 4, requires: { expressions: [{ key: 'os.version', op: '>=', value: '999' }] } },
    ],
    ['no-edges', { power: 4, pool: 'empty' }],
  ];
  test.each(jobs)('%s', async (reason, body) => {
    const { id } = await product.submit(body);
    const job = await product.jobWhen(id, `waiting for ${reason}`, ({ status }) =>
      (status.waiting ?? []).some((waiting) => waiting.reason === reason),
    );
    expect(job.status.state).toBe('pending');
    expect(job.status.waiting?.every(({ detail }) => detail.length > 0)).toBe(true);
    await askApi(product.place, `/v1/jobs/${id}`, { method: 'DELETE' });
  });
});

async function submitAndMeasure(): Promise<{ job: Job; ms: number }> {
  const startMs = performance.now();
  const { id } = await product.submit({ power: 403 });
  const job = await product.done(id);
  return { job, ms: Math.round(performance.now() - startMs) };
}

async function jobIds(): Promise<string[]> {
  const page = await until('the list', () =>
    askApi<Page<Job>>(product.place, '/v1/jobs?limit=500'),
  );
  return page.items.map(({ id }) => id);
}
