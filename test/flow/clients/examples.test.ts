import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPython } from '../../../scripts/setup/python-tools.mjs';
import { blocksOf } from '../../docs/guide-blocks.ts';
import { makeProduct, type Product } from '../product.ts';
import { makeCommands, portsBehind, runBlocks } from '../run-blocks.ts';
import { root } from '../start/stage.ts';

/** Each directory of `examples/`, by the commands of its README, in a copy of it on one stage. */
const examples = readdirSync(join(root, 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const python = findPython();

let product: Product;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  product = await makeProduct();
  const { directory } = product.place;
  await product.startCloud();
  product.startAgent('edge', '--count', '3', '--quiet');
  await product.untilConnected(3);
  const bin = makeCommands(directory, { python3: python });
  for (const part of ['examples', 'clients/python']) {
    cpSync(join(root, part), join(directory, part), { recursive: true });
  }
  const port = String(portsBehind(product.place));
  env = { PATH: `${bin}:${process.env.PATH}`, HOME: directory, PORT: port };
});
afterAll(async () => {
  spawnSync(slurm, ['stop', slurmDirectory()]);
  await product.remove();
});

test.for(examples)('%s does what its README says', async (name, { skip }) => {
  const page = `examples/${name}/README.md`;
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = blocksOf(page, text);
  expect(blocks.length).toBeGreaterThan(0);
  if (python === undefined && blocks.some((block) => block.text.includes('python3'))) {
    return skip('there is no Python 3.10 or newer here');
  }
  const directory = join(product.place.directory, 'examples', name);
  const needsSlurm = text.includes('--slurm');
  const reason = needsSlurm ? startSlurm() : null;
  if (reason !== null) {
    console.log(`skipped: ${reason}`);
    return skip(reason);
  }
  const more = needsSlurm ? { SLURM_CONF: join(slurmDirectory(), 'slurm.conf') } : {};
  await runBlocks(blocks, { directory, env: { ...envOf(text), ...more } });
});

const slurm = join(root, 'test', 'edge-agent', 'slurm', 'one-host.sh');
const slurmDirectory = (): string => join(product.place.directory, 'slurm');

/** Why there is none. */
function startSlurm(): string | null {
  mkdirSync(slurmDirectory(), { mode: 0o755 });
  const port = { SLURM_PORT: String(portsBehind(product.place) + portsOfExamples) };
  const words = { encoding: 'utf8', env: { ...process.env, ...port } } as const;
  const { status, stdout, stderr } = spawnSync(slurm, ['start', slurmDirectory()], words);
  return status === 0 ? null : stdout.trim() || stderr.trim();
}

/** What the other pages may start behind the stage. */
const portsOfExamples = 20;

/** The client finds the stage by itself; a program finds it in its environment. */
function envOf(text: string): NodeJS.ProcessEnv {
  const { api, token } = product.place.endpoints()!;
  const address = { EDGEWISE_API: api, EDGEWISE_TOKEN: token ?? '' };
  return text.includes('those of `EDGEWISE_API`') ? { ...env, ...address } : env;
}

test('the page of the examples names each of them', () => {
  const page = readFileSync(join(root, 'examples', 'README.md'), 'utf8');
  const named = [...page.matchAll(/^\| `([\w-]+)\/` \|/gm)].map(([, name]) => name);
  expect(named.sort()).toEqual(examples.sort());
});
