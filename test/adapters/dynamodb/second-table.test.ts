import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cellIdOf } from '../../../core/model/names.ts';
import { runPass } from '../../../lambdas/workers/schedule/run-pass.ts';
import { createTableStores } from '../../contract/table-stores.ts';
import { startMs } from '../../core/cell-fixture.ts';
import { createApiStage } from '../../lambdas/api/api-stage.ts';
import { createQuietLog } from '../../lambdas/quiet-log.ts';
import { SimulatedTable, tableThrough } from '../../sim/table/simulated-table.ts';
import { rowsOf } from './kept-rows.ts';

/** What the second of the tables of before holds is read, whole, by this code. */
const north = cellIdOf('default.0');

/** A row that cannot be read throws here. */
function stage() {
  const sim = new SimulatedTable(() => undefined);
  for (const row of rowsOf('second')) sim.write({ kind: 'put', row });
  const stores = createTableStores(tableThrough(sim, async (_, operation) => operation()));
  return { sim, stores, api: createApiStage(stores, { clock: { nowMs: () => startMs + 10 } }) };
}

test('the file has every kind of row that there is', () => {
  const now = readFileSync(join(import.meta.dirname, 'rows.golden.txt'), 'utf8');
  const kinds = new Set(rowsOf('second').map(({ pk, sk }) => kindOf(pk, sk)));
  expect(kinds.size).toBeGreaterThan(25);
  const stored = now.split('\n').filter((line) => /^\S/.test(line));
  expect(stored.length).toBeGreaterThanOrEqual(rowsOf('second').length);
});

function kindOf(pk: string, sk: string): string {
  return `${pk.split('#')[0]} ${sk.replace(/[#\d].*$/, '')}`;
}

test('its cells are read and scheduled', async () => {
  const { stores, api } = stage();
  const cell = await stores.cells.load(north);
  expect(cell?.unreadable).toBeUndefined();
  expect(cell?.jobs.size).toBeGreaterThan(0);
  expect(cell?.edges.size).toBeGreaterThan(0);
  const log = createQuietLog();
  const { work: shadows, timers } = api.services;
  const clock = { nowMs: () => startMs + 10 };
  const deps = { store: stores.cells, shadows, timers, clock, log, rates: stores.rollups };
  expect(await runPass(deps, north)).toBe('settled');
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test.each([
  '/v1/stats',
  '/v1/edges',
  '/v1/edges/edge-1',
  '/v1/edges/edge-1/jobs',
  '/v1/jobs',
  '/v1/jobs/job-b',
  '/v1/jobs/job-b/executions',
  '/v1/jobs/job-b/chunks',
  '/v1/jobs/job-b/events',
  '/v1/jobs/job-b/explain',
  '/v1/pools',
  '/v1/queues',
  '/v1/tokens',
  '/v1/audit?since=2000-01-01T00:00:00Z',
])('GET %s answers from them', async (path) => {
  const { status, json } = await stage().api.request('GET', path);
  expect(status).toBe(200);
  if (json.items !== undefined) expect(json.items.length).toBeGreaterThan(0);
});
