import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runClient } from '../cli/client.ts';
import { makeProduct, type Product } from '../product.ts';
import { until } from '../start/stage.ts';

/** What a chunk prints is seen while it prints it, whatever carries its edge's work. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('wired', '--quiet', '--executor', 'process');
  product.startAgent('polling', '--quiet', '--executor', 'process', '--transport', 'http');
  await product.untilConnected(2);
});
afterAll(() => product.remove());

const client = (...words: string[]) => runClient(product.place.directory, ...words);

/** Prints, waits for a file, and prints on. */
function submit(name: string, edge: string) {
  const go = join(product.place.directory, `go-${name}`);
  const script = `echo first; while [ ! -e '${go}' ]; do sleep 0.1; done; echo second`;
  const run = { process: { argv: ['/bin/sh', '-c', script] } };
  const requires = { edges: [edge] };
  return { go, job: product.submit({ name, chunks: 1, run, requires, keepOutput: 'failed' }) };
}

test.each(['wired', 'polling'])(
  'logs -f follows a chunk of the edge "%s" to its end',
  async (edge) => {
    const { go, job } = submit(`follow-${edge}`, edge);
    const { id } = await job;
    await product.jobWhen(id, 'running', ({ status }) => status.state === 'running');
    const following = client('logs', '-f', id);
    await until('what it has printed is there', async () => {
      return (await client('logs', id, '0')).out === 'first\n';
    });
    expect(existsSync(go)).toBe(false);
    writeFileSync(go, '');
    expect(await following).toMatchObject({ code: 0, out: 'first\nsecond\n' });
    await product.done(id);
  },
);

test('an output that is kept whole comes back whole, byte for byte', async () => {
  const script = 'seq 1 400000; exit 3';
  const run = { process: { argv: ['/bin/sh', '-c', script] } };
  const retries = { attempts: 1 };
  const { id } = await product.submit({ name: 'whole', chunks: 1, run, retries, outputMb: 8 });
  await product.jobWhen(id, 'failed', ({ status }) => status.state === 'failed');
  const all = Array.from({ length: 400_000 }, (_, at) => `${at + 1}\n`).join('');
  await until('it is there, whole', async () => (await client('logs', id, '0')).out === all);
});

test.each(['wired', 'polling'])(
  'standard error apart of the edge "%s" is read by itself',
  async (edge) => {
    const run = { process: { argv: ['/bin/sh', '-c', 'echo out; echo error >&2; exit 3'] } };
    const retries = { attempts: 1 };
    const body = { chunks: 1, run, requires: { edges: [edge] }, retries, stderr: 'apart' };
    const { id } = await product.submit({ name: `apart-${edge}`, ...body });
    await product.jobWhen(id, 'failed', ({ status }) => status.state === 'failed');
    const output = await client('logs', id, '0');
    expect(output).toMatchObject({ code: 0, out: 'out\n' });
    expect(await client('logs', id, '0', '--stderr')).toMatchObject({ code: 0, out: 'error\n' });
  },
);
