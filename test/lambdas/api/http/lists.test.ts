import { beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { operations } from '../../../../core/contract/operations.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

let api: ApiStage;
beforeEach(() => {
  api = createApiStage(createMemoryStores());
});

test('whatever is answered as a page takes a limit and a cursor', () => {
  const isPage = (schema: unknown) =>
    schema instanceof z.ZodObject && 'items' in schema.shape && 'nextCursor' in schema.shape;
  const pages = Object.entries(operations).filter(([, { answers }]) => isPage(answers[200]));
  expect(pages.length).toBeGreaterThan(15);
  const without = pages.filter(([, { query = {} }]) => !('limit' in query && 'cursor' in query));
  expect(without.map(([name]) => name)).toEqual([]);
});

/** All of a list, so many at a time. */
async function walk(path: string, limit: number): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const { status, json } = await api.request('GET', `${path}?limit=${limit}${cursor}`);
    expect([status, json.items.length <= limit]).toEqual([200, true]);
    items.push(...json.items);
    if (json.nextCursor === null) return items;
    cursor = `&cursor=${json.nextCursor}`;
  }
}

test('subsystems are read page by page, by name', async () => {
  const nodes = { graph: { nodes: { 0: { metadata: { type: 'node' } } }, edges: [] } };
  const io = { graph: { nodes: { a: { metadata: { type: 'io' } } }, edges: [] } };
  const subsystems = { spack: io, io, disks: io };
  await api.request('POST', '/v1/edges', { body: { name: 'red', nodes, subsystems } });
  const names = async (limit: number) =>
    (await walk('/v1/edges/red/subsystems', limit)).map(({ name }) => name);
  expect(await names(1)).toEqual(['disks', 'io', 'spack']);
  expect(await names(2)).toEqual(['disks', 'io', 'spack']);
  expect(await names(500)).toEqual(['disks', 'io', 'spack']);
});

test('generations are read page by page, newest first', async () => {
  const body = (word: string) => ({ kind: 'service', run: { process: { argv: [word] } } });
  for (const word of ['a', 'b', 'c']) {
    await api.request('PUT', '/v1/jobs/web', { body: body(word) });
  }
  for (const limit of [1, 2, 500]) {
    const found = await walk('/v1/jobs/web/generations', limit);
    expect(found.map(({ generation }) => generation)).toEqual([3, 2, 1]);
  }
});
