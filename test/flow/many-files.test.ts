import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, runClient } from './cli/client.ts';
import { makeProduct, type Product } from './product.ts';

/** Ten thousand small files to an edge and back: none is lost on the way, and none goes twice. */
const folders = 10;
const filesInFolder = 1_000;
const files = folders * filesInFolder;
/** A minute or two on a machine of its own. */
const timeout = 560_000;
const textOf = (folder: number, file: number): string =>
  `${folder} ${file}\n`.repeat(1 + (file % 5));

let product: Product;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('one', '--quiet', '--executor', 'process');
  await product.untilConnected(1);
  for (let folder = 0; folder < folders; folder++) {
    const place = join(product.place.directory, 'data', String(folder));
    mkdirSync(place, { recursive: true });
    for (let file = 0; file < filesInFolder; file++) {
      writeFileSync(join(place, `f${file}`), textOf(folder, file));
    }
  }
});
afterAll(() => product.remove());

async function submit(...more: string[]): Promise<Ended> {
  const copy = 'cp -r "data/$EDGEWISE_CHUNK" copy';
  const words = ['--chunks', String(folders), '--input', 'data/', ...more];
  const ended = await runClient(
    product.place.directory,
    'submit',
    ...words,
    '--',
    'sh',
    '-c',
    copy,
  );
  expect(ended.code, ended.err).toBe(0);
  return ended;
}

/** Each file of the edge's cache, and when it was written. */
function cached(): ReadonlyMap<string, number> {
  const place = join(product.place.directory, 'agents', 'one', 'one', 'cache', 'files');
  return new Map(readdirSync(place).map((name) => [name, statSync(join(place, name)).mtimeMs]));
}

test('each comes back byte for byte, and the second time none is sent or fetched', {
  timeout,
}, async () => {
  const first = await submit('--outputs', 'copy/', '--pull');
  expect(first.err).toContain(`fetched ${files} of ${files} files`);
  const job = first.out.trim();
  for (let folder = 0; folder < folders; folder++) {
    const place = join(product.place.directory, job, String(folder), 'copy');
    expect(readdirSync(place)).toHaveLength(filesInFolder);
    for (let file = 0; file < filesInFolder; file++) {
      expect(readFileSync(join(place, `f${file}`), 'utf8')).toBe(textOf(folder, file));
    }
  }
  const before = cached();
  const again = await submit('--wait');
  expect(again.err).toContain('all there already');
  expect(cached()).toEqual(before);
});
