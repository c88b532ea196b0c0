import { beforeAll, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, makeToken, submitJob } from '../working-edge.ts';

/** `DELETE /v1/jobs/{id}/chunks?ranges=`: some chunks are not wanted any more, the others are. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

const plain = { pool: 'idle', chunkPower: 10 };
const cancel = (id: string, ranges: string, token?: string) =>
  api.request('DELETE', `/v1/jobs/${id}/chunks?ranges=${ranges}`, token ? { token } : {});
const statusOf = async (id: string) => (await api.request('GET', `/v1/jobs/${id}`)).json.status;
const kindsOf = async (id: string) => {
  const { json } = await api.request('GET', `/v1/jobs/${id}/events`);
  return json.items.map((it: { kind: string }) => it.kind);
};

test('what waits ends as cancelled, in the lists as well, and the job says by whom', async () => {
  const id = await submitJob(api, { ...plain, chunks: 6 });
  const answer = await cancel(id, '0-1,5');
  expect(answer.status, answer.text).toBe(202);
  await api.settle();
  expect(await statusOf(id)).toMatchObject({
    state: 'pending',
    chunks: { total: 6, pending: 3, cancelled: 3 },
  });
  const listed = await api.request('GET', `/v1/jobs/${id}/chunks?state=cancelled`);
  expect(listed.json.items.map((it: { chunk: number }) => it.chunk)).toEqual([0, 1, 5]);
  expect(await kindsOf(id)).toEqual(['submitted', 'chunks-cancelled']);
  const trail = await api.request('GET', '/v1/audit?limit=500');
  const own = trail.json.items.filter((it: { target: string }) => it.target === id);
  expect(own.map((it: { action: string }) => it.action)).toContain('job-chunks-cancelled');
});

test('a repeat is harmless, and is no second line of the timeline', async () => {
  const id = await submitJob(api, { ...plain, chunks: 4 });
  const first = await cancel(id, '2');
  const again = await cancel(id, '2');
  await api.settle();
  const late = await cancel(id, '2');
  expect([first.status, again.status, late.status]).toEqual([202, 200, 200]);
  expect(await kindsOf(id)).toEqual(['submitted', 'chunks-cancelled']);
});

test('all of them is the end of the job, and a job that waits for it fails', async () => {
  const id = await submitJob(api, { ...plain, chunks: 3 });
  const child = await submitJob(api, { ...plain, chunks: 2, dependsOn: [id] });
  await cancel(id, '0-2');
  await api.settle();
  expect(await statusOf(id)).toMatchObject({ state: 'cancelled', reason: 'cancelled' });
  await api.settle();
  expect(await statusOf(child)).toMatchObject({ state: 'failed', reason: 'dependency-failed' });
  expect((await cancel(id, '0')).status).toBe(200);
});

test('of a job that waits for another one some chunks go, and it still waits', async () => {
  const parent = await submitJob(api, { ...plain, chunks: 1 });
  const child = await submitJob(api, { ...plain, chunks: 2, dependsOn: [parent] });
  await cancel(child, '1');
  await api.settle();
  expect(await statusOf(child)).toMatchObject({
    state: 'waiting',
    chunks: { waiting: 1, cancelled: 1 },
  });
});

test('what an edge holds is taken from it, what it has done stays, and the rest ends the job', async () => {
  const edge = await enrolEdge(api, 'hub', 'busy');
  const body = { pool: 'busy', chunkPower: 50, chunks: 5 };
  const id = await submitJob(api, body);
  const child = await submitJob(api, { ...plain, chunks: 1, dependsOn: [id] });
  const work = async () =>
    (await api.request('GET', '/v1/edges/hub/work', { token: edge.secret })).json.w;
  expect((await work())[id]).toMatchObject({ r: '0-4' });
  await edge.report({ w: { [id]: { d: '0', r: '1-3' } } });
  expect((await cancel(id, '0-2')).status).toBe(202);
  await api.settle();
  expect((await work())[id]).toMatchObject({ r: '3-4' });
  expect(await statusOf(id)).toMatchObject({
    state: 'running',
    percent: 33,
    chunks: { done: 1, cancelled: 2 },
  });
  await edge.report({ w: { [id]: { d: '0,3-4' } } });
  expect(await statusOf(id)).toMatchObject({
    state: 'done',
    percent: 100,
    chunks: { done: 3, cancelled: 2 },
  });
  await api.settle();
  expect(await statusOf(child)).toMatchObject({ state: 'pending' });
});

test('ranges that make no sense are refused by the name of the parameter', async () => {
  const id = await submitJob(api, { ...plain, chunks: 4 });
  for (const query of ['', '?ranges=', '?ranges=3-1', '?ranges=4', '?ranges=0&ranges=1']) {
    const { status, json } = await api.request('DELETE', `/v1/jobs/${id}/chunks${query}`);
    expect([status, json.code, json.errors?.[0].pointer]).toEqual([
      400,
      'invalid-request',
      '?ranges',
    ]);
  }
  expect(await kindsOf(id)).toEqual(['submitted']);
});

test('an instance of a service is stopped by its number, not by this', async () => {
  const body = { pool: 'idle', kind: 'service', chunks: 2, run: { process: { argv: ['a'] } } };
  const answer = await cancel(await submitJob(api, body), '0');
  expect([answer.status, answer.json.code]).toEqual([409, 'conflict']);
});

test('whoever may not see a job cannot cancel its chunks, nor whoever only reads', async () => {
  const id = await submitJob(api, { ...plain, chunks: 4 });
  const other = await makeToken(api, { pool: 'busy' });
  const reader = await makeToken(api, { scopes: ['jobs:read'] });
  expect((await cancel(id, '0', other)).status).toBe(404);
  expect((await cancel(id, '0', reader)).status).toBe(403);
  expect(await kindsOf(id)).toEqual(['submitted']);
});

test('the graph does the same', async () => {
  const id = await submitJob(api, { ...plain, chunks: 4 });
  const ask = (ranges: string) => {
    const query = `mutation { cancelChunks(id: "${id}", ranges: "${ranges}") { id } }`;
    return api.request('POST', '/graphql', { body: { query } });
  };
  expect((await ask('1-2')).json.data).toEqual({ cancelChunks: { id } });
  expect((await ask('x')).json.errors[0].extensions.code).toBe('invalid-request');
  await api.settle();
  expect(await statusOf(id)).toMatchObject({ chunks: { pending: 2, cancelled: 2 } });
});
