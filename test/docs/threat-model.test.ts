import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofsOf, rowsOf, whyNot } from './named-tests.ts';

/** Whatever was found once has a test that is there. */
const page = readFileSync(join(import.meta.dirname, '../../docs/threat-model.md'), 'utf8');
const found = rowsOf(page).filter(({ section }) => section === 'What was found once');

test('each of the findings names tests that are there', () => {
  const numbers = found.map(({ text }) => Number(text.split('|')[1]));
  expect(numbers).toEqual(Array.from({ length: 18 }, (_, at) => at + 1));
  for (const row of found) {
    expect(proofsOf(row).length, row.text).toBe(row.text.split(' › ').length - 1);
    expect(proofsOf(row).map(whyNot)).toEqual(proofsOf(row).map(() => null));
  }
});
