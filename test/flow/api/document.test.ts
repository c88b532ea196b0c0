import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensurePythonTool } from '../../../scripts/setup/python-tools.mjs';
import { makeProduct, type Product } from '../product.ts';
import { askApi, follow, root } from '../start/stage.ts';

/**
 * The running API keeps what its document says: schemathesis makes requests from it, fitting and
 * hostile ones, and judges status, type, headers and body of every answer. What is not asked, and
 * why, is in `scripts/openapi/schemathesis.toml`.
 */
const tool = ensurePythonTool('openapi');
const settings = join(root, 'scripts', 'openapi', 'schemathesis.toml');
const minutesMax = 9;

let product: Product;
beforeAll(async () => {
  if (tool.folder === null) return;
  product = await makeProduct();
  await product.startCloud();
});
afterAll(() => product?.remove());

test(
  'answers to thousands of requests are as documented',
  async ({ skip }) => {
    if (tool.folder === null) return skip(tool.reason);
    await giveSomething();
    const { api, token } = product.place.endpoints()!;
    const words = ['--config-file', settings, 'run', join(root, 'docs', 'openapi.json')];
    const child = spawn(
      join(tool.folder, 'st'),
      [...words, '--url', api, '-H', `Authorization: Bearer ${token}`],
      // Without the proxies of a host: what it asks is here.
      {
        cwd: product.place.directory,
        env: { PATH: process.env.PATH, HOME: product.place.directory },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const run = follow(child);
    const code = await run.ended;
    const text = run.text();
    expect(code, text.slice(text.search(/= (FAILURES|ERRORS) =/))).toBe(0);
    const [, generated = '0'] = /(\d+) generated/.exec(text) ?? [];
    expect(Number(generated)).toBeGreaterThan(3_000);
  },
  minutesMax * 60_000,
);

/** What the settings name, so that more is tried than the way to a 404. */
async function giveSomething(): Promise<void> {
  const give = (method: string, path: string, body: object) =>
    askApi<object>(product.place, path, { method, body: JSON.stringify(body) });
  const edge = { name: 'tried-edge', capacity: { power: 100 }, csr: null };
  expect(await give('POST', '/v1/edges', edge)).toHaveProperty('secret');
  const schedule = { name: 'tried-schedule', cron: '@daily', job: {} };
  expect(await give('POST', '/v1/schedules', schedule)).toHaveProperty('next');
  expect(await give('PUT', '/v1/jobs/tried-job', { chunks: 3 })).toHaveProperty('status');
}
