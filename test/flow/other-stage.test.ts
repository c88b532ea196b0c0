import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProduct, type Product } from './product.ts';
import { askApi, until } from './start/stage.ts';

/** A stage that is not the first calls its things after itself; nobody but the broker sees it. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud('--stage', 'trial');
});
afterAll(() => product.remove());

test('an edge enrols, works and goes under the name of its stage', async () => {
  product.startAgent('edge-1');
  await product.untilConnected(1);
  const identity = join(product.place.directory, 'agents/edge-1/edge-1/edges/edge-1/identity.json');
  expect(JSON.parse(readFileSync(identity, 'utf8')).thing).toBe('trial_edge-1');
  const { id } = await product.submit({ power: 403 });
  await product.done(id);
  const [chunk] = await product.chunks(id);
  expect(chunk?.edge).toBe('edge-1');
  await askApi(product.place, '/v1/edges/edge-1', { method: 'DELETE' }).catch(() => null);
  await until('the edge is gone', async () => (await product.stats()).edges.total === 0);
});
