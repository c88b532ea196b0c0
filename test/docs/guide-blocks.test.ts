import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source-files.ts';
import { documentAt, documents } from './documents.ts';
import { blocksOf, guideBlocks, guidePages, scriptOf } from './guide-blocks.ts';

/** The guides themselves; their commands are run by `test/flow/guides.test.ts`. */
const index = documentAt('docs/README.md').text;

test.each(guidePages())('%s is in the index, and begins with what it is for', (page) => {
  expect(index).toContain(`(${page.replace('docs/', '')})`);
  expect(documentAt(page).text).toMatch(/^# .+\n\n\*.+\*\n/);
  expect(() => guideBlocks(page)).not.toThrow();
});

test('every page of the documentation is in the index', () => {
  const names = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const others = names.filter((name) => name !== 'README.md');
  expect(others.filter((name) => !index.includes(`(${name})`))).toEqual([]);
});

test('most commands of the guides are run', () => {
  const blocks = guidePages().flatMap(guideBlocks);
  const here = blocks.filter(({ where }) => where !== 'elsewhere');
  expect(here.length).toBeGreaterThan(30);
});

test('a fence says where its commands run', () => {
  const text = [
    '```sh',
    'a',
    '```',
    '```sh in another terminal',
    'b',
    'c',
    '```',
    '```sh elsewhere: an AWS account',
    '```',
  ].join('\n');
  expect(blocksOf('p', text)).toEqual([
    { page: 'p', line: 1, where: 'here', needs: null, text: 'a' },
    { page: 'p', line: 4, where: 'beside', needs: null, text: 'b\nc' },
    { page: 'p', line: 8, where: 'elsewhere', needs: 'an AWS account', text: '' },
  ]);
  expect(() => blocksOf('p', '```sh never\n```')).toThrow('p:1: "never" says nothing');
  expect(() => blocksOf('p', '```sh\na')).toThrow('p:1 has no end');
  expect(scriptOf({ text: 'x\ny  # ends with 7' })).toBe(
    'set -eo pipefail\nx\nended=0; y || ended=$?; [ $ended = 7 ] || exit 99',
  );
});

test('nobody marks a page of which no command is run', () => {
  const others = documents().filter(({ path }) => !/^(docs\/guides|examples)\//.test(path));
  const marked = others.filter(({ text }) => /^```sh (in another|elsewhere)/m.test(text));
  expect(marked.map(({ path }) => path)).toEqual([]);
});
