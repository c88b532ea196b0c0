import { beforeAll, describe, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(createMemoryStores());
  for (const [name, pool] of [
    ['edge-1', 'default'],
    ['edge-2', 'default'],
    ['edge-3', 'hpc'],
  ]) {
    const body = { name, pool, capacity: { power: 40 } };
    expect((await api.request('POST', '/v1/edges', { body })).status).toBe(201);
  }
  for (const [pool, queue, chunks] of [
    ['default', 'nightly', 3],
    ['default', 'default', 2],
    ['hpc', 'nightly', 4],
  ] as const) {
    const run = { process: { argv: ['true'] } };
    const body = { pool, queue, chunks, chunkPower: 10, run };
    expect((await api.request('POST', '/v1/jobs', { body })).status).toBe(202);
  }
  await api.settle();
});

const statsBy = async (query: string, token?: string) =>
  api.request('GET', `/v1/stats?${query}`, token === undefined ? {} : { token });

describe('figures by edge, pool and queue', () => {
  test('a pool has the sum of its cells', async () => {
    const { groups, groupsCut } = (await statsBy('by=pool')).json;
    expect(groupsCut).toBe(false);
    const none = { chunksDone: 0, served: 0 };
    expect(groups).toEqual([
      { name: 'default', pool: 'default', edges: 2, jobs: 2, chunksOpen: 5, power: 80, ...none },
      { name: 'hpc', pool: 'hpc', edges: 1, jobs: 1, chunksOpen: 4, power: 40, ...none },
    ]);
  });

  test('a queue goes through all pools', async () => {
    const of = async (query: string) =>
      (await statsBy(query)).json.groups.map((it: Record<string, unknown>) => [
        ...[it.name, it.pool, it.jobs, it.chunksOpen],
      ]);
    expect(await of('by=queue')).toEqual([
      ['default', null, 1, 2],
      ['nightly', null, 2, 7],
    ]);
    expect(await of('by=queue&pool=hpc')).toEqual([['nightly', 'hpc', 1, 4]]);
  });

  test('each edge is there with what it may do', async () => {
    const { groups } = (await statsBy('by=edge')).json;
    const seen = groups.map((it: Record<string, unknown>) => [it.name, it.pool, it.power]);
    expect(seen).toEqual([
      ['edge-1', 'default', 40],
      ['edge-2', 'default', 40],
      ['edge-3', 'hpc', 40],
    ]);
  });

  test('a token of a pool sees nothing of another one', async () => {
    const body = { name: 'reader', scopes: ['jobs:read'], pool: 'hpc' };
    const { secret } = (await api.request('POST', '/v1/tokens', { body })).json;
    for (const by of ['edge', 'pool', 'queue']) {
      const { groups } = (await statsBy(`by=${by}`, secret)).json;
      expect(groups.map((it: { pool: string }) => it.pool)).toEqual(['hpc']);
    }
    expect((await statsBy('by=pool&pool=default', secret)).status).toBe(403);
  });

  test('a token of a queue sees its jobs, and neither edges nor pools', async () => {
    const body = { name: 'reader', scopes: ['jobs:read'], queue: 'nightly' };
    const { secret } = (await api.request('POST', '/v1/tokens', { body })).json;
    const names = async (by: string) =>
      (await statsBy(`by=${by}`, secret)).json.groups.map((it: { name: string }) => it.name);
    expect(await names('queue')).toEqual(['nightly']);
    expect([await names('edge'), await names('pool')]).toEqual([[], []]);
  });

  test('without it the answer is as before, and another word is refused', async () => {
    expect(Object.keys((await statsBy('')).json)).not.toContain('groups');
    expect((await statsBy('by=label')).status).toBe(400);
  });
});
