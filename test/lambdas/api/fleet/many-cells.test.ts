import { beforeAll, expect, test } from 'vitest';
import { listRowsExaminedMax } from '../../../../core/model/limits.ts';
import { makeCellId } from '../../../../core/model/names.ts';
import { makeEnrolment } from '../../../contract/stored-fixture.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** A fleet of a million edges has thousands of cells; whoever asks about it asks for a part. */
const cells = 400;
const edges = 200;
/** So many edges are in every third cell, and none in those between. */
const edgesInCell = 3;

let api: ApiStage;
let queries = 0;
let rows = 0;

beforeAll(async () => {
  const stores = createMemoryStores();
  const { listCell } = stores.edges;
  const counted: typeof listCell = async (cell, after, limit) => {
    const found = await listCell(cell, after, limit);
    queries += 1;
    rows += found.length;
    return found;
  };
  api = createApiStage({ ...stores, edges: { ...stores.edges, listCell: counted } });
  for (let at = 0; at < cells; at++) await stores.pools.ensureCell('default', at, 0);
  for (let at = 0; at < edges; at++) {
    const cell = makeCellId('default', Math.floor(at / edgesInCell) * 3);
    const enrolment = makeEnrolment(`edge-${String(at).padStart(4, '0')}`, { cell });
    expect(await stores.edges.enrol(enrolment)).toBe('enrolled');
  }
  [queries, rows] = [0, 0];
});

/** What one answer may cost: few queries, and no more rows than a list looks at. */
function expectBounded(what: string): void {
  expect(queries, `${what}: queries`).toBeLessThanOrEqual(101);
  expect(rows, `${what}: rows`).toBeLessThanOrEqual(listRowsExaminedMax + 500);
  [queries, rows] = [0, 0];
}

test('a list looks at a part of them, and its cursor goes on to the last', async () => {
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const { json } = await api.request('GET', `/v1/edges?limit=500${next}`);
    expectBounded('a page');
    found.push(...json.items.map(({ name }: { name: string }) => name));
    cursor = json.nextCursor;
  } while (cursor !== null);
  expect(new Set(found).size).toBe(edges);
  expect(found.length).toBe(edges);
});

test('a filter that nobody passes does not look at all of them', async () => {
  const { json } = await api.request('GET', '/v1/edges?label=site=nowhere');
  expectBounded('a filtered page');
  expect(json.items).toEqual([]);
  expect(json.nextCursor).not.toBeNull();
});

test('figures of each edge say that they are cut', async () => {
  const { json } = await api.request('GET', '/v1/stats?by=edge');
  expectBounded('figures');
  expect(json.groupsCut).toBe(true);
});
