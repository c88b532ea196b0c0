import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { outputTailBytesMax } from '../../../core/model/limits.ts';
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

/** What is kept of a chunk that prints this, as the API answers it. */
async function printed(edge: string, bytes: Uint8Array) {
  const file = join(product.place.directory, `printed-${edge}-${bytes.length}`);
  writeFileSync(file, bytes);
  const run = { process: { argv: ['/bin/cat', file] } };
  const body = { chunks: 1, run, requires: { edges: [edge] }, keepOutput: 'all' };
  const { id } = await product.submit(body);
  await product.done(id);
  const { api, token } = product.place.endpoints()!;
  const headers = { authorization: `Bearer ${token}` };
  return until('it is kept', async () => {
    const answer = await fetch(`${api}/v1/jobs/${id}/chunks/0/output`, { headers });
    const isWhole = answer.headers.get('edgewise-complete') === 'true';
    return answer.status === 200 && isWhole ? answer : null;
  });
}

test.each(['wired', 'polling'])(
  'bytes that are no text come back from the edge "%s" as they were printed',
  async (edge) => {
    const bytes = randomBytes(300);
    const answer = await printed(edge, bytes);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(Buffer.from(await answer.arrayBuffer()).toString('hex')).toBe(bytes.toString('hex'));
  },
);

test.each(['wired', 'polling'])(
  'of a long text of the edge "%s" both ends come back, each of whole characters',
  async (edge) => {
    const text = `.${'€'.repeat(100_000)}`;
    const answer = await printed(edge, Buffer.from(text));
    const omitted = answer.headers.get('edgewise-omitted')!.split('-').map(Number);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const kept = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    expect(kept).toBe(text.slice(0, kept.length));
    expect(bytes.length).toBeGreaterThan(outputTailBytesMax - 8);
    expect(bytes.length).toBeLessThanOrEqual(outputTailBytesMax);
    expect(omitted[1]! - omitted[0]!).toBe(Buffer.byteLength(text) - bytes.length);
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
