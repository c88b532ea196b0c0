import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, test } from 'vitest';
import { guideBlocks, guidePages } from '../docs/guide-blocks.ts';
import { makeProduct, type Product } from './product.ts';
import { makeCommands, portsBehind, runBlocks } from './run-blocks.ts';

/** Every command of every guide, on one stage: each page in a directory of its own. */
const pages = guidePages().map((page) => [page, guideBlocks(page)] as const);
const run = pages.filter(([, blocks]) => blocks.some(({ where }) => where === 'here'));

let product: Product;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  product = await makeProduct();
  await product.startCloud();
  product.startAgent('edge', '--count', '4', '--quiet', '--power', '250');
  await product.untilConnected(4);
  const { directory } = product.place;
  env = {
    PATH: `${makeCommands(directory)}:${process.env.PATH}`,
    HOME: directory,
    PORT_BASE: String(portsBehind(product.place)),
  };
});
afterAll(() => product.remove());

test.each(run)('%s does what it says', async (page, blocks) => {
  const directory = join(product.place.directory, basename(page, '.md'));
  if (!existsSync(directory)) mkdirSync(directory);
  await runBlocks(blocks, { directory, env });
});
