import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** `docs/promises.md` names a test for each promise; a promise whose test is gone is no promise. */

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/promises.md'), 'utf8');

type Row = { readonly section: string; readonly text: string };

function rowsOf(text: string): Row[] {
  return text.split(/^## /m).flatMap((part) => {
    const [section = '', ...lines] = part.split('\n');
    const rows = lines.filter((line) => line.startsWith('| '));
    return rows.slice(1).map((line) => ({ section, text: line }));
  });
}

/**
 * Where the row says that it is shown: a file below `test/`, or of the tests of `local/`, and the
 * title as its source has it.
 */
function proofsOf({ text }: Row): { path: string; title: string }[] {
  const proofs = text.matchAll(/`([a-z0-9/.-]+)` › (.+?)(?=<br>| \|)/g);
  return [...proofs].map(([, path, title]) => ({ path: fileOf(path!), title: title! }));
}

function fileOf(name: string): string {
  const [first, ...rest] = name.split('/');
  return first === 'local' ? `local/test/${rest.join('/')}.test.ts` : `test/${name}.test.ts`;
}

const quotes = ["'", '"', '`'];

function whyNot({ path, title }: { path: string; title: string }): string | null {
  const file = join(root, path);
  if (!existsSync(file)) return `there is no ${path}`;
  const source = readFileSync(file, 'utf8');
  const isTitle = (at: number): boolean => /[(\n]\s*$/.test(source.slice(0, at));
  const isThere = quotes.some((quote) => isTitle(source.indexOf(`${quote}${title}${quote},`)));
  return isThere ? null : `${path} has no test "${title}"`;
}

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
