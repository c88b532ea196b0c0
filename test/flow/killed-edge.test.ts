import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../core/contract/resources.ts';
import { makeProduct, type Product } from './product.ts';
import { askApi, killHard } from './start/stage.ts';

/**
 * An edge may die in the middle of its work and come back: nothing is lost, and nothing counts
 * twice.
 */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
});
afterAll(() => product.remove());

const isHalfWay = ({ status }: Job): boolean =>
  status.chunks.done > 0 && status.chunks.done < status.chunks.total && status.chunks.running > 0;

test('what was running is run again, and downtime is no progress', async () => {
  const first = product.startAgent('edge-1');
  const chunkMs = 3_000;
  const { id } = await product.submit({
    chunks: 4,
    chunkPower: 125,
    requires: { edges: ['edge-1'] },
    run: { simulate: { seconds: chunkMs / 1_000 } },
  });
  await product.jobWhen(id, 'half way', isHalfWay);
  await killed(first.process.pid!, first.ended);
  // As long as a whole chunk: counted as progress, it would end the chunks that were running.
  await new Promise((resolve) => setTimeout(resolve, chunkMs));
  const restartMs = performance.now();
  product.startAgent('edge-1');
  const { status } = await product.done(id);
  expect(performance.now() - restartMs).toBeGreaterThan(chunkMs / 2);
  expect(status).toMatchObject({ percent: 100, chunks: { total: 4, done: 4, dead: 0 } });
  expect(status.executions).toMatchObject([{ edge: 'edge-1', done: '0-3', percent: 100 }]);
  const edge = await askApi<{ totals: object }>(product.place, '/v1/edges/edge-1');
  expect(edge.totals).toMatchObject({ chunksDone: 4, powerServed: 500 });
});

test('no chunk that had ended is run again', async () => {
  const first = product.startAgent('edge-2');
  const runs = join(product.place.directory, 'runs');
  const script = `sleep 0.4; echo $EDGEWISE_CHUNK >> '${runs}'`;
  const { id } = await product.submit({
    chunks: 20,
    chunkPower: 100,
    requires: { edges: ['edge-2'] },
    run: { process: { argv: ['/bin/sh', '-c', script] } },
  });
  await product.jobWhen(id, 'half way', isHalfWay);
  await killed(first.process.pid!, first.ended);
  const ended = linesOf(runs);
  product.startAgent('edge-2');
  const { status } = await product.done(id);
  expect(status.chunks).toMatchObject({ total: 20, done: 20, dead: 0 });
  const all = linesOf(runs);
  expect(new Set(all).size).toBe(20);
  for (const chunk of ended) expect(all.filter((one) => one === chunk)).toEqual([chunk]);
  const edge = await askApi<{ totals: object }>(product.place, '/v1/edges/edge-2');
  expect(edge.totals).toMatchObject({ chunksDone: 20, powerServed: 2_000 });
});

async function killed(pid: number, ended: Promise<unknown>): Promise<void> {
  killHard(pid);
  await ended;
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n');
}
