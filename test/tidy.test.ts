import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { placesOf, type SourceFile, sourceFiles } from './source-files.ts';

/** House rules that no formatter knows: sizes, names, words, and where hostile text may be read. */

const sources = sourceFiles();

const fileLinesMax = 400;
const functionLinesMax = 70;
const columnsMax = 100;
/** The title of a test is a sentence in one piece. */
const testColumnsMax = 180;
const isComment = (line: string) => /^\s*(\/\/|\*|\/\*)/.test(line);
/** A web address cannot be broken. */
const isAddress = (line: string) => isComment(line) && /\(https?:\S+$/.test(line);

test('files are short: longer than that, a noun is missing', () => {
  const long = sources.filter(({ lines }) => lines.length - 1 > fileLinesMax);
  expect(long.map(({ path, lines }) => `${path}: ${lines.length - 1} lines`)).toEqual([]);
});

test('lines are short', () => {
  const tests = sources.filter(({ path }) => /(^|\/)test\//.test(path));
  const others = sources.filter((file) => !tests.includes(file));
  const isLong = (line: string) => line.length > columnsMax && !isAddress(line);
  expect(placesOf(others, isLong)).toEqual([]);
  expect(placesOf(tests, (line) => isComment(line) && isLong(line))).toEqual([]);
  expect(placesOf(tests, (line) => line.length > testColumnsMax)).toEqual([]);
});

test('functions are short: longer than that, it does two things', () => {
  const products = sources.filter(({ path }) => !/(^|\/)test\//.test(path));
  expect(products.flatMap(longFunctions)).toEqual([]);
  const lines = ['const f = (a: number): void => {', ...Array(71).fill('  a;'), '};'];
  const long = { path: 'core/x.ts', folder: 'core', text: lines.join('\n'), lines };
  expect(longFunctions(long)).toEqual(['core/x.ts:1: 71 lines']);
  expect(longFunctions({ ...long, lines: lines.slice(1) })).toEqual([]);
});

/**
 * A function begins on a line that ends with its brace and ends on the first one of the same
 * indentation that begins with one: the formatter sees to that.
 */
function longFunctions({ path, lines }: SourceFile): string[] {
  return lines.flatMap((line, at) => {
    if (!/(=>|\)(: [^={}]+)?) \{$/.test(line)) return [];
    const indent = /^ */.exec(line)![0];
    const end = lines.findIndex((one, i) => i > at && one.startsWith(`${indent}}`));
    const count = end - at - 1;
    return count > functionLinesMax ? [`${path}:${at + 1}: ${count} lines`] : [];
  });
}

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
