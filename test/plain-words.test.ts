import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openApiDocument } from '../core/contract/openapi.ts';
import { problemTable } from '../core/contract/problem.ts';
import { root } from './source-files.ts';

/**
 * What users read is in the words of the field. Inside of the code some words have a meaning of
 * their own, which nobody outside can know.
 */
const privateWords: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(deaf|stray|heard|silen(t|ce)|untold|told)\b/i, 'say what was or was not reported'],
  [/\bunless said\b/i, 'by default'],
  [/\b(dear)\b/i, 'expensive'],
  [/(?<!control[ -]|data-)\bplane\b/i, 'control plane'],
  [/\btalk\b/i, 'messages'],
  [/\blamps?\b/i, 'state or status'],
  [/\b(a|the|this) cut\b/i, 'the division into chunks, or a lost connection'],
  [/\bfold(s|ed)?\b/i, 'apply, update'],
  [/\b(is|are) none\b/i, 'is not valid'],
  [/\b(next generation|(first|second) round)\b/i, 'the name and version of the format'],
];

const sessions = join(root, 'test/cli/sessions');

const texts: readonly (readonly [name: string, text: string])[] = [
  ['docs/api.md', readFileSync(join(root, 'docs/api.md'), 'utf8')],
  ['docs/cli.md', readFileSync(join(root, 'docs/cli.md'), 'utf8')],
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

test('private words are seen', () => {
  expect(wordsIn('50 unless said')).toHaveLength(1);
  expect(wordsIn('the plane is dear')).toHaveLength(1);
  expect(wordsIn('the control plane')).toEqual([]);
});
