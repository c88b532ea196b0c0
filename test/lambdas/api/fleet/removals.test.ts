import { beforeAll, describe, expect, test } from 'vitest';
import { unnamedPoolsMax } from '../../../../core/model/limits.ts';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, makeToken, submitJob } from '../working-edge.ts';

let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const remove = (path: string, token?: string) =>
  api.request('DELETE', path, token === undefined ? {} : { token });

async function names(path: string): Promise<string[]> {
  const { json } = await api.request('GET', `${path}?limit=500`);
  return json.items.map(({ name, id }: { name: string; id?: string }) => id ?? name);
}

describe('removing a pool', () => {
  test('is refused while it has open jobs or edges, and keeps its ended jobs', async () => {
    const id = await submitJob(api, { pool: 'typo', chunks: 3 });
    const inUse = await remove('/v1/pools/typo');
    expect([inUse.status, inUse.json.code]).toEqual([409, 'pool-in-use']);
    const cancelled = async () => (await api.request('GET', '/v1/stats')).json.chunks.cancelled;
    await api.request('DELETE', `/v1/jobs/${id}`);
    await api.settle();
    const before = await cancelled();
    expect(before).toBe(3);
    expect((await remove('/v1/pools/typo')).status).toBe(204);
    expect(await names('/v1/pools')).not.toContain('typo');
    expect((await api.request('GET', '/v1/pools/typo')).status).toBe(404);
    expect((await remove('/v1/pools/typo')).status).toBe(404);
    expect(await names('/v1/jobs')).toContain(id);
    expect(await cancelled()).toBe(before);
    expect((await api.request('GET', '/v1/stats')).json.cells).toEqual([]);
    await enrolEdge(api, 'edge-1', 'site');
    expect((await remove('/v1/pools/site')).status).toBe(409);
  });

  test('honours what its caller assumes, and may be undone by use', async () => {
    const made = await api.request('PUT', '/v1/pools/lab', { body: { policy: 'pack' } });
    const headers = { 'if-match': '"9-other"' };
    expect((await api.request('DELETE', '/v1/pools/lab', { headers })).status).toBe(412);
    const match = { headers: { 'if-match': made.headers.etag! } };
    expect((await api.request('DELETE', '/v1/pools/lab', match)).status).toBe(204);
    const id = await submitJob(api, { pool: 'lab' });
    const again = (await api.request('GET', '/v1/pools/lab')).json;
    expect([again.policy, again.cells]).toEqual(['spread', ['lab.0']]);
    expect((await api.request('GET', `/v1/jobs/${id}`)).json.status.state).toBe('pending');
  });

  test('is not for who is limited to another, and is on the audit trail', async () => {
    await api.request('PUT', '/v1/pools/red', { body: {} });
    const blue = await makeToken(api, { pool: 'blue' });
    expect((await remove('/v1/pools/red', blue)).status).toBe(404);
    expect((await remove('/v1/pools/red')).status).toBe(204);
    const { items } = (await api.request('GET', '/v1/audit')).json;
    expect(items[0]).toMatchObject({ action: 'pool-removed', target: 'red' });
  });

  test('pools that nobody named leave room for those that somebody does', async () => {
    const before = await api.stores.pools.countUnnamed();
    for (let at = before; at < unnamedPoolsMax; at++) {
      await api.stores.pools.ensureCell(`typo-${at}`, 0, Date.now());
    }
    const body = { pool: 'one-too-many' };
    const submitted = await api.request('POST', '/v1/jobs', { body });
    expect([submitted.status, submitted.json.code]).toEqual([422, 'limit-reached']);
    expect(submitted.json.detail).toContain('PUT /v1/pools/one-too-many');
    const edge = { name: 'far', pool: 'one-too-many', capacity: { power: 1 } };
    expect((await api.request('POST', '/v1/edges', { body: edge })).status).toBe(422);
    const named = await api.request('PUT', '/v1/pools/one-too-many', { body: {} });
    expect(named.status).toBe(201);
    expect((await api.request('POST', '/v1/jobs', { body })).status).toBe(202);
  });
});

describe('removing a queue', () => {
  test('takes its settings, and its jobs go on', async () => {
    await api.request('PUT', '/v1/queues/slow', { body: { weight: 2, quota: 1 } });
    const id = await submitJob(api, { queue: 'slow', pool: 'site', chunks: 1, chunkPower: 5 });
    expect((await remove('/v1/queues/slow')).status).toBe(204);
    expect(await names('/v1/queues')).toEqual(['default']);
    expect((await remove('/v1/queues/slow')).status).toBe(404);
    await api.settle();
    expect((await api.request('GET', `/v1/jobs/${id}`)).json.status.state).toBe('scheduled');
  });

  test('gives the default queue its defaults back, as often as asked', async () => {
    await api.request('PUT', '/v1/queues/default', { body: { weight: 7, strict: true } });
    for (let time = 1; time <= 2; time++) {
      expect((await remove('/v1/queues/default')).status).toBe(204);
    }
    const { json } = await api.request('GET', '/v1/queues/default');
    expect(json).toEqual({ name: 'default', weight: 1, strict: false, quota: null });
  });

  test('is not for who is limited to a pool', async () => {
    await api.request('PUT', '/v1/queues/common', { body: {} });
    const token = await makeToken(api, { pool: 'site' });
    expect((await remove('/v1/queues/common', token)).status).toBe(403);
  });
});
