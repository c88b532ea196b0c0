import { beforeEach, expect, test } from 'vitest';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

const run = { vm: { rootfs: 'https://images.example.com/alpine.tar.gz' } };

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

async function edge(name: string, executors: object, more: object = {}): Promise<void> {
  const body = { name, capacity: { power: 100 }, facts: { executors, services: true }, ...more };
  expect((await api.request('POST', '/v1/edges', { body })).status).toBe(201);
}

const submit = (more: object = {}) =>
  api.request('POST', '/v1/jobs', { body: { chunks: 1, run, ...more } });

const refused = [422, 'unsupported-run', '/run/vm'];

function outcomeOf({ status, json }: Awaited<ReturnType<typeof submit>>): unknown[] {
  return [status, json.code, json.errors?.[0].pointer];
}

test('a virtual machine is refused while no edge runs any, whichever way it is asked for', async () => {
  await edge('edge-1', { container: '28.5', process: '1' });
  expect(outcomeOf(await submit())).toEqual(refused);
  const service = { kind: 'service', name: 'web' };
  expect(outcomeOf(await submit(service))).toEqual(refused);
  const body = { chunks: 1, run };
  for (const [method, path] of [
    ['PUT', '/v1/jobs/mine'],
    ['POST', '/v1/plan'],
  ] as const) {
    expect(outcomeOf(await api.request(method, path, { body }))).toEqual(refused);
  }
  const jobs = [{ chunks: 1 }, body];
  const batch = await api.request('POST', '/v1/jobs/batch', { body: { jobs } });
  expect(outcomeOf(batch)).toEqual([422, 'unsupported-run', '/jobs/1/run/vm']);
  expect((await api.request('GET', '/v1/jobs')).json.items).toEqual([]);
});

test('one edge of the pool that runs them is enough, when it could take the job', async () => {
  await edge('edge-1', { process: '1' });
  await edge('edge-2', { vm: '1.9' }, { labels: { site: 'north' } });
  await edge('edge-3', { vm: '1.9' }, { pool: 'other' });
  const { status, json } = await submit();
  expect([status, json.spec.run.vm]).toEqual([202, { ...run.vm, env: {}, timeoutSeconds: null }]);
  expect((await submit({ requires: { labels: { site: 'north' } } })).status).toBe(202);
  const south = { requires: { labels: { site: 'south' } } };
  expect(outcomeOf(await submit(south))).toEqual(refused);
  expect((await submit({ pool: 'other', kind: 'service' })).status).toBe(202);
  expect(outcomeOf(await submit({ pool: 'empty' }))).toEqual(refused);
});

test('an edge that says that it runs none is none', async () => {
  await edge('edge-1', { vm: false });
  expect(outcomeOf(await submit())).toEqual(refused);
});

test('a service is not brought to what nobody runs', async () => {
  await edge('edge-1', { process: '1' });
  const service = { kind: 'service', chunks: 1 };
  const process = { ...service, run: { process: { argv: ['web'] } } };
  expect((await api.request('PUT', '/v1/jobs/web', { body: process })).status).toBe(202);
  const answer = await api.request('PUT', '/v1/jobs/web', { body: { ...service, run } });
  expect(outcomeOf(answer)).toEqual(refused);
  await edge('edge-2', { vm: '1.9' });
  const later = await api.request('PUT', '/v1/jobs/web', { body: { ...service, run } });
  expect([later.status, later.json.generation]).toEqual([200, 2]);
});

test.each([
  [{}, '/run/vm/rootfs'],
  [{ rootfs: 'alpine' }, '/run/vm/rootfs'],
  [{ ...run.vm, image: 'x' }, '/run/vm'],
])('what is no virtual machine is no valid request: %j', async (vm, pointer) => {
  const { status, json } = await submit({ run: { vm } });
  expect([status, json.errors[0].pointer.slice(0, pointer.length)]).toEqual([400, pointer]);
});
