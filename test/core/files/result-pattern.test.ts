import { expect, test } from 'vitest';
import {
  isMatched,
  mayMatchBelow,
  parsePattern,
  patternProblem,
} from '../../../core/files/result-pattern.ts';

const matches = (pattern: string, path: string): boolean => isMatched(parsePattern(pattern), path);
const looks = (pattern: string, path: string): boolean =>
  mayMatchBelow(parsePattern(pattern), path);

test.each([
  ['a', 'a', true],
  ['a', 'b', false],
  ['a', 'a/b/c', true],
  ['a/', 'a/b', true],
  ['a/', 'a', true],
  ['*.csv', 'x.csv', true],
  ['*.csv', 'd/x.csv', false],
  ['*.csv', '.x.csv', false],
  ['.*.csv', '.x.csv', true],
  ['**', 'a/b/c', true],
  ['**', '.cache/x', false],
  ['**/.cache/x', 'a/.cache/x', true],
  ['**/*.png', 'x.png', true],
  ['**/*.png', 'a/b/x.png', true],
  ['**/*.png', 'a/b/x.jpg', false],
  ['result/**', 'result/a/b', true],
  ['result/**', 'results/a', false],
  ['result/**/x', 'result/x', true],
  ['a/*/c', 'a/b/c', true],
  ['a/*/c', 'a/b/d/c', false],
  ['frame-??.png', 'frame-01.png', true],
  ['frame-??.png', 'frame-001.png', false],
  ['*a*b*', 'xxaxxbxx', true],
  ['*a*b', 'ab-ab-x', false],
  ['ä?', 'ä😀', true],
  ['[ab]', '[ab]', true],
  ['[ab]', 'a', false],
])('%s and %s: %s', (pattern, path, is) => {
  expect(matches(pattern, path)).toBe(is);
});

test('only directories are looked into in which something may be meant', () => {
  expect(looks('result/**', 'result')).toBe(true);
  expect(looks('result/**', 'other')).toBe(false);
  expect(looks('*.csv', 'other')).toBe(false);
  expect(looks('a/b/*.csv', 'a')).toBe(true);
  expect(looks('a/b/*.csv', 'a/c')).toBe(false);
  expect(looks('**/x', 'a/b')).toBe(true);
  expect(looks('**/x', '.git')).toBe(false);
  expect(looks('a', 'a/b')).toBe(true);
});

test('a pattern that leads out, or nowhere, is none', () => {
  expect(patternProblem('../x')).toMatch(/part "\.\."/);
  expect(patternProblem('/etc/*')).toMatch(/begins with a slash/);
  expect(patternProblem('a//b')).toMatch(/empty part/);
  expect(patternProblem('')).toMatch(/is empty/);
  expect(patternProblem('a/**/')).toBeNull();
});

test('no pattern takes long, whatever it is matched with', () => {
  const hard = `${'*a'.repeat(60)}b`;
  expect(matches(hard, 'a'.repeat(255))).toBe(false);
  const deep = Array.from({ length: 40 }, () => '**').join('/');
  expect(matches(`${deep}/x`, Array.from({ length: 200 }, () => 'a').join('/'))).toBe(false);
});
