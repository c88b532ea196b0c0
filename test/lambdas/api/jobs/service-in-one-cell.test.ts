import { expect, test } from 'vitest';
import { cellEdgesMax } from '../../../../core/model/limits.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createApiStage } from '../api-stage.ts';
import { submitJob } from '../working-edge.ts';

test('of a service that its cell has no room for it is said that other cells are not for it', async () => {
  const api = createApiStage(createMemoryStores());
  // As many as fill a cell, and two in the next one.
  for (let at = 0; at < cellEdgesMax + 2; at++) {
    const body = { name: `edge-${at}`, capacity: { power: 10 } };
    expect((await api.request('POST', '/v1/edges', { body })).status).toBe(201);
  }
  await api.settle();
  const run = { simulate: {} };
  const requires = { labels: { site: 'nowhere' } };
  const body = { kind: 'service', chunks: 3, chunkPower: 10, run, requires };
  const service = await submitJob(api, body);
  const batch = await submitJob(api, { chunks: 3, chunkPower: 10, requires });
  const reasonsOf = async (job: string) => {
    return (await api.request('GET', `/v1/jobs/${job}/explain`)).json.reasons;
  };
  const { items } = (await api.request('GET', '/v1/edges?limit=500')).json;
  const cells = new Set(items.map((it: { cell: string }) => it.cell));
  expect(cells.size).toBe(2);
  const [reason] = await reasonsOf(service);
  expect(reason.chunks).toBe(3);
  expect(reason.detail).toMatch(
    /a service stays in one cell of its pool, and \d+ edges are in oth/,
  );
  expect((await reasonsOf(batch))[0].detail).not.toContain('one cell');
});
