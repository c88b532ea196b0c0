import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApiDocument } from '../core/contract/openapi/openapi-document.ts';
import { problemTable } from '../core/contract/problem.ts';
import { documents } from './docs/documents.ts';
import { placesOf, root, type SourceFile, sourceFiles } from './source-files.ts';

/**
 * What users and operators read is in the words of the field. Inside of the code some words have a
 * meaning of their own, which nobody outside can know.
 */
const privateWords: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(deaf|strays?|(un)?heard|silen(t|ce)|untold|told)\b/i, 'say what was or was not reported'],
  [/\bunless said\b/i, 'by default'],
  [/\b(dear)\b/i, 'expensive'],
  [/(?<!control[ -]|data[- ])\bplane\b/i, 'control plane'],
  [/\btalk\b/i, 'messages'],
  [/\blamps?\b/i, 'state or status'],
  [/\b(a|the|this|short) cut\b/i, 'the division into chunks, or a lost connection'],
  [/\bfold(s|ed|ing)?\b/i, 'apply, update'],
  [/\b(is|are) none\b/i, 'is not valid'],
  [/\bset aside\b/i, 'quarantined'],
  // What is before it has no other name: its documents say `version: 1`, too.
  [/(?<!the format before the )\bnext generation\b/i, 'the name and version of the format'],
  [/\b(first|second) round\b/i, 'the name and version of the format'],
];

/**
 * Pages for who changes the code, where a word of conduct or of the world outside is right, and
 * records, which are not edited afterwards.
 */
const unchecked: readonly (readonly [page: RegExp, because: string])[] = [
  [/^docs\/decisions\//, 'a record is written when the decision is made and stays'],
  [/^CODE_OF_CONDUCT\.md$/, 'speaks of people, who tell and are told'],
  [/^(?!(docs|local)\/).+\/README\.md$/, 'beside the code, for who changes it'],
];

/**
 * Without names of the code, titles of commits, and the titles of tests, which `docs/promises.md`
 * has after a `›`.
 */
function prose(text: string): string {
  return text
    .replaceAll(/^\*Example:\* .*$/gm, '')
    .replaceAll(/ › .*?(?=<br>| \||$)/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');
}

const pages = documents()
  .filter(({ path }) => !unchecked.some(([page]) => page.test(path)))
  .map(({ path, text }) => [path, prose(text)] as const);

/** Literals of several words and no code: what is shown, logged, or said in the template. */
function sentencesOf({ lines }: Pick<SourceFile, 'lines'>): string[] {
  const literal = /'([^'\n]+)'|"([^"\n]+)"|`([^`\n]+)`|>([^<>{}\n]+)</g;
  return lines
    .filter((line) => !/^\s*(\/\/|\*|\/\*)/.test(line))
    .flatMap((line) => [...line.matchAll(literal)].map((match) => match.slice(1).join('')))
    .map((text) => text.replaceAll(/\$\{[^}]*\}/g, 'x').trim())
    .filter((text) => text.split(' ').length > 2 && !/[=;{}[\]|&]/.test(text));
}

const shown = ['cli', 'core', 'adapters', 'lambdas', 'edge-agent', 'lib', 'dashboard', 'scripts'];

const sessions = join(root, 'test/cli/sessions');

const texts: readonly (readonly [name: string, text: string])[] = [
  ...pages,
  ['the OpenAPI document', JSON.stringify(openApiDocument('0.0.0'), null, 1)],
  ['the table of problems', JSON.stringify(problemTable, null, 1)],
  ...readdirSync(sessions).map(
    (name) => [`the session ${name}`, readFileSync(join(sessions, name), 'utf8')] as const,
  ),
];

function wordsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const found = privateWords.find(([pattern]) => pattern.test(line));
    return found === undefined ? [] : [`${line.trim()} (${found[1]})`];
  });
}

test.each(texts)('%s is in plain words', (_, text) => {
  expect(wordsIn(text)).toEqual([]);
});

test.each(shown)('what %s says is in plain words', (folder) => {
  const files = sourceFiles().filter((file) => file.folder === folder);
  const found = files.flatMap((file) =>
    sentencesOf(file)
      .flatMap(wordsIn)
      .map((it) => `${file.path}: ${it}`),
  );
  expect(found).toEqual([]);
  expect(files.flatMap(sentencesOf).length).toBeGreaterThan(10);
});

/**
 * Parts of names that only their authors knew, in code, in comments and in the titles of tests.
 * What is stored keeps its letters: `told` is an attribute of a row.
 */
const privateNames = [
  '(un)?told|(un)?heard|deaf|lamps?|turnstile|upkeep',
  'companions?|newcomers?|asides?',
];
const privateName = new RegExp(`(^|[^a-z])(${privateNames.join('|')})(?![a-z])`, 'i');
const storedLetters = [
  'adapters/dynamodb/rows/rows-cell.ts',
  'adapters/dynamodb/rows/rows-slice.ts',
  'adapters/dynamodb/rows/rows-work.ts',
  'test/adapters/dynamodb/',
];

/** `makeTurnstile` is two words; `<aside>` is an element. */
const inWords = (line: string) =>
  line.replaceAll(/<\/?aside\b/g, '').replaceAll(/([a-z])(?=[A-Z])/g, '$1 ');
const hasPrivateName = (line: string) => privateName.test(inWords(line));

test('names, comments and titles of tests are in plain words', () => {
  const files = sourceFiles().filter(
    ({ path }) =>
      !/^(test\/plain-words|local\/test\/)/.test(path) &&
      !storedLetters.some((it) => path.startsWith(it)),
  );
  expect(placesOf(files, hasPrivateName)).toEqual([]);
  expect(hasPrivateName('const turn = makeTurnstile(2);')).toBe(true);
  expect(hasPrivateName('const status = clamp(it);')).toBe(false);
});

test('private words are seen', () => {
  expect(wordsIn('50 unless said')).toHaveLength(1);
  expect(wordsIn('the plane is dear')).toHaveLength(1);
  expect(wordsIn('the control plane')).toEqual([]);
  expect(wordsIn(prose('| a | the `fold` | `x` › a fold is told |'))).toEqual([]);
  const lines = ["  description: 'Much of it went silent at once.',", '  // silent for once'];
  expect(sentencesOf({ lines }).flatMap(wordsIn)).toHaveLength(1);
});
