import { expect, test } from 'vitest';
import type { WorkJson } from '../../../../core/protocol/work.ts';
import { createBusyCells } from '../../../../lambdas/workers/schedule/busy-cells.ts';
import type { ShortPassDeps } from '../../../../lambdas/workers/schedule/short-pass.ts';
import type { Stores } from '../../../contract/stored-ports.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { createQuietLog } from '../../quiet-log.ts';
import { createApiStage } from '../api-stage.ts';
import { enrolEdge } from '../working-edge.ts';

/** A submit that places: `POST /v1/jobs` where the function may run passes. */
function stage(over: { store?: Partial<Stores['cells']>; write?: () => void } = {}) {
  const stores = createMemoryStores();
  const documents: [string, WorkJson][] = [];
  const looks: number[] = [];
  const log = createQuietLog();
  const placing: ShortPassDeps = {
    store: { ...stores.cells, ...over.store },
    shadows: {
      async write(edge, work) {
        over.write?.();
        documents.push([edge, work]);
      },
    },
    timers: {
      async lookAgain(_, atMs) {
        looks.push(atMs);
      },
    },
    clock: { nowMs: Date.now },
    log,
    rates: { countProgress: async () => {} },
    busy: createBusyCells(60_000),
  };
  return { api: createApiStage(stores, { placing }), documents, looks, log };
}

const body = { chunks: 1, run: { simulate: { seconds: 1 } } };

test('a job for a quiet cell is answered scheduled, and its edge has the work', async () => {
  const { api, documents } = stage();
  await enrolEdge(api, 'worker');
  await api.settle();
  const { status, json } = await api.request('POST', '/v1/jobs', { body });
  expect(status).toBe(202);
  expect(json.status).toMatchObject({ state: 'scheduled', chunks: { scheduled: 1, pending: 0 } });
  expect(json.status.executions).toMatchObject([{ edge: 'worker', chunks: '0' }]);
  expect(documents.map(([edge, { w }]) => [edge, Object.keys(w)])).toEqual([['worker', [json.id]]]);
  const found = await api.request('GET', `/v1/jobs/${json.id}`);
  expect(found.json).toEqual(json);
});

test('the same key gets the answer of the job that was placed', async () => {
  const { api } = stage();
  await enrolEdge(api, 'worker');
  await api.settle();
  const request = { body, headers: { 'idempotency-key': 'once' } };
  const first = await api.request('POST', '/v1/jobs', request);
  const again = await api.request('POST', '/v1/jobs', request);
  expect(first.json.status.state).toBe('scheduled');
  expect(again.json).toEqual(first.json);
  const { json } = await api.request('GET', '/v1/jobs');
  expect(json.items).toHaveLength(1);
});

test('an id that is taken is not placed over', async () => {
  const { api, documents } = stage();
  await enrolEdge(api, 'worker');
  await api.settle();
  expect((await api.request('PUT', '/v1/jobs/chosen', { body })).status).toBe(202);
  const headers = { 'if-none-match': '*' };
  expect((await api.request('PUT', '/v1/jobs/chosen', { body, headers })).status).toBe(412);
  expect(documents).toHaveLength(1);
});

test('who loses the race stores the job for the pass of the stream, and writes to no edge', async () => {
  const { api, documents } = stage({
    store: {
      async load(id) {
        const cell = await api.stores.cells.load(id);
        if (cell === null) return null;
        return { ...cell, meta: { ...cell.meta, version: cell.meta.version - 1 } };
      },
    },
  });
  await enrolEdge(api, 'worker');
  await api.settle();
  const { status, json } = await api.request('POST', '/v1/jobs', { body });
  expect([status, json.status.state]).toEqual([202, 'pending']);
  expect(documents).toEqual([]);
  await api.settle();
  const found = await api.request('GET', `/v1/jobs/${json.id}`);
  expect(found.json.status.state).toBe('scheduled');
});

test('a cell that was found busy is not read again at once', async () => {
  let loads = 0;
  const { api } = stage({
    store: {
      async load() {
        loads++;
        return null;
      },
    },
  });
  await enrolEdge(api, 'worker');
  await api.settle();
  for (let count = 0; count < 3; count++) await api.request('POST', '/v1/jobs', { body });
  expect(loads).toBe(1);
});

test('an edge that cannot be written to fails nobody: the job is stored, and looked after', async () => {
  const { api, log, looks } = stage({
    write: () => {
      throw new Error('no shadow today');
    },
  });
  await enrolEdge(api, 'worker');
  await api.settle();
  const { status, json } = await api.request('POST', '/v1/jobs', { body });
  expect([status, json.status.state]).toEqual([202, 'scheduled']);
  expect(log.lines).toMatchObject([{ level: 'warn' }, { level: 'info' }]);
  expect(looks).toHaveLength(1);
});
