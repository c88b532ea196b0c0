import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeProduct, type Product } from '../product.ts';
import { type Ask, askOf, Cluster } from './cluster-program.ts';

/** Of all that poll for the same work each piece goes to one, whatever the real parts do. */
let product: Product;
let ask: Ask;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  ask = askOf(product);
});
afterAll(() => product.remove());

/** `ROUNDS=2` for a short look. */
const rounds = Number(process.env.ROUNDS ?? 20);
const batches = 2;
/** So many are taken in one request: two hundred offers in all. */
const batchSize = 100;

test('two pollers race for two hundred offers, again and again: each is accepted once', async () => {
  const admin = product.place.endpoints()!.token!;
  const racers = [
    await Cluster.register(ask, 'keebler', admin),
    await Cluster.register(ask, 'oreo', admin),
  ];
  const job = { pool: 'hpc', chunks: 1, requires: { edges: ['keebler', 'oreo'] } };
  const jobs = Array.from({ length: batchSize }, () => job);
  const submit = async (): Promise<string[]> => {
    const { status, json } = await ask(admin, 'POST', '/v1/jobs/batch', { jobs });
    expect(status, JSON.stringify(json)).toBe(202);
    return json.items.map(({ id }: { id: string }) => id);
  };
  let shared = 0;
  for (let round = 1; round <= rounds; round++) {
    const ids: string[] = [];
    for (let batch = 0; batch < batches; batch++) ids.push(...(await submit()));
    const before = racers.map(({ accepted }) => accepted.length);
    await Promise.all(racers.map((racer) => racer.drainAndFinish()));
    const taken = racers.map(({ accepted }, at) => accepted.slice(before[at]));
    expect(taken.flat().sort(), `round ${round}`).toEqual(ids.sort());
    if (taken.every((own) => own.length > 0)) shared++;
    if (round < rounds) continue;
    for (const [at, edge] of ['keebler', 'oreo'].entries()) {
      for (const id of taken[at]!) {
        const { status } = await product.done(id);
        expect(status.executions?.map((it) => it.edge)).toEqual([edge]);
      }
    }
  }
  // A race that one of them always wins alone is none.
  expect(shared).toBeGreaterThanOrEqual(rounds / 2);
}, 560_000);
