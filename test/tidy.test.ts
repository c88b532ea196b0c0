import { basename, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { placesOf, pythonFiles, type SourceFile, sourceFiles } from './source-files.ts';

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

/** What is longer than a file may be, and why it is one file all the same. */
const inOnePiece: Readonly<Record<string, string>> = {
  'clients/python/edgewise.py': 'users copy the client beside their program, as one module',
};

test('files are short: longer than that, a noun is missing', () => {
  const isLong = ({ lines }: SourceFile) => lines.length - 1 > fileLinesMax;
  const long = [...sources, ...pythonFiles()].filter(isLong);
  expect(long.map(({ path }) => path)).toEqual(Object.keys(inOnePiece));
});

test('lines are short', () => {
  const isLong = (line: string) =>
    line.length > (isTitle(line) ? titleColumnsMax : columnsMax) && !isAddress(line);
  expect(placesOf([...sources, ...pythonFiles()], isLong)).toEqual([]);
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
    core: ['core/sweeps/record-text.ts', 'core/contract/sign-in/issued-tokens.ts'],
    lambdas: ['lambdas/api/http/', 'lambdas/event-handler.ts'],
    adapters: [
      'adapters/aws/',
      'adapters/dynamodb/rows/row-values.ts',
      'adapters/iot/',
      'adapters/oidc/',
    ],
  };
  for (const [folder, allowed] of Object.entries(doors)) {
    const files = sources.filter(
      (file) => file.folder === folder && !allowed.some((door) => file.path.startsWith(door)),
    );
    expect(placesOf(files, (line) => /\bJSON\.parse\(/.test(line))).toEqual([]);
  }
});

const shipped = ['core', 'adapters', 'lambdas', 'lib', 'edge-agent', 'cli', 'dashboard'];
const isLimits = (path: string) => path.endsWith('/limits.ts');
const isConstant = (line: string) => /^(export )?const \w+(Max|Min|TimeoutMs) = -?[0-9]/.test(line);
/** A number in the middle of code that says how often, how long or how much at most. */
const unnamed =
  /\b(attempts?|tries|rounds?) [<>]=? [0-9]{2}|\.slice\(0, [0-9]{3}|Math\.min\([\w.]+, [0-9_]{6}/;
const isBound = (line: string) => isConstant(line) || unnamed.test(line);
const isEndless = (line: string) => /\bfor \([^;]*; ;|\bfor \(;;|\bwhile \(true\)/.test(line);

test('every bound stands among the limits of its folder, with its unit and its source', () => {
  const files = sources.filter(({ path, folder }) => shipped.includes(folder) && !isLimits(path));
  expect(placesOf(files, isBound)).toEqual([]);
  expect(isBound('const triesMax = 4;')).toBe(true);
  expect(isBound('for (let tries = 0; tries < 100; tries++) {')).toBe(true);
  expect(isBound('throw new Error(text.slice(0, 200));')).toBe(true);
});

test('what runs in the cloud tries nothing for ever', () => {
  const files = sources.filter(({ folder }) => ['core', 'adapters', 'lambdas'].includes(folder));
  expect(placesOf(files, isEndless)).toEqual([]);
  expect(isEndless('for (let attempt = 1; ; attempt++) {')).toBe(true);
});

test('no client waits for a service without end', () => {
  const isUnbounded = (line: string) => /new \w+Client\((?!.*clientConfig)/.test(line);
  const files = sources.filter(({ folder }) => ['adapters', 'lambdas'].includes(folder));
  const isOwn = ({ path }: { readonly path: string }) => path.startsWith('adapters/aws/');
  expect(
    placesOf(
      files.filter((file) => !isOwn(file)),
      isUnbounded,
    ),
  ).toEqual([]);
  expect(isUnbounded('iot = new IoTClient({}),')).toBe(true);
});

/** Some fifteen are read at a glance; a few more until somebody finds the noun. */
const folderFilesMax = 20;
/** Where many files are of one kind, so that nobody has to search: their names are the list. */
const oneKind: Readonly<Record<string, string>> = {
  'core/ports': 'one noun a file',
  'adapters/dynamodb/rows': 'rows of the table, and what reads their values',
  'cli/job': 'verbs of `edgewise job`',
  'core/scheduler/phases': 'phases, in the order of the map in `scheduler/reconcile.ts`',
  scripts: 'commands, one a file',
  'test/contract': 'contracts, one a port, and what runs them',
  'test/core/scheduler': 'tests of the phases',
  'test/memory': 'memory stores, one a port',
};

test('nobody has to search in a folder', () => {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const full = [...counts].filter(([, files]) => files > folderFilesMax).map(([folder]) => folder);
  expect(full.filter((folder) => oneKind[folder] === undefined)).toEqual([]);
  expect(Object.keys(oneKind).filter((folder) => !counts.has(folder))).toEqual([]);
});

function nameOf(path: string): string {
  return basename(path).replace(
    /((\.slow|\.long)?\.test|\.config|\.golden|\.d)?\.(ts|tsx|mjs)$/,
    '',
  );
}
