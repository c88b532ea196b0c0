import { expect, test } from 'vitest';
import {
  edgeFactsKey,
  edgeKey,
  executionKey,
  factsKey,
  type Key,
  pointerKey,
  reportKey,
  seenKey,
  workKey,
} from '../../../../adapters/dynamodb/keys.ts';
import { cellIdOf, edgeNameOf, jobIdOf } from '../../../../core/model/names.ts';
import { continueRemoval } from '../../../../lambdas/workers/edge-removal/continue-removal.ts';
import { runPass } from '../../../../lambdas/workers/schedule/run-pass.ts';
import { createTableStores } from '../../../contract/table-stores.ts';
import { SimulatedTable, tableThrough } from '../../../sim/table/simulated-table.ts';
import { createQuietLog } from '../../quiet-log.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';
import { enrolEdge } from '../working-edge.ts';

/** An edge of which rows are damaged can always be removed by force, and leaves nothing behind. */
const cell = cellIdOf('default.0');
const [edge, other] = [edgeNameOf('edge-1'), edgeNameOf('edge-2')];
const job = jobIdOf('job-1');

type Damage = readonly [key: Key, attributes: Record<string, unknown>];
const work: Damage = [workKey(cell, edge), { leases: 'x' }];
const damages: readonly (readonly [name: string, damage: readonly Damage[]])[] = [
  ['its settings', [[edgeKey(cell, edge), { capacity: 'x' }]]],
  ['the version of its settings', [[edgeKey(cell, edge), { version: 'nine' }]]],
  ['its settings, which are another thing', [[edgeKey(cell, edge), { removing: '{"force":7}' }]]],
  ['its facts', [[factsKey(cell, edge), { flat: '[]' }]]],
  ['all that it said of itself', [[edgeFactsKey(edge), { facts: '7' }]]],
  ['its report', [[reportKey(cell, edge), { prog: '{"e":"x"}' }]]],
  ['who connects', [[reportKey(cell, edge), { connected: 'perhaps' }]]],
  ['its last contact', [[seenKey(cell, edge), { atMs: 'noon' }]]],
  ['its work', [work]],
  ['its work and what it held of the job', [work, [executionKey(job, edge), { chunks: '9-1' }]]],
  ['when it was enrolled', [[pointerKey(edge), { enrolledAtMs: 'once', keyHash: 7 }]]],
  ['when its removal began', [[pointerKey(edge), { removingSinceMs: 'then' }]]],
  [
    'several of its rows',
    [work, [edgeKey(cell, edge), { drain: '1' }], [factsKey(cell, edge), { labels: '1' }]],
  ],
];

type Stage = { readonly api: ApiStage; readonly sim: SimulatedTable; pass(): Promise<void> };

/** Two edges, one of which holds chunks of a job. */
async function makeStage(): Promise<Stage> {
  const sim = new SimulatedTable(() => undefined);
  const table = tableThrough(sim, async (_, operation) => operation());
  const api = createApiStage(createTableStores({ ...table, reportUnreadable: () => undefined }));
  const { cells: store, rollups: rates } = api.stores;
  const { work: shadows, timers } = api.services;
  const clock = { nowMs: Date.now };
  const pass = async () => {
    await runPass({ store, shadows, timers, rates, clock, log: createQuietLog() }, cell);
  };
  return { api, sim, pass };
}

function held({ sim }: Stage, name: typeof edge): string {
  const row = sim.get(workKey(cell, name)) as { leases?: string } | null;
  return JSON.parse(row?.leases ?? '{}')[job]?.r ?? '';
}

test.each(damages)('an edge goes by force although nobody can read %s', async (_, damage) => {
  const stage = await makeStage();
  const { api, sim, pass } = stage;
  const first = await enrolEdge(api, edge);
  const put = { chunkPower: 100, chunks: 2 };
  expect((await api.request('PUT', `/v1/jobs/${job}`, { body: put })).status).toBe(202);
  await api.settle();
  expect(held(stage, edge)).toBe('0-1');
  await enrolEdge(api, other);
  for (const [key, attributes] of damage) {
    sim.write({ kind: 'put', row: { ...sim.get(key), ...key, ...attributes } });
  }
  await pass();
  expect(held(stage, other), 'what it holds is its own').toBe('');
  const shown = await api.request('GET', `/v1/edges/${edge}`);
  expect(shown.status).toBe(200);
  expect(shown.json.reason).toContain(damage.length === 1 ? damage[0]![0].sk : 'cannot be read');

  const removed = await api.request('DELETE', `/v1/edges/${edge}?force=true`);
  expect([removed.status, removed.json.removing], removed.text).toEqual([202, true]);
  const late = { token: first.secret, body: { b: 'boot', e: 1, n: 50, f: 0, w: {} } };
  expect((await api.request('POST', `/v1/edges/${edge}/report`, late)).status).toBe(401);
  for (let passes = 0; passes < 3; passes++) await pass();
  const { edges, clusters } = api.stores;
  const { controlPlane: iot, removals, graphs } = api.services;
  const deps = { edges, clusters, graphs, iot, removals };
  await continueRemoval(deps, { edge, tries: 1 }, Date.now());

  expect((await api.request('GET', `/v1/edges/${edge}`)).status).toBe(404);
  const rows = sim.partitionsOf('').flatMap((pk) => [...sim.partition(pk).values()]);
  const left = rows.filter(
    ({ pk, sk }) => `${pk} ${sk}`.includes(edge) && !/^(JOB|AUDIT)#/.test(pk),
  );
  expect(left.map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);
  await enrolEdge(api, edge);
  const again = damage.some(([key]) => key.pk.startsWith('JOB#'));
  if (!again) expect(held(stage, other), 'and others run what it held').toBe('0-1');
});

test('settings that cannot be read are changed by nothing less', async () => {
  const { api, sim } = await makeStage();
  await enrolEdge(api, edge);
  const row = { ...sim.get(edgeKey(cell, edge)), ...edgeKey(cell, edge), labels: 'x' };
  sim.write({ kind: 'put', row });
  const drained = await api.request('DELETE', `/v1/edges/${edge}`);
  expect([drained.status, drained.json.code]).toEqual([409, 'conflict']);
  expect(sim.get(edgeKey(cell, edge))).toEqual(row);
});

test('an edge whose secrets cannot be read stays: nobody could say that it is shut out', async () => {
  const { api, sim } = await makeStage();
  await enrolEdge(api, edge);
  const row = { ...sim.get(pointerKey(edge)), ...pointerKey(edge), credentials: 7 };
  sim.write({ kind: 'put', row });
  const removed = await api.request('DELETE', `/v1/edges/${edge}?force=true`);
  expect(removed.status).toBe(404);
  expect(sim.get(edgeKey(cell, edge))).not.toBeNull();
});
