import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { placesOf, sourceFiles } from './source-files.ts';

/** House rules that no formatter knows: sizes, names, words, and where hostile text may be read. */

const sources = sourceFiles();

const fileLinesMax = 400;
const columnsMax = 100;
/** The title of a test is a sentence in one piece: the formatter does not break its line. */
const titleColumnsMax = 120;
const isTitle = (line: string) => /^\s*(?:test|describe)\b.*[('"`]/.test(line);
const isComment = (line: string) => /^\s*(\/\/|\*|\/\*)/.test(line);
/** A web address cannot be broken. */
const isAddress = (line: string) => isComment(line) && /\(https?:\S+$/.test(line);

test('files are short: longer than that, a noun is missing', () => {
  const long = sources.filter(({ lines }) => lines.length - 1 > fileLinesMax);
  expect(long.map(({ path, lines }) => `${path}: ${lines.length - 1} lines`)).toEqual([]);
});

test('lines are short', () => {
  const isLong = (line: string) =>
    line.length > (isTitle(line) ? titleColumnsMax : columnsMax) && !isAddress(line);
  expect(placesOf(sources, isLong)).toEqual([]);
});

test('names say what a file is', () => {
  const empty = /(^|-)(utils?|common|shared|misc|managers?|helpers?|types|index)$/;
  const bad = sources.filter(({ path }) => empty.test(nameOf(path)));
  expect(bad.map(({ path }) => path)).toEqual([]);
  const shaped = /^[a-z0-9]+(-[a-z0-9]+)*$/;
  const misnamed = sources.filter(({ path }) => !shaped.test(nameOf(path)));
  expect(misnamed.map(({ path }) => path)).toEqual([]);
});

test('nothing is left for later, and nothing is switched off without a reason', () => {
  const words = new RegExp(`\\b(FIX${''}ME|TO${''}DO|XX${''}X|HA${''}CK)\\b`);
  expect(placesOf(sources, (line) => words.test(line))).toEqual([]);
  const off = /@ts-(ignore|nocheck|expect-error)\s*$|biome-ignore(?![^:]*: \S)/;
  const others = sources.filter(({ path }) => path !== 'test/tidy.test.ts');
  expect(placesOf(others, (line) => off.test(line))).toEqual([]);
  expect(placesOf(sources, (line) => /\.(only|skip)\((['"`]|async|\()/.test(line))).toEqual([]);
});

test('nothing is sorted or written in the language of the host', () => {
  const silent = /\.localeCompare\(|\.toLocale\w*\(\)|new Intl\.\w+\(\)/;
  expect(placesOf(sources, (line) => silent.test(line))).toEqual([]);
});

test('every module says what it is for', () => {
  const modules = sources.filter(({ folder }) => folder === 'core');
  const silent = modules.filter(({ text }) => !/\/\*\*/.test(text));
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('text from outside is parsed where it comes in', () => {
  const doors: Readonly<Record<string, readonly string[]>> = {
    core: [],
    lambdas: ['lambdas/api/http/', 'lambdas/event-handler.ts'],
    adapters: ['adapters/aws/', 'adapters/dynamodb/rows/row-values.ts', 'adapters/iot/'],
  };
  for (const [folder, allowed] of Object.entries(doors)) {
    const files = sources.filter(
      (file) => file.folder === folder && !allowed.some((door) => file.path.startsWith(door)),
    );
    expect(placesOf(files, (line) => /\bJSON\.parse\(/.test(line))).toEqual([]);
  }
});

function nameOf(path: string): string {
  return basename(path).replace(
    /((\.slow|\.long)?\.test|\.config|\.golden|\.d)?\.(ts|tsx|mjs)$/,
    '',
  );
}
