import { expect, test } from 'vitest';
import { suggest } from '../../../cli/input/suggestion.ts';

const words = ['submit', 'status', 'logs', 'watch', 'explain', 'job'];

test.each([
  ['sbmit', 'submit'],
  ['submti', 'submit'],
  ['statsu', 'status'],
  ['exlpain', 'explain'],
  ['jbo', 'job'],
  ['log', 'logs'],
])('%s was meant to be %s', (typed, meant) => expect(suggest(typed, words)).toBe(meant));

test.each(['frobnicate', '', 'x', 'statistics-of-everything'])('%j is like none', (typed) => {
  expect(suggest(typed, words)).toBeNull();
});
