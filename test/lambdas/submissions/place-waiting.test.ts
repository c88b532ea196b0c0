import { beforeEach, expect, test } from 'vitest';
import { createPoolCells } from '../../../adapters/dynamodb/fleet/pool-cells.ts';
import { submissionsPlacedMax } from '../../../core/contract/jobspec/limits.ts';
import { chooseFor } from '../../../lambdas/api/jobspecs/choose-again.ts';
import { continueSubmissions } from '../../../lambdas/submissions/continue-submissions.ts';
import { type PlaceDeps, placeWaiting } from '../../../lambdas/submissions/place-waiting.ts';
import type { Stores } from '../../contract/stored-ports.ts';
import { sample } from '../../core/graph/graph-fixture.ts';
import { createMemoryStores } from '../../memory/stores.ts';
import { type ApiStage, createApiStage } from '../api/api-stage.ts';
import { createQuietLog } from '../quiet-log.ts';
import { addHost } from './add-host.ts';

/** A jobspec that nobody can run waits, and goes to whoever comes and has what it needs. */
let stores: Stores;
let nowMs = 1_800_000_000_000;
let api: ApiStage;
beforeEach(() => {
  stores = createMemoryStores();
  api = createApiStage(stores, { clock: { nowMs: () => nowMs } });
});

const deps = (more: Partial<PlaceDeps> = {}): PlaceDeps => ({
  submissions: stores.submissions,
  choose: (submission, atMs) => chooseFor(submission, atMs, stores),
  log: createQuietLog(),
  ...more,
});

async function turn(more: Partial<PlaceDeps> = {}): Promise<number> {
  nowMs += 1_000;
  const placed = await placeWaiting(nowMs, deps(more));
  const cells = createPoolCells(stores.pools, { withEdges: 0, withoutEdges: 0 });
  await continueSubmissions(nowMs, { ...stores, cells, log: createQuietLog() });
  await api.settle();
  return placed;
}

const requires = [{ name: 'io', field: 'type', match: 'mtl3unit' }];
const jobspecOf = (more: object = {}) => ({
  version: 1,
  resources: { r: { type: 'node', count: 1, with: [{ type: 'core', count: 4 }], ...more } },
  tasks: [
    { name: 'build', command: 'true', resources: 'r' },
    { name: 'run', command: 'true', resources: 'r', depends_on: ['build'] },
  ],
});
async function submit(jobspec: object, more: object = {}): Promise<string> {
  const body = { jobspec, unsatisfied: 'wait', ...more };
  const { status, json, text } = await api.request('POST', '/v1/jobspecs', { body });
  expect([status, json.cluster], text).toEqual([202, null]);
  return json.id;
}
const read = async (id: string) => (await api.request('GET', `/v1/jobspecs/${id}`)).json;
const jobs = async () => (await api.request('GET', '/v1/jobs')).json.items;
const addCluster = (name: string, more: object = {}) =>
  api.request('POST', '/v1/edges', { body: { name, nodes: sample('cluster-nodes'), ...more } });

test('it has no jobs while it waits, and all of them when a cluster is there', async () => {
  const id = await submit(jobspecOf());
  expect((await read(id)).status).toMatchObject({ state: 'waiting', reason: 'no-cluster-matches' });
  expect(await jobs()).toEqual([]);
  expect(await turn()).toBe(0);
  await addCluster('keebler');
  expect(await turn()).toBe(1);
  const found = await read(id);
  expect(found).toMatchObject({ cluster: 'keebler', selection: { cluster: 'keebler' } });
  expect(found.status.reason).toBeNull();
  const made = await jobs();
  expect(made.length).toBe(2);
  for (const { spec } of made) expect(spec.requires.edges).toEqual(['keebler']);
  const { json } = await api.request('GET', `/v1/jobs/${found.jobs[0].job}/events`);
  const assigned = json.items.find((it: { kind: string }) => it.kind === 'assigned');
  expect(Date.parse(assigned.at)).toBe(nowMs);
  expect(await turn()).toBe(0);
  expect((await jobs()).length).toBe(2);
});

