import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../core/contract/resources.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, until } from '../start/stage.ts';
import { isReady, runIn } from './two-edges.ts';

/** One instance on each of a hundred edges, while some join, leave, are cordoned and updated. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  startEdges('first', 100);
  await product.untilConnected(100);
});
afterAll(() => product?.remove());

function startEdges(name: string, count: number): void {
  product.startAgent(name, '--count', String(count), '--quiet');
}

const client = (...words: string[]) => runIn(product, words);

async function seats(id: string): Promise<Map<string, number>> {
  return new Map((await product.chunks(id)).map(({ edge, chunk }) => [edge ?? '', chunk]));
}

test('ten join, five leave: a hundred and five; cordoned, updated, and once on each', {
  timeout: 240_000,
}, async () => {
  const often = { chunkPower: 1, ready: { afterSeconds: 0 }, run: { simulate: {} } };
  const update = { maxUnavailable: 25, minReadySeconds: 0 };
  const web = { kind: 'everywhere', name: 'web', ...often, update };
  const { id } = await product.submit(web);
  await product.jobWhen(id, 'on a hundred edges', isReady(100));
  const before = await seats(id);
  expect(before.size).toBe(100);

  startEdges('more', 10);
  const gone = [3, 14, 15, 65, 92].map((number) => `first-${number}`);
  for (const edge of gone)
    expect(await client('edge', 'remove', edge, '--yes')).toMatchObject({ code: 0 });
  await until('ten have joined and five have left', async () => {
    const now = await seats(id);
    return now.size === 105 && gone.every((edge) => !now.has(edge));
  });
  await product.jobWhen(id, 'on a hundred and five', isReady(105));
  const after = await seats(id);
  expect(new Set(after.values()).size).toBe(105);
  // Whoever was there keeps its number.
  for (const [edge, number] of before) if (after.has(edge)) expect(after.get(edge)).toBe(number);

  // One that is cordoned keeps its instance, and gets nothing new.
  expect(await client('edge', 'cordon', 'first-7')).toMatchObject({ code: 0 });
  const once = { ...often, run: { simulate: { seconds: 0.1 } }, restart: { policy: 'never' } };
  const setup = await product.submit({ kind: 'everywhere', ...once, until: 'all-now' });
  const { status } = await product.done(setup.id);
  expect(status.chunks).toMatchObject({ total: 104, done: 104 });
  expect((await product.job(id)).status.service).toMatchObject({ wanted: 105, ready: 105 });
  expect(await client('edge', 'uncordon', 'first-7')).toMatchObject({ code: 0 });

  const next = await askApi<Job>(product.place, `/v1/jobs/${id}`, {
    method: 'PUT',
    body: JSON.stringify({ ...web, stopGraceSeconds: 5 }),
  });
  expect(next).toMatchObject({ generation: 2 });
  const { status: updated } = await product.jobWhen(id, 'rolled out', ({ status }) => {
    const { generation, rollout, ready } = status.service!;
    return generation === 2 && rollout !== 'moving' && ready === 105;
  });
  expect(updated.service).toMatchObject({ rollout: 'done', updated: 105 });
  expect(await seats(id)).toEqual(after);
});
