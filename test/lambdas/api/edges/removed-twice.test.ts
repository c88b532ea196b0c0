import { expect, test } from 'vitest';
import { pointerKey } from '../../../../adapters/dynamodb/keys.ts';
import { cellIdOf, edgeNameOf } from '../../../../core/model/names.ts';
import { continueRemoval } from '../../../../lambdas/workers/edge-removal/continue-removal.ts';
import { runPass } from '../../../../lambdas/workers/schedule/run-pass.ts';
import { createTableStores } from '../../../contract/table-stores.ts';
import { SimulatedTable, tableThrough } from '../../../sim/table/simulated-table.ts';
import { createQuietLog } from '../../quiet-log.ts';
import { createApiStage } from '../api-stage.ts';
import { enrolEdge } from '../working-edge.ts';

/**
 * Messages come twice, and a name is free as soon as its edge is gone: whoever is late with the end
 * of the edge that had the name must not end the one that has it now.
 */
const cell = cellIdOf('default.0');
const edge = edgeNameOf('edge-1');

/** An edge that has left its cell, and whose name and certificate are about to go. */
async function makeStage() {
  const sim = new SimulatedTable(() => undefined);
  const table = tableThrough(sim, async (_, operation) => operation());
  const api = createApiStage(createTableStores(table));
  await enrolEdge(api, edge);
  await api.request('DELETE', `/v1/edges/${edge}`);
  const { cells: store, rollups: rates } = api.stores;
  const { work: shadows, timers } = api.services;
  const deps = { store, shadows, timers, rates, clock: { nowMs: Date.now }, log: createQuietLog() };
  for (let passes = 0; passes < 3; passes++) await runPass(deps, cell);
  expect((await api.stores.cells.load(cell))?.edges.size).toBe(0);
  return { api, table };
}

type Stage = Awaited<ReturnType<typeof makeStage>>['api'];

const removalsOf = ({ stores, services }: Stage) => ({
  edges: stores.edges,
  clusters: stores.clusters,
  graphs: services.graphs,
  iot: services.controlPlane,
  removals: services.removals,
});

test('of two that end one edge the late one touches nothing of its successor', async () => {
  const { api } = await makeStage();
  const deps = removalsOf(api);
  const removed: string[] = [];
  const iot = {
    ...deps.iot,
    remove: async (name: typeof edge, certificate: string | null) => {
      removed.push(name);
      await deps.iot.remove(name, certificate);
    },
  };
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  // The late one has read which edge is to go, and is held up before it does anything about it.
  const edges = {
    ...deps.edges,
    load: async (...asked: Parameters<typeof deps.edges.load>) => {
      const found = await deps.edges.load(...asked);
      reached.resolve();
      await goOn.promise;
      return found;
    },
  };
  const late = continueRemoval({ ...deps, edges, iot }, { edge, tries: 1 }, Date.now());
  await reached.promise;
  await continueRemoval({ ...deps, iot }, { edge, tries: 1 }, Date.now());
  expect(removed).toEqual([edge]);
  const { secret } = await enrolEdge(api, edge);
  goOn.resolve();
  await late;
  expect(removed).toEqual([edge]);
  const shown = await api.request('GET', `/v1/edges/${edge}`);
  expect([shown.status, shown.json.removing]).toEqual([200, false]);
  expect((await api.request('GET', `/v1/edges/${edge}/work`, { token: secret })).status).toBe(200);
});

test('while one ends an edge its name is taken, and another looks again later', async () => {
  const { api } = await makeStage();
  const deps = removalsOf(api);
  const identity = (await deps.edges.identify(edge))!;
  expect(await deps.edges.claimEnd(identity, Date.now(), Date.now() + 60_000)).toBe(true);
  const again = await enrolEdge(api, edge).catch((error: unknown) => error);
  expect(again).toBeInstanceOf(Error);
  await continueRemoval(deps, { edge, tries: 1 }, Date.now());
  expect(await deps.edges.identify(edge)).not.toBeNull();
});

test.each(['later', 9e15, null])(
  'an edge whose end is claimed until %j is ended',
  async (until) => {
    const { api, table } = await makeStage();
    await table.update(pointerKey(edge), { set: { endingUntilMs: until } });
    await continueRemoval(removalsOf(api), { edge, tries: 1 }, Date.now());
    expect(await api.stores.edges.identify(edge)).toBeNull();
  },
);
