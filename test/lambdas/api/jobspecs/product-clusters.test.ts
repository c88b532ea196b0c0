import { expect, test } from 'vitest';
import { hasAll, productClusters, productRequests } from '../../../core/graph/product-clusters.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createApiStage } from '../api-stage.ts';

/** 48 clusters and 18 jobspecs, over the whole API: each is answered as counting by hand does. */
test.each([1, 2])('who has what is asked for, of 48 clusters, as drawn from %i', async (seed) => {
  const api = createApiStage(createMemoryStores());
  const clusters = productClusters(seed);
  for (const { name, nodes, subsystems } of clusters) {
    const body = { name, pool: 'products', nodes, subsystems };
    const { status, text } = await api.request('POST', '/v1/edges', { body });
    expect(status, text).toBe(201);
  }
  const requests = productRequests();
  expect([clusters.length, requests.length]).toEqual([48, 18]);
  const sizes = new Set<number>();
  for (const request of requests) {
    const tasks = [{ command: 'true', resources: 'r' }];
    const body = { version: 1, resources: { r: request.resource }, tasks };
    const path = '/v1/jobspecs/satisfy?pool=products';
    const { status, json } = await api.request('POST', path, { body });
    expect(status).toBe(200);
    const matching: string[] = json.clusters
      .filter(({ matches }: { matches: boolean }) => matches)
      .map(({ name }: { name: string }) => name);
    const expected = clusters.filter((it) => hasAll(it, request)).map(({ name }) => name);
    expect(matching, request.name).toEqual(expected.sort());
    expect(json.totals).toEqual({
      clusters: 48,
      matches: expected.length,
      mismatches: 48 - expected.length,
    });
    sizes.add(expected.length);
  }
  expect(sizes.size, 'requests differ in how many have it').toBeGreaterThan(4);
});
