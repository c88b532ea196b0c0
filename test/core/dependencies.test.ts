import { expect, test } from 'vitest';
import { checkDependencies } from '../../core/dependencies.ts';
import type { JobId } from '../../core/names.ts';

const stored: Record<string, string[]> = { a: [], b: ['a'], c: ['b'], d: ['c', 'a'] };
const look = (job: JobId) => (stored[job] as JobId[] | undefined) ?? null;
const check = (id: string, dependsOn: string[]) =>
  checkDependencies(id as JobId, dependsOn as JobId[], look);

test('known parents without a way back are fine', () => {
  expect(check('x', ['d', 'b'])).toEqual({ kind: 'fine' });
  expect(check('x', [])).toEqual({ kind: 'fine' });
});

test('unknown parents are named', () => {
  expect(check('x', ['a', 'y', 'z'])).toEqual({ kind: 'unknown', ids: ['y', 'z'] });
});

test('a way back is a cycle, shown as the path', () => {
  expect(check('x', ['x'])).toEqual({ kind: 'cycle', path: ['x', 'x'] });
  expect(check('a', ['d'])).toEqual({ kind: 'cycle', path: ['a', 'd', 'a'] });
  expect(check('b', ['c'])).toEqual({ kind: 'cycle', path: ['b', 'c', 'b'] });
});
