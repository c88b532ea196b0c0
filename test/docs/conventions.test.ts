import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../source-files.ts';
import { documentAt } from './documents.ts';
import { proofsOf, type Row, rowsOf, whyNot } from './named-tests.ts';

/** `docs/conventions.md` names tests and golden sessions for each convention of the field. */
const rows = rowsOf(documentAt('docs/conventions.md').text);

function whyNotShown(row: Row): (string | null)[] {
  const sessions = [...row.text.matchAll(/session `([a-z-]+)`/g)].map((match) => match[1]!);
  const proofs = proofsOf(row);
  if (sessions.length + proofs.length === 0) return [`nothing shows: ${row.text}`];
  const files = sessions.map((name) => `test/cli/sessions/${name}.golden.txt`);
  return [
    ...proofs.map(whyNot),
    ...files.map((path) => (existsSync(join(root, path)) ? null : `there is no ${path}`)),
  ];
}

test('each of the thirty-two conventions is shown by what is there', () => {
  expect(rows).toHaveLength(32);
  expect(rows.flatMap(whyNotShown).filter((why) => why !== null)).toEqual([]);
});

test('a row without a test, and a session that is gone, are seen', () => {
  const row = (text: string): Row => ({ section: '', text });
  expect(whyNotShown(row('| a | b | nothing |'))).toEqual(['nothing shows: | a | b | nothing |']);
  expect(whyNotShown(row('| a | b | session `gone` |'))).toEqual([
    'there is no test/cli/sessions/gone.golden.txt',
  ]);
});
