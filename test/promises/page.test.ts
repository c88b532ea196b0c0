import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofsOf, rowsOf, whyNot } from '../docs/named-tests.ts';

/** `docs/promises.md` names a test for each promise; a promise whose test is gone is no promise. */

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/promises.md'), 'utf8');

const rows = rowsOf(page);

test('every test that the page names is there', () => {
  const missing = rows.flatMap(proofsOf).map(whyNot);
  expect(missing.filter((why) => why !== null)).toEqual([]);
  expect(missing.length).toBeGreaterThan(150);
});

test('every promise names a test, and every arrow is one', () => {
  expect(rows.length).toBeGreaterThan(90);
  for (const row of rows) {
    expect(proofsOf(row).length, row.text.slice(0, 80)).toBeGreaterThan(0);
    expect(proofsOf(row).length).toBe(row.text.split(' › ').length - 1);
  }
});

test('a test that is gone would be missed', () => {
  const gone = '| a | b | `promises/page` › nothing of the kind<br>`no/where` › at all |';
  const proofs = proofsOf({ section: '', text: gone });
  expect(proofs.map(whyNot)).toEqual([
    'test/promises/page.test.ts has no test "nothing of the kind"',
    'there is no test/no/where.test.ts',
  ]);
});
