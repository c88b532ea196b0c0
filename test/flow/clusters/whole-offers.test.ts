import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startClient } from '../cli/client.ts';
import { until } from '../start/stage.ts';
import { Cluster, type Said } from './cluster-program.ts';
import { killEverything } from './process-cluster.ts';
import { type RulesStage, startRules } from './rules-stage.ts';

/**
 * Jobspecs as offers, accepts that are repeated, what is only queued, results that come late, and
 * an agent that takes its work by itself: with a kill -9 of everything between the steps.
 */
let stage: RulesStage;
let amber: Cluster;
let basil: Cluster;
const secrets = new Map<string, string>();

beforeAll(async () => {
  stage = await startRules();
  const admin = stage.product.place.endpoints()!.token!;
  const ask: typeof stage.ask = async (token, method, path, body) => {
    const said = await stage.ask(token, method, path, body);
    if (path === '/v1/edges') secrets.set(said.json.edge.name, said.json.secret);
    return said;
  };
  amber = await Cluster.register(ask, 'amber', admin);
  basil = await Cluster.register(ask, 'basil', admin);
}, 120_000);
afterAll(() => stage.product.remove());

const at = (name: string): string => join(stage.product.place.directory, name);
const linesOf = (name: string): string[] =>
  existsSync(at(name)) ? readFileSync(at(name), 'utf8').trim().split('\n') : [];
const requires = { edges: ['amber', 'basil'] };
const submit = async (more: object = {}): Promise<string> =>
  (await stage.product.submit({ pool: 'hpc', chunks: 1, chunkPower: 1, requires, ...more })).id;
const offersOf = async (cluster: Cluster): Promise<Said['json'][]> =>
  (await cluster.ask('GET', '/offers')).json.items;
const stateOf = async (id: string) => (await stage.product.job(id)).status.state;

test('a jobspec is one offer with its document, taken once, and done in its order', async () => {
  const jobspec = {
    version: 1,
    name: 'weather',
    resources: { r: { type: 'node', count: 2, with: [{ type: 'core', count: 4 }] } },
    tasks: [
      { name: 'build', resources: 'r', command: ['make'] },
      { name: 'run', resources: 'r', command: ['run'], depends_on: ['build'], replicas: 2 },
    ],
  };
  const body = { jobspec, clusters: ['amber'], labels: { team: 'storms' } };
  const { id, jobs } = await stage.expecting(202, 'POST', '/v1/jobspecs?pool=hpc', body);
  await until('it is offered', async () => (await amber.offered()).includes(id));
  expect(await offersOf(amber)).toMatchObject([
    { id, kind: 'jobspec', cluster: 'amber', name: 'weather', chunks: null, tasks: 2, jobspec },
  ]);
  expect(await basil.offered()).toEqual([]);
  expect([await amber.offered('?label=team=storms'), await amber.offered('?maxNodes=1')]).toEqual([
    [id],
    [],
  ]);
  const figures = (await amber.ask('GET', '/offers?summary=true')).json;
  expect([figures.total, Date.parse(figures.oldestAt) > 0]).toEqual([1, true]);
  const single = await amber.ask('POST', '/accept', { jobs: [jobs[0].job.id] });
  expect(single.json.refused).toMatchObject([{ reason: 'not-offered' }]);
  await stage.killAndStart([]);
  const both = await Promise.all([1, 2].map(() => amber.ask('POST', '/accept', { jobs: [id] })));
  expect(both.flatMap(({ json }) => json.accepted)).toEqual([id]);
  expect(await offersOf(amber)).toEqual([]);
  const state = async () => (await stage.expecting(200, 'GET', `/v1/jobspecs/${id}`)).status.state;
  const seen: string[][] = [];
  await until('it is done', async () => {
    const done = await amber.finish();
    if (done.length > 0) seen.push(done);
    return (await state()) === 'done';
  });
  expect(new Set(seen.flat())).toEqual(new Set(jobs.map(({ job }: Said['json']) => job.id)));
  expect(seen[0]).toEqual([jobs[0].job.id]);
}, 120_000);

