import { expect, test } from 'vitest';
import { createTableStores } from '../../../contract/table-stores.ts';
import { SimulatedTable, tableThrough } from '../../../sim/table/simulated-table.ts';
import { createApiStage } from '../api-stage.ts';
import { enrolEdge, submitJob } from '../working-edge.ts';

/**
 * A user retries a job whose last open chunk ends at that moment, before each single operation that
 * the request does on the table.
 */
async function retryWhileItEnds(operation: number) {
  const sim = new SimulatedTable(() => undefined);
  let before: () => Promise<void> = () => Promise.resolve();
  const table = tableThrough(sim, async (_, run) => {
    await before();
    return run();
  });
  const api = createApiStage(createTableStores(table));
  const edge = await enrolEdge(api, 'edge-1');
  const id = await submitJob(api, { chunks: 2, chunkPower: 50, retries: { attempts: 1 } });
  await edge.report({ w: { [id]: { d: '', x: { 1: 1 }, a: '0' } } });
  let done = 0;
  before = async () => {
    if (++done !== operation) return;
    before = () => Promise.resolve();
    await edge.report({ w: { [id]: { d: '0' } } });
    await edge.report();
  };
  const { status } = await api.request('POST', `/v1/jobs/${id}/retry`);
  const isReached = done >= operation;
  before = () => Promise.resolve();
  await api.settle();
  const work = (await api.request('GET', '/v1/edges/edge-1/work', { token: edge.secret })).json;
  const attempts = work.w[id] === undefined ? null : { t: work.w[id].t };
  await edge.report({ w: { [id]: { d: '0-1', ...attempts } } });
  await edge.report();
  const job = (await api.request('GET', `/v1/jobs/${id}`)).json;
  return { isReached, status, job: job.status };
}

test('a retry while the last chunk ends loses nothing, whenever it ends', async () => {
  const statuses = new Set<number>();
  for (let operation = 1; ; operation++) {
    const { isReached, status, job } = await retryWhileItEnds(operation);
    if (!isReached) {
      expect(operation).toBeGreaterThan(5);
      break;
    }
    statuses.add(status);
    expect([job.state, job.chunks.done], `ended before operation ${operation}`).toEqual([
      'done',
      2,
    ]);
  }
  expect([...statuses]).toEqual([202]);
});
