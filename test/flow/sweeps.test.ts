import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runClient } from './cli/client.ts';
import { makeProduct, type Product } from './product.ts';
import { askApi } from './start/stage.ts';

/** Chunks that differ by their parameters, from a file here to the programs on two edges. */
let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('linked', '--quiet', '--executor', 'process');
  product.startAgent('polling', '--quiet', '--executor', 'process', '--transport', 'http');
  await product.untilConnected(2);
});
afterAll(() => product.remove());

const client = (...words: string[]) => runClient(product.place.directory, ...words);

test('each row of a file is a chunk, and its words reach the program as they are', async () => {
  const rows = Array.from({ length: 30 }, (_, n) => `${n},"it's ${n}; $(exit 1)"`);
  writeFileSync(join(product.place.directory, 'runs.csv'), `n,note\n${rows.join('\n')}\n`);
  const script = '[ "$1" = "$EDGEWISE_PARAM_NOTE" ] && echo "$1 $2 $EDGEWISE_PARAMS"';
  const words = ['--', 'sh', '-c', script, 'sh', '{note}', '{chunk}-{n}'];
  const more = ['--each-csv', 'runs.csv', '--keep-output', 'all', '--nodes', '2', '--wait'];
  const sent = await client('submit', ...more, ...words);
  expect(sent, sent.err).toMatchObject({ code: 0 });
  const id = sent.out.trim();
  for (const n of [0, 17, 29]) {
    const shown = await client('logs', id, String(n));
    const note = `it's ${n}; $(exit 1)`;
    const params = JSON.stringify({ n: String(n), note });
    expect(shown.out).toBe(`${note} ${n}-${n} ${params}\n`);
  }
  const chunks = await client('job', 'chunks', id, '--param', 'n=7', '-o', 'json');
  expect(JSON.parse(chunks.out).items).toMatchObject([{ chunk: 7, state: 'done' }]);
});

test('results are named by the parameters of their chunk, and by nothing else', async () => {
  writeFileSync(join(product.place.directory, 'sizes.csv'), 'size\nsmall\nlarge\n');
  const named = ['--each-csv', 'sizes.csv', '--outputs', '{size}/{chunk}.txt'];
  const script = 'mkdir small large; echo "$1" > small/0.txt; echo "$1" > large/1.txt';
  const sent = await client('submit', ...named, '--wait', '--', 'sh', '-c', script, 'sh', '{size}');
  expect(sent, sent.err).toMatchObject({ code: 0 });
  const files = await client('files', sent.out.trim(), '-o', 'json');
  const seen = JSON.parse(files.out).items.map((it: { chunk: number; path: string }) => [
    it.chunk,
    it.path,
  ]);
  expect(seen).toEqual([
    [0, 'small/0.txt'],
    [1, 'large/1.txt'],
  ]);
});

test('each row names the file that its chunk finds', async () => {
  const { directory } = product.place;
  const texts = ['north\n', 'south\n', 'east\n'];
  const digests = texts.map((text) => createHash('sha256').update(text).digest('hex'));
  // Handed in with a job of their own, so that they are stored.
  const paths = texts.map((text, at) => {
    writeFileSync(join(directory, `tile-${at}`), text);
    return ['--input', `tile-${at}`];
  });
  const stored = await client('submit', ...paths.flat(), '--wait', '--', 'true');
  expect(stored, stored.err).toMatchObject({ code: 0 });
  const rows = digests.map((digest, at) => `tile-${at},${digest}\n`);
  writeFileSync(join(directory, 'tiles.csv'), `name,tile\n${rows.join('')}`);
  const inputs = [{ path: 'tiles/{name}.txt', sha256: '{params.tile}' }];
  writeFileSync(join(directory, 'tiles.json'), JSON.stringify({ inputs, keepOutput: 'all' }));
  const words = ['--file', 'tiles.json', '--each-csv', 'tiles.csv', '--nodes', '2', '--wait'];
  const sent = await client('submit', ...words, '--', 'sh', '-c', 'cat tiles/*');
  expect(sent, sent.err).toMatchObject({ code: 0 });
  for (const [chunk, text] of texts.entries()) {
    expect((await client('logs', sent.out.trim(), String(chunk))).out).toBe(text);
  }
});

test('a million lines are a job like any other, and any of them is a small read', async () => {
  const lines = Array.from({ length: 1_000_000 }, (_, n) => `line-${n}`);
  writeFileSync(join(product.place.directory, 'lines.txt'), lines.join('\n'));
  const more = ['--each-line', 'lines.txt', '--require', 'site=nowhere', '-o', 'json'];
  const sent = await client('submit', ...more, '--', 'true');
  expect(sent, sent.err).toMatchObject({ code: 0 });
  const { id } = JSON.parse(sent.out);
  const body = await product.job(id);
  expect(body.spec.chunks).toBe(1_000_000);
  const path = `/v1/jobs/${id}/params?chunks=0,499999,999999`;
  const found = await askApi<{ items: readonly unknown[] }>(product.place, path);
  expect(found.items).toEqual([
    { chunk: 0, params: { line: 'line-0' } },
    { chunk: 499_999, params: { line: 'line-499999' } },
    { chunk: 999_999, params: { line: 'line-999999' } },
  ]);
  // The file is there and was read through: what is left is what any submit takes.
  const again = performance.now();
  const { params } = body.spec;
  await product.submit({ params, requires: { labels: { site: 'nowhere' } } });
  expect(performance.now() - again).toBeLessThan(2_000);
});
