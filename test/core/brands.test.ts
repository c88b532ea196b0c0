import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { placesOf, root, sourceFiles } from '../source-files.ts';

/**
 * An id, a name or a set of chunks exists only when a constructor made it: the compiler itself is
 * asked, because a brand that holds nothing back looks the same in the source.
 */

const heading = `
import { type CellId, type EdgeName, type JobId } from '${root}/core/model/names.ts';
import { cellIdOf, jobIdOf } from '${root}/core/model/names.ts';
import { parseEdgeName } from '${root}/core/model/names.ts';
import { type RangeSet, parseRanges, rangeOf } from '${root}/core/model/ranges.ts';
export type All = CellId | EdgeName | JobId | RangeSet | ReturnType<typeof parseEdgeName>;
export const made = [cellIdOf('default.0'), jobIdOf('x'), rangeOf(0, 1), parseRanges('0')] as const;
`;

const wrong = [
  `export const job: JobId = 'x';`,
  `export const edge: EdgeName = 'x';`,
  `export const cell: CellId = 'default.0';`,
  `export const cell = (job: JobId): CellId => job;`,
  `export const job = (edge: EdgeName): JobId => edge;`,
  `export const edge = (cell: CellId): EdgeName => cell;`,
  'export const jobs = new Map<JobId, number>([["x", 1]]);',
  `export const set: RangeSet = [5, 3, 1];`,
  `export const set: RangeSet = [];`,
  'export const set = (some: RangeSet): RangeSet => some.slice(2);',
];

const right = [
  `export const job: JobId = jobIdOf('x');`,
  `export const cell: CellId | null = cellIdOf('default.0');`,
  `export const edge: EdgeName | null = parseEdgeName('x');`,
  'export const text = (job: JobId): string => job;',
  'export const set: RangeSet = rangeOf(0, 3);',
  'export const numbers = (set: RangeSet): readonly number[] => set;',
];

/** Names of the files that do not compile. */
function refused(sources: readonly string[]): Set<string> {
  const directory = mkdtempSync(join(tmpdir(), 'edgewise-brands-'));
  try {
    sources.forEach((source, at) => {
      writeFileSync(join(directory, `${at}.ts`), `${heading}${source}\n`);
    });
    const compilerOptions = { types: [], noUnusedLocals: false };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: ['*.ts'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const output = outputOf(tsc, ['-p', directory, '--pretty', 'false']);
    const errors = output.split('\n').filter((line) => /error TS/.test(line));
    const files = errors.map((line) => /(\d+)\.ts\(\d+,\d+\)/.exec(line)?.[1]);
    // An error elsewhere says nothing of the brands.
    expect(files, output).not.toContain(undefined);
    return new Set(files.map((file) => sources[Number(file)]!));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function outputOf(program: string, args: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [program, ...args], { encoding: 'utf8' });
  } catch (error) {
    const { stdout } = error as { stdout?: unknown };
    if (typeof stdout !== 'string') throw error;
    return stdout;
  }
}

test('what no constructor made does not compile', () => {
  expect(refused([...wrong, ...right])).toEqual(new Set(wrong));
});

const constructors = ['core/model/names.ts', 'core/model/ranges.ts'];
const brand = '(?:JobId|CellId|EdgeName|RangeSet)';
const cast = new RegExp(String.raw`(?<![\w'"$])as\s+(?:[^;,(){}=<'"]|<[^;(){}=>]*)*?\b${brand}\b`);

test('only the constructors cast', () => {
  const files = sourceFiles().filter(({ path }) => path !== 'test/core/brands.test.ts');
  const casting = placesOf(files, (line) => cast.test(line.replace(/^import .*/, '')));
  const elsewhere = casting.filter((place) => !constructors.includes(place.split(':')[0]!));
  expect(elsewhere).toEqual([]);
  expect(casting.length).toBeGreaterThan(constructors.length);
});

test.each([
  "'x' as JobId",
  'ids as readonly JobId[]',
  '(x as unknown as EdgeName)',
  'new Map() as Map<string, CellId>',
  '[] as RangeSet',
])('the rule sees %s', (line) => {
  expect(cast.test(line)).toBe(true);
});
