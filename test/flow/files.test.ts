import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partialOf } from '../../cli/results/partial.ts';
import { runClient } from './cli/client.ts';
import { makeProduct, type Product } from './product.ts';

/** Files of a job, from a directory here into those of its chunks, on the real parts. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('linked', '--quiet', '--executor', 'process');
  product.startAgent('polling', '--quiet', '--executor', 'process', '--transport', 'http');
  await product.untilConnected(2);
  const { directory } = product.place;
  mkdirSync(join(directory, 'data', 'deep'), { recursive: true });
  writeFileSync(join(directory, 'data', 'large'), large);
  writeFileSync(join(directory, 'data', 'deep', 'ä b'), 'small\n');
  writeFileSync(join(directory, 'data', 'run'), '#!/bin/sh\ncat "data/deep/ä b"\n');
  chmodSync(join(directory, 'data', 'run'), 0o755);
  symlinkSync('deep/ä b', join(directory, 'data', 'link'));
});
afterAll(() => product.remove());

const large = randomBytes(3_000_000);
const script = 'sha256sum < data/large && data/run && cat data/link';

const submit = (...more: string[]) =>
  runClient(product.place.directory, 'submit', ...more, '--wait', '--', 'sh', '-c', script);

test('a tree is sent once, lies in the directory of every chunk, and comes once', async () => {
  const size = ['--chunks', '2', '--nodes', '2', '--keep-output', 'all', '--input', 'data/'];
  const first = await submit(...size);
  expect(first).toMatchObject({ code: 0, err: expect.stringContaining('sent 4 of 4 files') });
  const shown = await runClient(product.place.directory, 'logs', first.out.trim(), '0');
  const sum = createHash('sha256').update(large).digest('hex');
  expect(shown.out).toBe(`${sum}  -\nsmall\nsmall\n`);
  const again = await submit(...size);
  expect(again).toMatchObject({ code: 0, err: expect.stringContaining('all there already') });
  for (const edge of ['linked', 'polling']) {
    const cache = join(product.place.directory, 'agents', edge, edge, 'cache');
    expect(readdirSync(join(cache, 'files'))).toHaveLength(4);
    expect(readdirSync(join(cache, 'parts'))).toEqual([]);
  }
});

test('what chunks leave comes back byte for byte, from edges on both transports', async () => {
  const { directory } = product.place;
  const files = 'mkdir r && cp data/large r/ && echo p > r/large.part';
  const make = `${files} && echo $EDGEWISE_CHUNK > $EDGEWISE_OUTPUT/n.txt`;
  const asked = ['--outputs', 'r/', '--outputs', '*.txt', '--pull', '--input', 'data/'];
  const size = ['--chunks', '2', '--nodes', '2'];
  const done = await runClient(directory, 'submit', ...size, ...asked, '--', 'sh', '-c', make);
  expect(done).toMatchObject({ code: 0, err: expect.stringContaining('fetched 6 of 6 files') });
  const job = done.out.trim();
  for (const chunk of ['0', '1']) {
    expect(readFileSync(join(directory, job, chunk, 'r', 'large')).equals(large)).toBe(true);
    expect(readFileSync(join(directory, job, chunk, 'n.txt'), 'utf8')).toBe(`${chunk}\n`);
    expect(readFileSync(join(directory, job, chunk, 'r', 'large.part'), 'utf8')).toBe('p\n');
  }
  writeFileSync(join(directory, job, '1', 'n.txt'), 'x');
  rmSync(join(directory, job, '0', 'r', 'large'));
  const sha256 = createHash('sha256').update(large).digest('hex');
  const part = partialOf({ target: join(directory, job, '0', 'r', 'large'), sha256 });
  writeFileSync(part, large.subarray(0, 1_000_000));
  const again = await runClient(directory, 'pull', job);
  expect(again.err).toContain('fetched 2 of 6 files, 2.0 MB');
  expect(readFileSync(join(directory, job, '0', 'r', 'large')).equals(large)).toBe(true);
  const gone = await runClient(directory, 'job', 'purge', job, '--yes');
  expect(gone.code).toBe(0);
  const buckets = await runClient(directory, 'pull', job);
  expect(buckets.code).toBe(3);
});