test('a cluster that changes is asked again: what it has besides, and what it says', async () => {
  await addCluster('keebler');
  const waits = await submit(jobspecOf({ requires }));
  expect(await turn()).toBe(0);
  const io = { body: sample('cluster-io-subsystem') };
  await api.request('PUT', '/v1/edges/keebler/subsystems/io', io);
  expect(await turn()).toBe(1);
  expect((await read(waits)).cluster).toBe('keebler');
});

test('hosts that come are a place as well, and tasks that wait for each other stay together', async () => {
  const id = await submit(jobspecOf());
  await addHost(api, 'small', { power: 250, cores: 2 });
  expect(await turn()).toBe(0);
  await addHost(api, 'large', { power: 250, cores: 8 });
  expect(await turn()).toBe(1);
  expect((await read(id)).cluster).toBe('default');
  for (const { spec } of await jobs()) expect(spec.requires.edges).toEqual(['large']);
});

test('more nodes than hosts could give each other wait for a cluster that has them', async () => {
  const id = await submit(jobspecOf({ count: 64 }));
  await addHost(api, 'host', { power: 250, cores: 8 });
  expect(await turn()).toBe(0);
  await addCluster('frontier', { nodes: { limits: { nodes: 64, coresPerNode: 4 } } });
  expect(await turn()).toBe(1);
  expect((await read(id)).cluster).toBe('frontier');
  for (const { spec } of await jobs()) {
    expect(spec).toMatchObject({ chunks: 1, resources: { nodes: 64, cores: 256 } });
  }
});

test('only those that it names are asked', async () => {
  await addCluster('oreo', { nodes: { limits: { nodes: 1, coresPerNode: 1 } } });
  const id = await submit(jobspecOf(), { clusters: ['oreo'] });
  await addCluster('keebler');
  expect(await turn()).toBe(0);
  await api.request('PUT', '/v1/edges/oreo/nodes', { body: sample('cluster-nodes') });
  expect(await turn()).toBe(1);
  expect((await read(id)).cluster).toBe('oreo');
});

test('one that was cancelled is placed no more, and can be removed', async () => {
  const id = await submit(jobspecOf());
  const cancelled = await api.request('DELETE', `/v1/jobspecs/${id}`);
  expect(cancelled.json.status).toMatchObject({ state: 'cancelled', tasks: { cancelled: 2 } });
  await addCluster('keebler');
  expect(await turn()).toBe(0);
  expect(await jobs()).toEqual([]);
  expect((await api.request('DELETE', `/v1/jobspecs/${id}?purge=true`)).status).toBe(204);
});

test('of a choice and a cancel at the same time one holds', async () => {
  const id = await submit(jobspecOf());
  await addCluster('keebler');
  const choose: PlaceDeps['choose'] = async (submission, atMs) => {
    const choice = await chooseFor(submission, atMs, stores);
    await api.request('DELETE', `/v1/jobspecs/${id}`);
    return choice;
  };
  expect(await turn({ choose })).toBe(0);
  expect((await read(id)).status.state).toBe('cancelled');
  expect(await jobs()).toEqual([]);
});

test('whoever dies between the choice and the jobs leaves both for the next', async () => {
  const id = await submit(jobspecOf());
  await addCluster('keebler');
  nowMs += 60_000;
  expect(await placeWaiting(nowMs, deps())).toBe(1);
  expect(await jobs()).toEqual([]);
  await turn();
  expect((await jobs()).length).toBe(2);
  expect((await read(id)).status.state).not.toBe('failed');
});

test('a line that is longer than one turn is gone through, whoever fails in it', async () => {
  const ids: string[] = [];
  for (let at = 0; at <= submissionsPlacedMax; at++) {
    nowMs += 1;
    ids.push(await submit(jobspecOf({ count: 30 })));
  }
  nowMs += 1;
  const last = await submit(jobspecOf());
  await addCluster('keebler');
  const choose: PlaceDeps['choose'] = (submission, atMs) => {
    if (submission.id === ids[0]) throw new Error('cannot be read');
    return chooseFor(submission, atMs, stores);
  };
  expect(await turn({ choose })).toBe(0);
  expect(await turn({ choose })).toBe(1);
  expect((await read(last)).cluster).toBe('keebler');
});
