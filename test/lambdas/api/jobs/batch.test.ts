import { expect, test } from 'vitest';
import { batchJobsMax } from '../../../../core/model/limits.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createApiStage } from '../api-stage.ts';
import { makeToken } from '../working-edge.ts';

/** `POST /v1/jobs/batch`: each as `POST /v1/jobs`, all or none. */
const stage = () => createApiStage(createMemoryStores());

const path = '/v1/jobs/batch';
const listed = async (api: ReturnType<typeof stage>) =>
  (await api.request('GET', '/v1/jobs?limit=500')).json.items as { id: string; name: string }[];

test('the answer has the jobs in the order in which they were sent', async () => {
  const api = stage();
  const jobs = Array.from({ length: batchJobsMax }, (_, at) => ({ name: `job-${at}`, power: 8 }));
  const { status, json } = await api.request('POST', path, { body: { jobs } });
  expect(status).toBe(202);
  const names = jobs.map(({ name }) => name);
  expect(json.items.map(({ name }: { name: string }) => name)).toEqual(names);
  const found = await api.request('GET', `/v1/jobs/${json.items[7].id}`);
  expect(found.json).toEqual(json.items[7]);
  expect((await listed(api)).map(({ name }) => name)).toEqual(names.toReversed());
});

test('one key is for the whole', async () => {
  const api = stage();
  const headers = { 'idempotency-key': 'once' };
  const body = { jobs: [{ power: 1 }, { power: 2 }] };
  const first = await api.request('POST', path, { body, headers });
  const again = await api.request('POST', path, { body, headers });
  expect(again.json).toEqual(first.json);
  expect(await listed(api)).toHaveLength(2);
  const other = await api.request('POST', path, { body: { jobs: [{ power: 3 }] }, headers });
  expect([other.status, other.json.code]).toEqual([422, 'idempotency-key-reused']);
});

test.each<[string, object, string]>([
  ['none at all', { jobs: [] }, '/jobs'],
  ['more than a hundred', { jobs: Array.from({ length: batchJobsMax + 1 }, () => ({})) }, '/jobs'],
  ['a field that is not known', { jobs: [{}, { color: 'red' }] }, '/jobs/1/color'],
  ['a parent that is not there', { jobs: [{}, {}, { dependsOn: ['x'] }] }, '/jobs/2/dependsOn/0'],
])('a batch with %s is refused with the place, and nothing is stored', async (_, body, pointer) => {
  const api = stage();
  const { status, json } = await api.request('POST', path, { body });
  expect([status, json.code]).toEqual([400, 'invalid-request']);
  expect(json.errors[0].pointer).toBe(pointer);
  expect(await listed(api)).toEqual([]);
});

test('a limited token submits only where it sees, with all of a batch', async () => {
  const api = stage();
  const token = await makeToken(api, { scopes: ['jobs:write'], pool: 'north' });
  const body = { jobs: [{ pool: 'north' }, { pool: 'south' }] };
  const { status, json } = await api.request('POST', path, { body, token });
  expect(status).toBe(403);
  expect(json.detail).toMatch(/^Job 1 of the batch: /);
  expect(await listed(api)).toEqual([]);
});

test('jobs of a batch are divided as if those before them waited already', async () => {
  const api = stage();
  for (const index of [0, 1]) await api.stores.pools.ensureCell('default', index, Date.now());
  const jobs = Array.from({ length: 4 }, () => ({ chunks: 1, chunkPower: 400 }));
  await api.request('POST', path, { body: { jobs } });
  const cells = await Promise.all(
    (await api.stores.fleet.cells()).map((id) => api.stores.cells.load(id)),
  );
  expect(cells.map((cell) => cell?.jobs.size)).toEqual([2, 2]);
});
