import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProduct, type Product } from './product.ts';
import { askApi, ready, root, until } from './start/stage.ts';

/**
 * The product with `-c edgewise:sdk=official`: the functions hold the SDK itself, and everything
 * that they say to a service goes through it: rows, timers, shadows, certificates, outputs and the
 * admin token.
 */
let product: Product;
let app: string;
beforeAll(async () => {
  product = await makeProduct();
  app = join(product.place.directory, 'official.out');
  const cdk = join('node_modules', 'aws-cdk', 'bin', 'cdk');
  const context = ['-c', 'edgewise:sdk=official', '-c', 'edgewise:checks=off'];
  const words = [cdk, 'synth', '-q', '--no-notices', ...context, '-o', app];
  execFileSync(process.execPath, words, { cwd: root, stdio: 'pipe' });
  await ready(product.place.run(app), 'Local cloud ready');
  product.startAgent('by-mqtt');
  product.startAgent('by-https', '--transport', 'http');
  await product.untilConnected(2);
});
afterAll(() => product.remove());

test('the functions hold the SDK, and nothing that stands in for it', () => {
  const maps = globSync('asset.*/index.mjs.map', { cwd: app });
  const sources = maps.flatMap((name) => JSON.parse(readFileSync(join(app, name), 'utf8')).sources);
  const holds = (path: string) => sources.some((source: string) => source.includes(path));
  for (const name of ['dynamodb', 'iot-data-plane', 'secrets-manager', 'sqs']) {
    expect(holds(`@aws-sdk/client-${name}/dist-es/`)).toBe(true);
  }
  expect(holds('adapters/aws/signed-client.ts')).toBe(false);
});

test.each(['by-mqtt', 'by-https'])('a job runs on an edge that is linked %s', async (edge) => {
  const { id } = await product.submit({ power: 40, chunks: 2, requires: { edges: [edge] } });
  expect((await product.done(id)).status.percent).toBe(100);
});

test('a failed chunk is tried again when a timer says so, and its output is kept', async () => {
  const run = { process: { argv: ['sh', '-c', 'echo so it went; exit 3'] } };
  const retries = { attempts: 2, backoffSeconds: 1 };
  const { id } = await product.submit({ power: 1, run, retries });
  await product.jobWhen(id, 'failed', ({ status }) => status.state === 'failed');
  const [chunk] = await product.chunks(id);
  expect(chunk).toMatchObject({ state: 'dead', attempts: 2, exitCode: 3 });
  const { api, token } = product.place.endpoints()!;
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${api}/v1/jobs/${id}/chunks/0/output`, { headers });
  expect(await answer.text()).toBe('so it went\n');
});

test('an edge that is removed is gone, with its certificate', async () => {
  await askApi(product.place, '/v1/edges/by-mqtt', { method: 'DELETE' });
  await until('it is gone', async () => {
    const { status } = await askApi<{ status?: number }>(product.place, '/v1/edges/by-mqtt');
    return status === 404;
  });
});
