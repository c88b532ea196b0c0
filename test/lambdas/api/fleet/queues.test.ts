import { beforeAll, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** What a queue's settings do to jobs. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

test('a quota is what it says in each pool, however many pools there are', async () => {
  for (const pool of ['one', 'two', 'three']) {
    await api.request('POST', '/v1/jobs', { body: { pool } });
  }
  expect((await api.request('PUT', '/v1/queues/narrow', { body: { quota: 20 } })).status).toBe(201);
  const edge = { name: 'wide', pool: 'one', capacity: { power: 100 } };
  const { secret } = (await api.request('POST', '/v1/edges', { body: edge })).json;
  const body = { b: 'boot', e: 0, n: 1, f: 100, w: {} };
  await api.request('POST', '/v1/edges/wide/report', { token: secret, body });
  const job = { pool: 'one', queue: 'narrow', chunkPower: 10, chunks: 3 };
  const { id } = (await api.request('POST', '/v1/jobs', { body: job })).json;
  await api.settle();
  const { status } = (await api.request('GET', `/v1/jobs/${id}`)).json;
  expect(status.chunks).toMatchObject({ scheduled: 2, pending: 1 });
  expect(status.waiting).toMatchObject([{ reason: 'quota', chunks: 1 }]);
  const explained = (await api.request('GET', `/v1/jobs/${id}/explain`)).json;
  expect(explained.reasons).toEqual(status.waiting);
});
