import { afterAll, beforeAll, expect, test } from 'vitest';
import { sample } from '../../core/graph/graph-fixture.ts';
import { makeProduct, type Product } from '../product.ts';
import { killHard, until } from '../start/stage.ts';
import { type Ask, askOf, Cluster } from './cluster-program.ts';

/** Clusters as programs of their owners run them, over HTTP and nothing else. */
let product: Product;
let ask: Ask;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  ask = askOf(product);
});
afterAll(() => product.remove());

const raced = 8;

test('registered, raced for, killed in the middle, done and deleted', async () => {
  const admin = product.place.endpoints()!.token!;
  const wanted = { name: 'registration', scopes: ['edges:enrol'], uses: 2 };
  const enrol = (await ask(admin, 'POST', '/v1/tokens', wanted)).json.secret;
  const keebler = await Cluster.register(ask, 'keebler', enrol);
  const oreo = await Cluster.register(ask, 'oreo', enrol);
  const state = { nodes_free: 3, 'cost per hour': 1.5, open: true };
  expect((await keebler.ask('PUT', '/state', state)).json.state).toEqual(state);
  expect((await keebler.ask('PUT', '/subsystems/io', sample('cluster-io-subsystem'))).status).toBe(
    201,
  );

  const hostname = { name: 'hostname', chunks: 4, run: { process: { argv: ['hostname'] } } };
  const mine = await ask(keebler.submitToken, 'POST', '/v1/jobs', hostname);
  expect([mine.status, mine.json.spec?.requires.edges]).toEqual([202, ['keebler']]);
  const elsewhere = { ...hostname, requires: { edges: ['oreo'] } };
  expect((await ask(keebler.submitToken, 'POST', '/v1/jobs', elsewhere)).status).toBe(403);
  const both = { pool: 'hpc', chunks: 1, requires: { edges: ['keebler', 'oreo'] } };
  const ids = [mine.json.id];
  for (let i = 0; i < raced; i++) ids.push((await product.submit(both)).id);
  expect(await keebler.offered('?waitSeconds=10')).toEqual(ids);
  expect(await oreo.offered()).toEqual(ids.slice(1));

  await Promise.all([keebler.drain(), keebler.drain(), oreo.drain(), oreo.drain()]);
  expect([...keebler.accepted, ...oreo.accepted].sort()).toEqual([...ids].sort());
  expect(keebler.accepted).toContain(mine.json.id);

  killHard(product.place.endpoints()!.pid!);
  await product.startCloud();
  expect((await keebler.ask('GET', '/state')).json.state).toEqual(state);
  expect((await keebler.ask('GET', '/nodes')).json).toEqual(sample('cluster-nodes'));
  expect((await keebler.ask('GET', '/subsystems')).json.items[0].name).toBe('io');
  await until('each has done what it accepted', async () => {
    await Promise.all([keebler.finish(), oreo.finish()]);
    const jobs = await Promise.all(ids.map((id) => product.job(id)));
    return jobs.every((job) => job.status.state === 'done');
  });
  const { status } = await product.job(mine.json.id);
  expect(status).toMatchObject({ percent: 100, chunks: { total: 4, done: 4 } });
  expect(status.executions?.map(({ edge }) => edge)).toEqual(['keebler']);

  expect((await oreo.ask('DELETE', '')).status).toBe(202);
  await until('it is gone', async () => (await ask(admin, 'GET', '/v1/edges/oreo')).status === 404);
  expect((await ask(oreo.submitToken, 'POST', '/v1/jobs', hostname)).status).toBe(401);
  expect((await keebler.ask('GET', '/offers')).status).toBe(200);
});
