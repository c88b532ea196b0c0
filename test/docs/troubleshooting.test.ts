import { expect, test } from 'vitest';
import { exitCode } from '../../cli/exit-code.ts';
import { problemTable } from '../../core/contract/problem.ts';
import { waitingReasons } from '../../core/contract/waiting-reason.ts';
import { chunksFailed, dependencyFailed } from '../../core/model/job-status.ts';
import { codeIn, documentAt, sectionOf, tableRows } from './documents.ts';

/** Whoever sees a code of ours finds it on the page about troubles, each once, with a sentence. */
const page = documentAt('docs/guides/troubleshooting.md');

function rowsOf(heading: string): string[][] {
  const section = sectionOf(page, heading);
  if (section === null) throw new Error(`there is no section "${heading}"`);
  return tableRows(section);
}

const codesOf = (rows: string[][]) => rows.map(([first = '']) => codeIn(first)[0] ?? first);
const hasSentence = (row: string[]) => row.slice(1).every((cell) => cell.split(' ').length > 1);

test('every reason why a chunk waits has a sentence and a remedy', () => {
  const rows = rowsOf('Why a job waits');
  const named = codesOf(rows).filter((code) => code !== 'no-free-<resource>');
  expect(named.toSorted()).toEqual(waitingReasons.toSorted());
  expect(rows.filter((row) => !row[1]?.includes(' '))).toEqual([]);
  expect(rows.filter((row) => (row[2] ?? '').length < 5)).toEqual([]);
});

test('every exit code has a sentence', () => {
  const rows = rowsOf('Exit codes');
  expect(codesOf(rows).map(Number)).toEqual(Object.values(exitCode));
  expect(rows.filter((row) => row[0] !== '0' && !hasSentence(row))).toEqual([]);
});

test('every error code of the API has its status and a remedy', () => {
  const rows = rowsOf('Error codes of the API');
  const table = Object.entries(problemTable).map(([code, [status]]) => [code, String(status)]);
  expect(rows.map((row) => [codeIn(row[0] ?? '')[0], row[1]])).toEqual(table);
  expect(rows.filter((row) => !hasSentence(row.toSpliced(1, 1)))).toEqual([]);
});

test('the reasons of failed jobs are there', () => {
  const codes = codesOf(rowsOf('Why a job failed'));
  expect(codes).toEqual([chunksFailed, 'max-failed-chunks', dependencyFailed]);
});
