import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../core/contract/resources.ts';
import { makeProduct, type Product } from './product.ts';
import { killHard, until } from './start/stage.ts';

/**
 * Every part of the control plane may die in the middle of a job, without a word: the job goes on.
 */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('edge', '--count', '2');
  await product.untilConnected(2);
});
afterAll(() => product.remove());

/**
 * What a function held when it was killed is delivered again after the visibility timeout of its
 * queue, a minute; and that may happen to it twice.
 */
const redeliveredMs = 150_000;
const limit = { timeout: 2 * redeliveredMs };

const isHalfWay = ({ status }: Job): boolean =>
  status.chunks.done > 0 && status.chunks.done < status.chunks.total && status.chunks.running > 0;

const job = { chunks: 24, chunkPower: 100, run: { simulate: { seconds: 0.5 } } };

async function halfWay(): Promise<string> {
  const { id } = await product.submit(job);
  await product.jobWhen(id, 'half way', isHalfWay);
  return id;
}

async function finished(id: string): Promise<void> {
  const { status } = await product.done(id, redeliveredMs);
  expect(status).toMatchObject({ percent: 100, chunks: { total: 24, done: 24, dead: 0 } });
  const power = status.executions!.reduce((sum, execution) => sum + execution.power, 0);
  expect(power).toBe(2_400);
}

test('killed as a whole: the next start goes on', limit, async () => {
  const id = await halfWay();
  const token = product.place.endpoints()!.token;
  killHard(product.place.endpoints()!.pid!);
  await product.startCloud();
  expect(product.place.endpoints()!.token).toBe(token);
  await finished(id);
});

test('only its database is killed: it is started again', limit, async () => {
  const id = await halfWay();
  const database = product.place.pids().filter(({ line }) => /\/database\b/.test(line));
  expect(database.length).toBeGreaterThan(0);
  for (const { pid } of database) killHard(pid);
  await finished(id);
});

test('its functions are killed, all of them, three times', limit, async () => {
  const id = await halfWay();
  for (let round = 0; round < 3; round++) {
    const functions = await until('functions run', () => {
      const found = functionPids();
      return found.length > 0 ? found : null;
    });
    for (const pid of functions) killHard(pid);
    await until('they are gone', () => functionPids().every((pid) => !functions.includes(pid)));
  }
  await finished(id);
});

function functionPids(): number[] {
  return product.place
    .pids()
    .filter(({ line }) => line.includes('lambda/runtime/bootstrap.mjs'))
    .map(({ pid }) => pid);
}
