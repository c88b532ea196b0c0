import { beforeAll, describe, expect, test } from 'vitest';
import { simulatedStores } from '../../../contract/simulated-stores.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge, makeToken, submitJob } from '../working-edge.ts';

/** Figures: whose they are, and that they do not fall. */
let api: ApiStage;

beforeAll(async () => {
  api = createApiStage(simulatedStores());
});

describe('the totals of an edge', () => {
  test('are of all its jobs, those that were purged too, and never fall', async () => {
    const edge = await enrolEdge(api, 'busy');
    const totals = async () => (await api.request('GET', '/v1/edges/busy')).json.totals;
    expect(await totals()).toEqual({ chunksDone: 0, powerServed: 0 });
    const [first, second] = [
      await submitJob(api, { power: 100, chunks: 2 }),
      await submitJob(api, { power: 60, chunks: 2 }),
    ];
    await edge.report({ w: { [first]: { d: '0-1' }, [second]: { d: '0' } } });
    expect(await totals()).toEqual({ chunksDone: 3, powerServed: 130 });
    expect((await api.request('DELETE', `/v1/jobs/${first}?purge=true`)).status).toBe(204);
    await edge.report({ w: { [second]: { d: '0-1' } } });
    expect(await totals()).toEqual({ chunksDone: 4, powerServed: 160 });
    const query = '{ edge(name: "busy") { totals { chunksDone powerServed } } }';
    const graph = await api.request('POST', '/graphql', { body: { query } });
    expect(graph.json.data.edge.totals).toEqual(await totals());
  });
});

describe('the figures of the fleet', () => {
  test('for a token of one queue are of its jobs alone', async () => {
    for (const queue of ['day', 'night', 'night']) {
      await submitJob(api, { chunks: 1, queue, pool: queue === 'day' ? 'default' : 'dark' });
    }
    const token = await makeToken(api, { queue: 'night' });
    const { json } = await api.request('GET', '/v1/stats', { token });
    expect(json.jobs.total).toBe(2);
    for (const part of ['chunks', 'edges', 'power', 'rates']) {
      expect(new Set(Object.values(json[part])), part).toEqual(new Set([0]));
    }
    expect(json.cells).toEqual([]);
    const dark = await makeToken(api, { queue: 'day', pool: 'dark' });
    expect((await api.request('GET', '/v1/stats', { token: dark })).json).toMatchObject({
      jobs: { total: 0 },
      chunks: { total: 0 },
      cells: [],
    });
  });

  test('for a pool are of that pool alone, over REST and in the graph', async () => {
    const { json } = await api.request('GET', '/v1/stats?pool=dark');
    expect([json.jobs.total, json.edges.total, json.cells.length]).toEqual([2, 0, 1]);
    const query = '{ stats(pool: "dark") { jobs { total } edges { total } } }';
    const graph = await api.request('POST', '/graphql', { body: { query } });
    expect(graph.json.data.stats).toEqual({ jobs: { total: 2 }, edges: { total: 0 } });
    expect((await api.request('GET', '/v1/stats?pool=NO')).status).toBe(400);
    const token = await makeToken(api, { pool: 'default' });
    expect((await api.request('GET', '/v1/stats?pool=dark', { token })).status).toBe(403);
  });
});
