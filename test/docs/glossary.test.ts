import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as schema from '../../adapters/dynamodb/schema.ts';
import { root, sourceFiles } from '../source-files.ts';
import { codeIn, documentAt, sectionOf, tableRows } from './documents.ts';

/**
 * `docs/glossary.md` has a line for whatever the model and the protocol have a type for, and every
 * letter that is stored or sent; and it names no type that is gone.
 */
const page = documentAt('docs/glossary.md');
const [words = '', letters = ''] = page.text.split('\n## Letters\n');

const typePattern = /^(?:export )?(?:type|class) ([A-Z]\w*)/gm;

const typesIn = (text: string): string[] => [...text.matchAll(typePattern)].map((it) => it[1]!);

function sourcesOf(...patterns: string[]): string[] {
  const paths = globSync(patterns, { cwd: root });
  return paths.map((path) => readFileSync(join(root, path), 'utf8'));
}

/** Exported, and not the letters of a document. */
const modelTypes = sourcesOf('core/model/*.ts', 'core/protocol/*.ts')
  .flatMap((text) => [...text.matchAll(/^export type ([A-Z]\w*)/gm)].map((it) => it[1]!))
  .filter((name) => !name.endsWith('Json'));

/** Third column, of every table of words. */
const typesNamed = tableRows(words).flatMap(([, , types = '']) => codeIn(types));

/** The keys of a type of letters, as its source has them. */
function lettersOf(source: string, type: string): string[] {
  const body = new RegExp(`type ${type} = \\{([^}]*)\\}`).exec(source)?.[1] ?? '';
  return [...body.matchAll(/(?:^|[;\n])\s*([a-z]+)\??: /g)].map((match) => match[1]!);
}

test('every type of the model and of the protocol has its line', () => {
  expect(modelTypes.filter((name) => !typesNamed.includes(name))).toEqual([]);
  expect(modelTypes.length).toBeGreaterThan(50);
});

test('every type of the page is there', () => {
  const all = new Set(sourceFiles().flatMap(({ text }) => typesIn(text)));
  expect(typesNamed.filter((name) => !all.has(name))).toEqual([]);
});

test('a word has one line, with something to say', () => {
  const rows = tableRows(words);
  const names = rows.map(([word = '']) => word);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  expect(rows.filter((row) => row.length !== 4 || row[1] === '')).toEqual([]);
  expect(rows.length).toBeGreaterThan(45);
});

test('every letter of the two documents and of a lease is said', () => {
  const [work, prog] = tableRows(letters);
  const documents = [
    [work, 'core/protocol/work.ts', 'WorkJson', 'WorkEntryJson'],
    [prog, 'core/protocol/progress-report.ts', 'ProgressReportJson', 'JobProgressJson'],
  ] as const;
  for (const [row, path, envelope, entry] of documents) {
    const [source = ''] = sourcesOf(path);
    expect(codeIn(row?.[1] ?? '').sort(), path).toEqual(lettersOf(source, envelope).sort());
    expect(codeIn(row?.[2] ?? '').sort(), path).toEqual(lettersOf(source, entry).sort());
  }
  const [row = ''] = sourcesOf('adapters/dynamodb/rows/rows-work.ts');
  const ofLease = tableRows(letters).filter(([cell = '']) => /^`[a-z]+`$/.test(cell));
  const said = ofLease.flatMap(([cell = '']) => codeIn(cell)).filter((it) => it.length < 3);
  expect(said.sort()).toEqual(lettersOf(row, 'LeaseText').sort());
  expect(said.length).toBeGreaterThan(8);
});

test('every kind of row is said', () => {
  const rows = tableRows(sectionOf(page, 'Rows') ?? '');
  const said = codeIn(rows.flat().join('\n'));
  const { partitions, cellRows, jobRows, edgeRows, poolRows, statsRows, lists } = schema;
  const { submissionRows, scheduleRows, webhookRows, nameRows } = schema;
  const ofJobs = [jobRows, nameRows, submissionRows, scheduleRows, webhookRows];
  const ofThings = [cellRows, ...ofJobs, edgeRows, poolRows, statsRows];
  const kinds = [partitions, ...ofThings, lists];
  const all = [...new Set<string>(kinds.flatMap((it) => Object.values(it)))];
  expect([...new Set(said)].sort()).toEqual(all.sort());
});

test('a type without a line, and a letter without a word, are seen', () => {
  expect(lettersOf('type X = {\n  e: string;\n  ue?: number; n: null;\n};', 'X')).toEqual([
    'e',
    'ue',
    'n',
  ]);
  const without = words.replace('`Lease`', '');
  const named = tableRows(without).flatMap(([, , types = '']) => codeIn(types));
  expect(modelTypes.filter((name) => !named.includes(name))).toEqual(['Lease']);
});
