import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../core/contract/resources.ts';
import { makeProduct, type Product } from '../product.ts';

/** How far a job is while none of its chunks has ended, over the real parts. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('one', '--quiet', '--executor', 'process', '--power', '403');
  await product.untilConnected(1);
});
afterAll(() => product?.remove());

/** Chunk 0 says it by its file, chunk 3 by lines; each step waits for a file. */
const script = `
at() { while [ ! -e "$STEPS/$1" ]; do sleep 0.1; done; }
case $EDGEWISE_CHUNK in
  0) echo 50 > "$EDGEWISE_PROGRESS"; at less; echo 10 >> "$EDGEWISE_PROGRESS" ;;
  3) at line; echo EDGEWISE_PROGRESS 40; at less; echo EDGEWISE_PROGRESS 20 ;;
esac
at end`;

test('100,100,100,103 at 50,0,0,0 is 12 %; lines count as the file does; it never falls', async () => {
  const argv = ['/bin/sh', '-c', script];
  const run = { process: { argv, env: { STEPS: product.place.directory } } };
  const seen: number[] = [];
  const step = (name: string) => writeFileSync(join(product.place.directory, name), '');
  const { id } = await product.submit({ power: 403, chunks: 4, run });
  const until = (percent: number) =>
    product.jobWhen(id, `at ${percent} %`, ({ status }: Job) => {
      if (status.percent !== seen.at(-1)) seen.push(status.percent);
      return status.percent === percent;
    });

  await until(12);
  expect((await product.chunks(id)).map(({ percent }) => percent)).toEqual([50, null, null, null]);
  step('line');
  // ⌊(50 + ⌊103 · 40 / 100⌋) / 403⌋ in percent.
  await until(22);
  expect((await product.job(id)).status.executions).toMatchObject([{ edge: 'one', percent: 22 }]);
  step('less');
  step('end');
  await until(100);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
});
