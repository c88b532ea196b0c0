import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython } from '../../../scripts/setup/python-tools.mjs';
import { programBlocks } from '../../docs/program-blocks.ts';
import { makeProduct, type Product } from '../product.ts';
import { root } from '../start/stage.ts';

const python = findPython();

/** Each program on the pages of the clients, as it stands, and what the page says it prints. */
describe('pages', () => {
  let product: Product;
  let env: NodeJS.ProcessEnv;
  beforeAll(async () => {
    product = await makeProduct();
    await product.startCloud();
    product.startAgent('edge', '--count', '3', '--quiet');
    await product.untilConnected(3);
    const { api, token } = product.place.endpoints()!;
    env = { PATH: process.env.PATH, EDGEWISE_API: api, EDGEWISE_TOKEN: token ?? '' };
  });
  afterAll(() => product.remove());

  function run(program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): string {
    const done = spawnSync(program, words, {
      cwd: product.place.directory,
      env: { ...env, ...more },
      encoding: 'utf8',
      timeout: 90_000,
    });
    expect(done.status, `${done.stdout}${done.stderr}`).toBe(0);
    return done.stdout;
  }

  const programs = (page: string, language: string) =>
    programBlocks(page, language).map(({ text, prints }, at) => [at + 1, text, prints] as const);

  describe('TypeScript', () => {
    beforeAll(() => {
      const outdir = join(product.place.directory, 'node_modules', 'edgewise-client');
      mkdirSync(outdir, { recursive: true });
      run(process.execPath, [join(root, 'scripts', 'build-client.ts'), '--outdir', outdir]);
    });

    const all = programs('docs/client-typescript.md', 'js');
    test.each(all)('program %i of the page', (at, text, prints) => {
      const file = join(product.place.directory, `program-${at}.mjs`);
      writeFileSync(file, text);
      expect(prints).not.toBeNull();
      expect(run(process.execPath, [file])).toBe(prints);
    });
    test('there are programs', () => expect(all.length).toBeGreaterThan(2));
  });

  describe('Python', () => {
    const all = programs('docs/client-python.md', 'python');
    for (const [at, text, prints] of all) {
      test(`program ${at} of the page`, ({ skip }) => {
        if (python === undefined) return skip('there is no Python 3.10 or newer here');
        const file = join(product.place.directory, `program-${at}.py`);
        writeFileSync(file, text);
        const path = join(root, 'clients', 'python');
        const printed = run(python, [file], { PYTHONPATH: path, PYTHONDONTWRITEBYTECODE: '1' });
        expect(printed).toBe(prints);
      });
    }
    test('there are programs', () => expect(all.length).toBeGreaterThan(2));
  });
});
