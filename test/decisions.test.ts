import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './source-files.ts';

/** Decision records have one form and are all in the index, under the number that they say. */
const folder = join(root, 'docs', 'decisions');
const index = readFileSync(join(folder, 'README.md'), 'utf8');
const records = readdirSync(folder).filter((file) => file !== 'README.md');

test('the index is of all records, in their order', () => {
  const lines = records.map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    const title = /^# (\d+)\. (.+)\n/.exec(text);
    const status = /^\*\*Status\*\* (accepted|superseded by \[\d+\]\(\S+\))$/m.exec(text);
    return `| ${title?.[1]} | [${title?.[2]}](${file}) | ${status?.[1]} |`;
  });
  const listed = index.split('\n').filter((line) => /^\| \d/.test(line));
  expect(listed).toEqual(lines);
});

test.each(records)('%s has its number and the sections of a record', (file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  const number = Number(/^\d{4}(?=-)/.exec(file)?.[0]);
  expect(Number(/^# (\d+)\./.exec(text)?.[1])).toBe(number);
  expect(records.filter((other) => Number.parseInt(other, 10) === number)).toEqual([file]);
  const sections = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]);
  expect(sections.filter((section) => section !== 'Figures')).toEqual([
    'Context',
    'Positions',
    'Decision',
    'Consequences',
  ]);
});
