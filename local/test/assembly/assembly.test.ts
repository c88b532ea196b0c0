/** Which stack of a folder is run. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadAssembly } from '../../assembly/assembly.ts';
import { temporaryDir } from '../temporary-dir.ts';

let dir: string;
beforeEach(() => {
  dir = temporaryDir();
});
afterEach(() => rmSync(dir, { recursive: true }));

const write = (name: string): void =>
  writeFileSync(join(dir, `${name}.template.json`), '{"Resources":{}}');

test('the only one need not be named; a nested one is part of another', () => {
  write('Shop');
  write('ShopNested4C1B.nested');
  expect(loadAssembly(dir, undefined).stack).toBe('Shop');
});

test('of several one is named', () => {
  write('Shop');
  write('Bank');
  const sentence = `${dir} has 2 stacks; choose one with --stack: Bank, Shop.`;
  expect(() => loadAssembly(dir, undefined)).toThrow(sentence);
  expect(loadAssembly(dir, 'Bank').stack).toBe('Bank');
});

test('a folder without any, and no folder, are different things', () => {
  expect(() => loadAssembly(dir, undefined)).toThrow(/^There is no template in .*synthesize it/);
  const none = join(dir, 'none');
  expect(() => loadAssembly(none, undefined)).toThrow(`There is no folder ${none}; --app takes`);
});