test('with a key the same answer comes again, also after a kill; without one it is refused', async () => {
  const id = await submit();
  const accept = async (key: Record<string, string>) => {
    const headers = {
      authorization: `Bearer ${secrets.get('amber')}`,
      'content-type': 'application/json',
      ...key,
    };
    const { api } = stage.product.place.endpoints()!;
    const init = { method: 'POST', headers, body: JSON.stringify({ jobs: [id] }) };
    return (await fetch(`${api}/v1/edges/amber/accept`, init)).json() as Promise<Said['json']>;
  };
  await until('it is offered', async () => (await amber.offered()).includes(id));
  const key = { 'idempotency-key': 'once' };
  const first = await accept(key);
  expect(first.accepted).toEqual([id]);
  await stage.killAndStart([]);
  expect(await accept(key)).toEqual(first);
  expect((await accept({})).refused).toEqual([{ job: id, reason: 'already-accepted' }]);
  await amber.finish();
  await stage.product.done(id);
}, 120_000);

test('what failed is not offered before its time; what is only queued there is not lost', async () => {
  const job = { lostAfterSeconds: 5, requires: { edges: ['basil'] } };
  const retries = { attempts: 3, backoffSeconds: 3, maxFailedChunks: null };
  const id = await submit({ ...job, retries });
  let sequence = 0;
  const report = async (w: object, more: object = {}) => {
    const { json: work } = await basil.ask('GET', '/work');
    const body = { b: 'boot', e: work.e, n: ++sequence, f: 36, i: 1, w, ...more };
    expect((await basil.ask('POST', '/report', body)).status).toBe(202);
  };
  const isOffered = async (one: string) => (await basil.offered()).includes(one);
  await until('it is offered', () => isOffered(id));
  await basil.accept([id]);
  await report({ [id]: { x: { 0: 1 } } });
  const backsOff = async () => {
    const { waiting = [] } = (await stage.product.job(id)).status;
    return waiting.some(({ reason }) => reason === 'backoff');
  };
  await until('it backs off', backsOff);
  expect(await isOffered(id)).toBe(false);
  await until('it is offered again', () => isOffered(id));
  const silent = await submit(job);
  await until('both are offered', () => isOffered(silent));
  await basil.accept([id, silent]);
  await until('the one that no report shows is lost', async () => {
    await report({}, { q: [id] });
    return isOffered(silent);
  });
  expect(await isOffered(id)).toBe(false);
  await report({ [id]: { d: '0' } });
  await stage.product.done(id);
  await stage.expecting(202, 'DELETE', `/v1/jobs/${silent}`);
}, 120_000);

test('the first result counts, whoever has the job by then', async () => {
  const id = await submit({ lostAfterSeconds: 5 });
  await until('it is offered', async () => (await amber.offered()).includes(id));
  await amber.accept([id]);
  await until(
    'it is offered to the other',
    async () => (await basil.offered()).includes(id),
    90_000,
  );
  await basil.accept([id]);
  const { json: work } = await amber.ask('GET', '/work');
  const report = { b: 'boot', e: work.e, n: 5_000, f: 36, i: 5, w: { [id]: { d: '0' } } };
  expect((await amber.ask('POST', '/report', report)).status).toBe(202);
  const { status } = await stage.product.done(id);
  expect(status.chunks).toMatchObject({ total: 1, done: 1 });
}, 150_000);

test('an agent that takes its work by itself goes on with a sweep before the API is back', async () => {
  const { directory } = stage.product.place;
  const start = () => {
    const words = ['agent', '--name', 'dill', '--pool', 'farm', '--pull', '--every', '1s'];
    startClient(directory, [...words, '--quiet', '--data', at('dill')]);
  };
  start();
  await stage.product.untilConnected(1);
  const wait = `while [ ! -e "${at('gate')}" ]; do sleep 0.1; done`;
  const argv = [
    'sh',
    '-c',
    `echo {colour} >> "${at('begun')}"; ${wait}; echo {colour} >> "${at('ended')}"`,
  ];
  const colours = ['amber', 'blue', 'coral', 'dun'];
  const { id } = await stage.product.submit({
    pool: 'farm',
    params: { matrix: { colour: colours } },
    chunkPower: 1,
    run: { process: { argv } },
  });
  await until('some of it runs', () => linesOf('begun').length > 0);
  await killEverything(stage.product);
  writeFileSync(at('gate'), '');
  start();
  await until('it goes on', () => new Set(linesOf('ended')).size > 0);
  await stage.product.startCloud();
  expect((await stage.product.done(id, 120_000)).status.chunks).toMatchObject({
    total: 4,
    done: 4,
  });
  expect([...new Set(linesOf('ended'))].sort()).toEqual(colours);
  expect(await stateOf(id)).toBe('done');
}, 240_000);
