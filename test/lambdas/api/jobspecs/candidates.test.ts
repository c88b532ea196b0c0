import { expect, test } from 'vitest';
import { candidatesOf } from '../../../../lambdas/api/jobspecs/candidates.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createApiStage } from '../api-stage.ts';

/** A pool of three hosts and three clusters, of which so many of each are looked at. */
async function asked(max: { clusters: number; hosts: number }, named: string[] | null = null) {
  const stores = createMemoryStores();
  const api = createApiStage(stores);
  const enrol = async (body: object) => {
    const { status, text, json } = await api.request('POST', '/v1/edges', { body });
    expect(status, text).toBe(201);
    return json.secret as string;
  };
  for (const name of ['a1', 'a2', 'a3']) {
    const token = await enrol({ name, capacity: { power: 1, cores: 4 } });
    const body = { b: 'boot', e: 99, n: 1, f: 1, w: {} };
    await api.request('POST', `/v1/edges/${name}/report`, { token, body });
  }
  const nodes = { 0: { metadata: { type: 'cluster' } } };
  for (const name of ['x', 'y', 'z']) await enrol({ name, nodes: { graph: { nodes, edges: [] } } });
  await api.settle();
  const where = { pool: 'default', named, live: false };
  const { all, hasMore } = await candidatesOf(where, Date.now(), stores, max);
  const hosts = all.find((it) => it.kind === 'hosts')?.hosts.map(({ name }) => name) ?? [];
  const clusters = all.filter((it) => it.kind === 'cluster').map(({ name }) => name);
  return { clusters, hosts, hasMore };
}

test('clusters are looked at also where a pool has more hosts than are', async () => {
  const clusters = ['x', 'y', 'z'];
  expect(await asked({ clusters: 3, hosts: 6 })).toEqual({
    clusters,
    hosts: ['a1', 'a2', 'a3'],
    hasMore: false,
  });
  expect(await asked({ clusters: 3, hosts: 2 })).toEqual({
    clusters,
    hosts: ['a1', 'a2'],
    hasMore: true,
  });
});

test('of more clusters than are looked at, those that are named are', async () => {
  const max = { clusters: 1, hosts: 6 };
  expect(await asked(max)).toMatchObject({ clusters: ['x'], hasMore: true });
  expect(await asked(max, ['z', 'a1', 'nobody'])).toMatchObject({
    clusters: ['x', 'z'],
    hosts: ['a1', 'a2', 'a3'],
    hasMore: false,
  });
});
