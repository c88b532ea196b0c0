import { beforeEach, expect, test } from 'vitest';
import { edgeEventOf, type FleetEvent } from '../../../../core/events/fleet-event.ts';
import { eventsKeptSeconds } from '../../../../core/events/limits.ts';
import { edgeNameOf, jobIdOf } from '../../../../core/model/names.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { makeToken } from '../working-edge.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

function eventOf(job: string, more: Partial<FleetEvent> = {}): FleetEvent {
  const where = { pool: 'default', queue: 'default', jobspec: null, detail: 'Done.', edge: null };
  const what = { id: `${job}.job.done.5`, atMs: 5, kind: 'job.done', name: null };
  return { ...what, ...where, job: jobIdOf(job), ...more };
}

const append = (...events: FleetEvent[]) => api.stores.fleetLog.append(events, Date.now());

async function read(query: string, token?: string) {
  const request = token === undefined ? {} : { token };
  const { status, json } = await api.request('GET', `/v1/events?${query}`, request);
  return { status, json, jobs: json.items?.map((it: { job: string }) => it.job) };
}

test('who goes on with the cursor gets each event once, also while nothing is there', async () => {
  const begin = await read('after=now');
  expect(begin.jobs).toEqual([]);
  await append(eventOf('a'), eventOf('b'));
  const first = await read(`after=${begin.json.cursor}`);
  expect(first.jobs).toEqual(['a', 'b']);
  expect(first.json.items[0]).toEqual({
    ...{ id: 'a.job.done.5', at: '1970-01-01T00:00:00.005Z', kind: 'job.done', job: 'a' },
    ...{
      name: null,
      edge: null,
      pool: 'default',
      queue: 'default',
      jobspec: null,
      detail: 'Done.',
    },
  });
  await append(eventOf('c'));
  expect((await read(`after=${first.json.cursor}`)).jobs).toEqual(['c']);
  expect((await read('')).jobs).toEqual(['a', 'b', 'c']);
});

test('who waits gets what happens then, and not what was not asked for', async () => {
  const { json } = await read('after=now');
  const waiting = read(`after=${json.cursor}&waitSeconds=20&kinds=job.failed`);
  await append(eventOf('a'));
  await append(eventOf('b', { kind: 'job.failed' }));
  const answer = await waiting;
  expect(answer.jobs).toEqual(['b']);
  expect((await read(`after=${answer.json.cursor}`)).jobs).toEqual([]);
});

test('others than those of its pool a token does not see', async () => {
  await append(eventOf('a', { pool: 'north' }), eventOf('b', { pool: 'south' }));
  const token = await makeToken(api, { pool: 'south' });
  expect((await read('', token)).jobs).toEqual(['b']);
  expect((await read('pool=north', token)).jobs).toEqual([]);
  expect((await read('pool=north')).jobs).toEqual(['a']);
});

test('what becomes of edges is for who may read edges, and is asked for by their names', async () => {
  const edge = edgeNameOf('edge-1');
  await append(edgeEventOf('edge.lost', { edge, pool: 'default', atMs: 7 }), eventOf('a'));
  const lost = await read('edge=edge-1');
  expect(lost.json.items).toMatchObject([{ kind: 'edge.lost', edge: 'edge-1', job: null }]);
  expect((await read('edge=edge-2')).jobs).toEqual([]);
  const body = { name: 'jobs', scopes: ['jobs:read'] };
  const { json } = await api.request('POST', '/v1/tokens', { body });
  expect((await read('', json.secret)).jobs).toEqual(['a']);
});

test('a cursor behind which something is gone is refused', async () => {
  const longAgoMs = Date.now() - (eventsKeptSeconds + 60) * 1_000;
  const begin = await read('after=now');
  await api.stores.fleetLog.append([eventOf('old')], longAgoMs);
  await append(eventOf('new'));
  const { status, json } = await read(`after=${begin.json.cursor}`);
  expect([status, json.code]).toEqual([410, 'cursor-too-old']);
  expect((await read('')).jobs).toEqual(['new']);
});

test.each([
  ['after=x', 'invalid-cursor'],
  ['after=1', 'invalid-cursor'],
  ['kinds=job.eaten', 'invalid-request'],
  ['waitSeconds=26', 'invalid-request'],
  ['pool=', 'invalid-request'],
  ['job=A%20job', 'invalid-request'],
])('%s is refused as %s', async (query, code) => {
  const { status, json } = await read(query);
  expect([status, json.code]).toEqual([400, code]);
});
