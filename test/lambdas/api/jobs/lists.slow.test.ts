import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabase, type TestDatabase } from '../../../contract/database.ts';
import { createTableStores } from '../../../contract/table-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { plantJobs, walk } from './many-jobs.ts';

let database: TestDatabase;
let api: ApiStage;
let ids: string[];

beforeAll(async () => {
  database = await startDatabase();
  const table = await database.makeTable();
  api = createApiStage(createTableStores(table));
  ids = await plantJobs(api, table, 600);
});
afterAll(() => database.close());

test('no job twice, none missed, newest first, whatever the size of a page', async () => {
  for (const limit of [7, 50, 500]) {
    const walked = await walk(api, '/v1/jobs?', limit);
    expect(walked.ids).toEqual(ids);
    expect(walked.largestPage).toBe(limit);
  }
});

test('filters pass exactly what they name', async () => {
  const done = await walk(api, '/v1/jobs?state=done&', 30);
  expect(done.ids).toHaveLength(200);
  const odd = await walk(api, '/v1/jobs?queue=odd&state=done&', 30);
  expect(odd.ids).toHaveLength(40);
  expect(ids.filter((id) => odd.ids.includes(id))).toEqual(odd.ids);
  expect((await walk(api, '/v1/jobs?label=team%3Da&', 500)).ids).toEqual(ids);
  expect((await walk(api, '/v1/jobs?label=team%3Db&', 500)).ids).toEqual([]);
});

test('a cursor stays where it was while jobs come and go', async () => {
  const first = await api.request('GET', '/v1/jobs?limit=10');
  const fresh = await api.request('POST', '/v1/jobs', { body: {} });
  const next = `/v1/jobs?limit=10&cursor=${first.json.nextCursor}`;
  const second = await api.request('GET', next);
  expect(second.json.items.map((it: { id: string }) => it.id)).toEqual(ids.slice(10, 20));
  await api.request('DELETE', `/v1/jobs/${fresh.json.id}`);
});

test('a cursor of another list, a changed one and a senseless limit are refused', async () => {
  const { nextCursor } = (await api.request('GET', '/v1/jobs?limit=1')).json;
  for (const cursor of ['junk', `${nextCursor}A`, Buffer.from('edges|x').toString('base64url')]) {
    const answer = await api.request('GET', `/v1/jobs?cursor=${cursor}`);
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid-cursor']);
  }
  const foreign = await api.request('GET', `/v1/edges?cursor=${nextCursor}`);
  expect(foreign.json.code).toBe('invalid-cursor');
  for (const limit of ['0', '501', '-1', '1.5', 'x', '']) {
    expect((await api.request('GET', `/v1/jobs?limit=${limit}`)).status).toBe(400);
  }
});

test('edges of several cells are listed once each', async () => {
  for (const pool of ['a', 'b']) {
    for (let at = 0; at < 5; at++) {
      const body = { name: `${pool}-${at}`, pool, capacity: { power: 1 } };
      expect((await api.request('POST', '/v1/edges', { body })).status).toBe(201);
    }
  }
  for (const limit of [1, 5, 7, 50]) {
    const names: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const more = cursor === '' ? '' : `&cursor=${cursor}`;
      const { json } = await api.request('GET', `/v1/edges?limit=${limit}${more}`);
      names.push(...json.items.map((it: { name: string }) => it.name));
      cursor = json.nextCursor;
    }
    expect(names).toEqual(['a', 'b'].flatMap((it) => [0, 1, 2, 3, 4].map((at) => `${it}-${at}`)));
  }
});
