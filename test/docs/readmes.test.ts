import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, sourceFiles } from '../source-files.ts';
import { codeIn, documentAt, tableRows } from './documents.ts';

/** A README beside the code names every folder beside it, and draws what the code does. */
const beside = [
  'adapters',
  'bench',
  'cli',
  'core',
  'dashboard',
  'edge-agent',
  'lambdas',
  'lib',
  'scripts',
  'test',
];

function foldersIn(path: string): string[] {
  const entries = readdirSync(join(root, path), { withFileTypes: true });
  return entries.filter((it) => it.isDirectory()).map((it) => it.name);
}

/** First column of the tables. */
function namesIn(path: string): string[] {
  return tableRows(documentAt(path).text).flatMap(([first = '']) => codeIn(first));
}

test.each(beside)('%s/README.md names every folder', (folder) => {
  const named = namesIn(`${folder}/README.md`).filter((name) => name.endsWith('/'));
  expect(named.sort()).toEqual(
    foldersIn(folder)
      .map((name) => `${name}/`)
      .sort(),
  );
});

/** The door of the command line, one file. */
const withoutReadme = ['bin'];

test('every folder has a README', () => {
  const folders = foldersIn('.').filter((name) => !/^\.|^(node_modules|dist|cdk\.out)$/.test(name));
  const lacking = folders.filter((name) => !existsSync(join(root, name, 'README.md')));
  expect(lacking).toEqual(withoutReadme);
});

const readme = documentAt('core/scheduler/README.md').text;
const source = (path: string) => readFileSync(join(root, path), 'utf8');

/** What `decide` calls, in its order. */
function phasesOf(text: string): string[] {
  const body = /function decide\([\s\S]*?\n\}/.exec(text)?.[0] ?? '';
  return [...body.matchAll(/^ {2}(\w+)\(pass/gm)].map((match) => match[1]!);
}

test('the picture of a pass has its phases, in their order', () => {
  const drawn = [...readme.matchAll(/^ │ (\w+) /gm)].map((match) => match[1]!);
  expect(drawn).toEqual(phasesOf(source('core/scheduler/reconcile.ts')));
  expect(drawn.length).toBeGreaterThan(10);
});

test('the map of the scheduler names every file', () => {
  const named = new Set(codeIn(readme).map((name) => name.replace(/^.*\/|\.ts$/g, '')));
  const files = ['', 'pass', 'phases'].flatMap((folder) =>
    readdirSync(join(root, 'core/scheduler', folder)).filter((name) => name.endsWith('.ts')),
  );
  expect(files.map((name) => name.slice(0, -3)).filter((name) => !named.has(name))).toEqual([]);
});

test('the agent’s page has every record of the journal and every step', () => {
  const page = documentAt('edge-agent/README.md');
  const journal = source('edge-agent/disk/journal-record.ts');
  const records = [...journal.matchAll(/readonly k: '(\w+)'/g)];
  const named = tableRows(page.text).flatMap(([first = '']) => codeIn(first));
  const said = named.filter((name) => !name.endsWith('/'));
  expect(said.sort()).toEqual(records.map((match) => match[1]!).sort());
  const steps = /export type Step =[\s\S]*?;\n\n/.exec(source('edge-agent/edge/next-steps.ts'));
  const missing = [...(steps?.[0] ?? '').matchAll(/kind: '([\w-]+)'/g)]
    .map((match) => match[1]!)
    .filter((kind) => !page.text.includes(kind));
  expect(missing).toEqual([]);
  expect(records.length).toBeGreaterThan(5);
});

/** Pages that name functions in passing. */
const naming = ['core/scheduler/README.md', 'edge-agent/README.md', 'CONTRIBUTING.md'];
const words = new Set(
  sourceFiles()
    .filter(({ path }) => !path.startsWith('test/docs/'))
    .flatMap(({ text }) => text.match(/\w+/g) ?? []),
);

/** `canAfford(pass, …)`, `JobDraft`: what is written like a name of the code. */
function namesOfCode(text: string): string[] {
  const names = codeIn(text).map((code) => /^(\w+)(\(.*\))?$/.exec(code)?.[1] ?? '');
  return [...new Set(names.filter((name) => /[a-z][A-Z]/.test(name)))];
}

test.each(naming)('%s names what is in the code', (path) => {
  const names = namesOfCode(documentAt(path).text);
  expect(names.filter((name) => !words.has(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(0);
});

test('a phase that is not drawn would be missed', () => {
  const body =
    'export function decide(): Pass {\n  one(pass);\n  two(pass, x);\n  return pass;\n}\n';
  expect(phasesOf(body)).toEqual(['one', 'two']);
  expect(namesOfCode('`askedNoMore(pass, …)` and `noSuchDraft`, `x`')).toEqual([
    'askedNoMore',
    'noSuchDraft',
  ]);
});
