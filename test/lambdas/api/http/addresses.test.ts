import { beforeAll, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** Addresses that are nearly one of ours, and names in them that nothing can have. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

test('an empty part of an address is no name', async () => {
  for (const path of ['/v1/jobs/', '/v1/edges/', '/docs/', '/v1/jobs//chunks', '/v1/jobs/x/']) {
    const answer = await api.request('GET', path);
    expect([path, answer.status, answer.json.code]).toEqual([path, 404, 'not-found']);
  }
});

test('a method that an address does not take is refused with those it takes', async () => {
  const answer = await api.request('DELETE', '/v1/jobs');
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, POST']);
  for (const path of ['a.csv', 'result/a.csv', 'result/deep/a.csv']) {
    const ofFile = await api.request('DELETE', `/v1/jobs/x/files/${path}`);
    expect([path, ofFile.status, ofFile.headers.allow]).toEqual([path, 405, 'GET']);
  }
});

test('fields that a request does not take are refused, also where it takes none', async () => {
  for (const path of [
    '/v1/jobs/nobody/retry',
    '/v1/schedules/nobody/run',
    '/v1/jobspecs/nobody/retry',
    '/v1/jobspecs/nobody/explain',
  ]) {
    const known = [await api.request('POST', path), await api.request('POST', path, { body: {} })];
    expect([path, ...known.map(({ status }) => status)]).toEqual([path, 404, 404]);
    const { status, json } = await api.request('POST', path, { body: { chunks: '0-1' } });
    expect([path, status, json.errors?.[0].pointer]).toEqual([path, 400, '/chunks']);
  }
});

test('OPTIONS says what an address takes, so that a browser may go on', async () => {
  const known = await api.request('OPTIONS', '/v1/jobs', { token: null });
  expect([known.status, known.headers.allow, known.text]).toEqual([204, 'GET, POST', '']);
  expect((await api.request('OPTIONS', '/v1/nothing', { token: null })).status).toBe(404);
});

test('what anybody may read answers HEAD with the same headers and nothing else', async () => {
  for (const path of ['/v1/health', '/openapi.json', '/docs']) {
    const [head, get] = await Promise.all(
      ['HEAD', 'GET'].map((method) => api.request(method, path, { token: null })),
    );
    expect([path, head?.status, head?.text]).toEqual([path, 200, '']);
    expect(head?.headers['content-type']).toBe(get?.headers['content-type']);
  }
  const other = await api.request('HEAD', '/v1/jobs', { token: null });
  expect([other.status, other.headers.allow, other.text]).toEqual([405, 'GET, POST', '']);
});

test('PUT under a name that is none says so, and stores nothing', async () => {
  for (const path of [
    '/v1/jobs/UP',
    '/v1/pools/UP',
    '/v1/queues/a_b',
    `/v1/pools/${'x'.repeat(65)}`,
  ]) {
    const answer = await api.request('PUT', path, { body: {} });
    expect([path, answer.status, answer.json.code]).toEqual([path, 400, 'invalid-request']);
    expect(answer.json.detail).toContain('lower-case letters');
  }
  expect((await api.request('GET', '/v1/pools')).json.items).toEqual([]);
});

test('a jobspec says where it is, however many jobs it makes', async () => {
  const one = { version: 1, resources: { one: { type: 'core' } } };
  const task = { command: ['true'], resources: 'one' };
  const single = await api.request('POST', '/v1/jobspecs', { body: { ...one, tasks: [task] } });
  expect(single.status).toBe(202);
  expect(single.headers.location).toBe(`/v1/jobspecs/${single.json.id}`);
  const both = await api.request('POST', '/v1/jobspecs', { body: { ...one, tasks: [task, task] } });
  expect([both.status, both.headers.location]).toEqual([202, `/v1/jobspecs/${both.json.id}`]);
});
