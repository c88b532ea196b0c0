import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../cli/client/resources.ts';
import { makeProduct, type Product } from './product.ts';
import { askApi, killHard, until } from './start/stage.ts';

/** Every part may die at any moment, without a word: the work goes on and nothing of it counts twice. */
let product: Product;
beforeEach(async () => {
  product = await makeProduct();
  await product.startCloud();
});
afterEach(() => product.remove());

const isHalfWay = ({ status }: Job): boolean =>
  status.chunks.done > 0 && status.chunks.done < status.chunks.total && status.chunks.running > 0;

describe('an agent that is killed in the middle of a chunk', () => {
  test('comes back, and its downtime is no progress', async () => {
    const first = product.startAgent('edge-1');
    const chunkMs = 5_000;
    const { id } = await product.submit({
      chunks: 4,
      chunkPower: 125,
      run: { simulate: { seconds: chunkMs / 1_000 } },
    });
    const half = await product.jobWhen(id, 'half way', isHalfWay);
    const { done, running } = half.status.executions![0]!;
    const beganMs = performance.now();
    await killed(first.process.pid!, first.ended);
    // Longer than what was left of the chunks that were running.
    await new Promise((resolve) => setTimeout(resolve, chunkMs));
    expect(performance.now() - beganMs).toBeGreaterThan(chunkMs - 100);
    const restartMs = performance.now();
    product.startAgent('edge-1');
    const { status } = await product.done(id);
    // What had run before the kill was seen on its way; the rest had to be run after it.
    expect(performance.now() - restartMs).toBeGreaterThan(chunkMs / 2);
    expect({ done, running }).not.toEqual({ done: '', running: '' });
    expect(status).toMatchObject({ percent: 100, chunks: { total: 4, done: 4, dead: 0 } });
    expect(status.executions).toMatchObject([{ edge: 'edge-1', done: '0-3', percent: 100 }]);
    const edge = await askApi<{ totals: object }>(product.place, '/v1/edges/edge-1');
    expect(edge.totals).toMatchObject({ chunksDone: 4, powerServed: 500 });
    expect((await product.stats()).chunks).toMatchObject({ done: 4, running: 0 });
  });

  test('runs no chunk again that had ended', async () => {
    const first = product.startAgent('edge-1');
    const runs = join(product.place.directory, 'runs');
    const script = `sleep 0.4; echo $EDGEWISE_CHUNK >> ${runs}`;
    const { id } = await product.submit({
      chunks: 20,
      chunkPower: 100,
      run: { process: { argv: ['/bin/sh', '-c', script] } },
    });
    await product.jobWhen(id, 'half way', isHalfWay);
    await killed(first.process.pid!, first.ended);
    const ended = linesOf(runs);
    product.startAgent('edge-1');
    const { status } = await product.done(id);
    expect(status.chunks).toMatchObject({ total: 20, done: 20, dead: 0 });
    const all = linesOf(runs);
    expect(new Set(all).size).toBe(20);
    for (const chunk of ended) expect(all.filter((one) => one === chunk)).toEqual([chunk]);
  });
});

describe('the plane', () => {
  const job = { chunks: 24, chunkPower: 100, run: { simulate: { seconds: 0.5 } } };

  async function halfWay(): Promise<string> {
    product.startAgent('edge', '--count', '2');
    const { id } = await product.submit(job);
    await product.jobWhen(id, 'half way', isHalfWay);
    return id;
  }

  async function finished(id: string): Promise<void> {
    const { status } = await product.done(id);
    expect(status).toMatchObject({ percent: 100, chunks: { total: 24, done: 24, dead: 0 } });
    const power = status.executions!.reduce((sum, execution) => sum + execution.power, 0);
    expect(power).toBe(2_400);
  }

  test('killed as a whole: the next start goes on', async () => {
    const id = await halfWay();
    const token = product.place.endpoints()!.token;
    killHard(product.place.endpoints()!.pid!);
    await product.startCloud();
    expect(product.place.endpoints()!.token).toBe(token);
    await finished(id);
  });

  test('only its database is killed: it is started again', async () => {
    const id = await halfWay();
    const database = product.place.pids().filter(({ line }) => /database/.test(line));
    expect(database.length).toBeGreaterThan(0);
    for (const { pid } of database) killHard(pid);
    await finished(id);
  });

  test('its functions are killed, all of them, three times', async () => {
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
});

function functionPids(): number[] {
  return product.place
    .pids()
    .filter(({ line }) => line.includes('lambda/bootstrap.mjs'))
    .map(({ pid }) => pid);
}

async function killed(pid: number, ended: Promise<unknown>): Promise<void> {
  killHard(pid);
  await ended;
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n');
}
