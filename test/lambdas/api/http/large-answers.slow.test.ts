import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDatabase, type TestDatabase } from '../../../contract/database.ts';
import { makeTableStores } from '../../../contract/engine-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/**
 * What a function can answer with at once is bounded: lists give it in more pages, the graph says
 * so.
 */
let database: TestDatabase;
let api: ApiStage;
const ids: string[] = [];
const payloadBytesMax = 6_291_556;
const carried = (text: string) => Buffer.byteLength(JSON.stringify(text));

beforeAll(async () => {
  database = await startDatabase();
  api = createApiStage(await makeTableStores(database));
  // Quotes take the most room on their way: two bytes in the body, four in the frame around it.
  const run = { process: { argv: ['"'.repeat(30_000)] } };
  for (let at = 0; at < 60; at++) {
    const { json } = await api.request('POST', '/v1/jobs', { body: { run } });
    ids.push(json.id);
  }
});
afterAll(() => database.close());

test('a page ends where the answer would be too large, and the next goes on there', async () => {
  const seen: string[] = [];
  let pages = 0;
  for (let cursor = ''; ; pages++) {
    const answer = await api.request('GET', `/v1/jobs?limit=500${cursor}`);
    expect(answer.status).toBe(200);
    expect(carried(answer.text)).toBeLessThan(payloadBytesMax);
    seen.push(...answer.json.items.map((it: { id: string }) => it.id));
    if (answer.json.nextCursor === null) break;
    cursor = `&cursor=${answer.json.nextCursor}`;
  }
  expect(pages).toBeGreaterThan(0);
  expect(seen).toEqual(ids.toReversed());
});

test('the graph gives pages of the same size, and refuses what is larger', async () => {
  const ask = (query: string) => api.request('POST', '/graphql', { body: { query } });
  const page = await ask('{jobs(first:60){nodes{id} pageInfo{hasNextPage}}}');
  expect(page.json.data.jobs.pageInfo.hasNextPage).toBe(true);
  const twice = await ask('{a:jobs(first:60){nodes{spec}} b:jobs(first:60){nodes{spec}}}');
  expect(twice.status).toBe(400);
  expect(twice.json.errors[0].message).toContain('fewer items');
});
