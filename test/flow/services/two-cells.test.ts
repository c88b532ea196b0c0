import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Chunk, Job } from '../../../core/contract/resources.ts';
import { cellEdgesMax, tickEveryMs } from '../../../core/model/limits.ts';
import { seatsPerCell } from '../../../core/services/limits.ts';
import { makeProduct, type Product } from '../product.ts';
import { askApi, until } from '../start/stage.ts';
import { isReady, runIn } from './two-edges.ts';

/** More edges than one cell has: a job that runs everywhere comes to the others, and is one job. */
const beyond = 10;
const all = cellEdgesMax + beyond;

let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  startEdges('first', cellEdgesMax - 10);
  await product.untilConnected(cellEdgesMax - 10);
});
afterAll(() => product?.remove());

function startEdges(name: string, count: number): void {
  product.startAgent(name, '--count', String(count), '--quiet');
}

const often = { chunkPower: 1, ready: { afterSeconds: 0 }, run: { simulate: {} } };
const update = { maxUnavailable: 50, minReadySeconds: 0 };
const web = { kind: 'everywhere', name: 'web', ...often, update };

const change = (id: string, body: object) =>
  askApi<Job>(product.place, `/v1/jobs/${id}`, { method: 'PUT', body: JSON.stringify(body) });

async function numbers(id: string): Promise<number[]> {
  return (await product.chunks(id)).map(({ chunk }) => chunk).sort((a, b) => a - b);
}

test('edges of a cell that opens later get theirs, and an update goes through both', {
  timeout: 300_000,
}, async () => {
  const { id } = await product.submit(web);
  await product.jobWhen(id, 'in one cell', isReady(cellEdgesMax - 10));
  startEdges('more', 10 + beyond);
  await product.untilConnected(all);
  await product.jobWhen(id, 'in both cells', isReady(all), 2 * tickEveryMs);
  const given = await numbers(id);
  expect(new Set(given).size).toBe(all);
  expect(given.filter((number) => number >= seatsPerCell)).toHaveLength(beyond);

  expect(await change(id, { ...web, stopGraceSeconds: 5 })).toMatchObject({ generation: 2 });
  const { status } = await product.jobWhen(id, 'rolled out', ({ status: now }) => {
    const { generation, rollout, ready } = now.service!;
    return generation === 2 && rollout !== 'moving' && ready === all;
  });
  expect(status.service).toMatchObject({ rollout: 'done', updated: all, wanted: all });
  expect(await numbers(id)).toEqual(given);

  // What is bad is seen in the cell that is first to go, and the other one never runs it.
  const bad = { ...web, run: { process: { argv: ['false'] } } };
  const few = { maxUnavailable: 2, minReadySeconds: 2 };
  expect(await change(id, { ...bad, update: few })).toMatchObject({ generation: 3 });
  const { status: back } = await product.jobWhen(id, 'taken back', ({ status: now }) => {
    return now.service!.rollout === 'rolled-back' && now.service!.ready === all;
  });
  expect(back.service).toMatchObject({ generation: 2, updated: all });
  expect(await numbers(id)).toEqual(given);
  const cells = Map.groupBy(await product.chunks(id), ({ chunk }) => chunk >= seatsPerCell);
  const untouched = [...cells.values()].filter((it) => it.every(({ restarts }) => restarts === 1));
  expect(untouched).toHaveLength(1);

  // One of the other cell is named as any other is.
  const one = `/v1/jobs/${id}/chunks/${given.at(-1)}`;
  const before = await askApi<Chunk>(product.place, one);
  expect(before).toMatchObject({ state: 'running', ready: true });
  await askApi(product.place, one, { method: 'DELETE' });
  await until('it has started again', async () => {
    const { restarts, ready } = await askApi<Chunk>(product.place, one);
    return restarts! > before.restarts! && ready;
  });

  // Nothing of it stays, wherever it was.
  await askApi(product.place, `/v1/jobs/${id}`, { method: 'DELETE' });
  await product.jobWhen(id, 'deleted', ({ status: now }) => now.state === 'cancelled');
});

test('a job that runs once on each edge of now is done when both cells are', {
  timeout: 120_000,
}, async () => {
  const run = { process: { argv: ['sh', '-c', 'echo "$EDGEWISE_CHUNK"'] } };
  const once = { ...often, run, keepOutput: 'all', restart: { policy: 'never' } };
  const { id } = await product.submit({ kind: 'everywhere', ...once, until: 'all-now' });
  const { status } = await product.done(id);
  expect(status.chunks).toMatchObject({ total: all, done: all });
  const last = (await numbers(id)).at(-1)!;
  expect(last).toBeGreaterThanOrEqual(seatsPerCell);
  const printed = await runIn(product, ['job', 'logs', id, String(last)]);
  expect(printed).toMatchObject({ code: 0, out: `${last}\n` });
});
