import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProgressFile } from '../../../edge-agent/chunk-directory/progress-file.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'edgewise-progress-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const file = (): string => join(directory, 'progress');

test.each<[string, number | null]>([
  ['50\n', 50],
  ['10\n20\n37.5 %\n', 37.5],
  ['step 3 of 7', 7],
  ['', null],
  ['soon', null],
  [`${'1 '.repeat(10_000)}88`, 88],
])('of %j the last number counts', (text, percent) => {
  writeFileSync(file(), text);
  expect(readProgressFile(directory)).toBe(percent);
});

test('no file, a link and a pipe say nothing, and hold nobody up', () => {
  expect(readProgressFile(directory)).toBeNull();
  writeFileSync(join(directory, 'other'), '50');
  symlinkSync(join(directory, 'other'), file());
  expect(readProgressFile(directory)).toBeNull();
  rmSync(file());
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', file()]);
  expect(readProgressFile(directory)).toBeNull();
});
