import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Product } from '../product.ts';
import { until } from '../start/stage.ts';
import { isReady, runIn, startOnTwoEdges } from './two-edges.ts';

/** One instance on each edge, those that join later too, and once on each. */
let product: Product;
beforeAll(async () => {
  product = await startOnTwoEdges();
});
afterAll(() => product?.remove());

const client = (...words: string[]) => runIn(product, words);

test('each edge has its instance, who joins gets one, and a drain takes it for a while', async () => {
  const how = ['--everywhere', '--name', 'web', '--chunk-power', '1', '--ready-after', '0'];
  const created = await client('service', 'create', ...how, '--', 'sleep', '3600');
  expect(created).toMatchObject({ code: 0 });
  const id = created.out.trim();
  await product.jobWhen(id, 'on both edges', isReady(2));
  const places = async () =>
    (await product.chunks(id)).map(({ chunk, edge }) => `${chunk} ${edge}`).sort();
  const before = await places();
  expect(before.map((it) => it.split(' ')[1]).sort()).toEqual(['one', 'two']);
  product.startAgent('three', '--quiet', '--executor', 'process');
  await product.jobWhen(id, 'on all three', isReady(3));
  expect(await places()).toEqual([...before, '2 three']);
  expect((await client('service', 'list', '--everywhere')).out).toMatch(/web\s+running\s+3\/3/);
  await client('edge', 'drain', 'three', '--yes');
  await product.jobWhen(id, 'on the other two', isReady(2));
  await client('edge', 'uncordon', 'three');
  await product.jobWhen(id, 'on all three again', isReady(3));
  expect(await places()).toEqual([...before, '2 three']);

  const mark = join(product.place.directory, 'mark');
  const once = ['--everywhere', '--restart', 'never', '--until', 'all-now', '--chunk-power', '1'];
  const run = ['sh', '-c', `echo here > "${mark}-$EDGEWISE_CHUNK"`];
  const marked = await client('service', 'create', ...once, '--', ...run);
  const { status } = await product.jobWhen(marked.out.trim(), 'done on each edge', (job) => {
    return job.status.state === 'done';
  });
  expect(status.chunks).toMatchObject({ total: 3, done: 3 });
  await until('each has left its mark', async () => {
    return [0, 1, 2].every((number) => existsSync(`${mark}-${number}`));
  });
  expect(await client('service', 'delete', id, '--yes')).toMatchObject({ code: 0 });
  await product.jobWhen(id, 'cancelled', (job) => job.status.state === 'cancelled');
});
