import { describe, expect, test } from 'vitest';
import { retryWords, staleWords } from '../../../dashboard/live/stale-words.ts';

const nowMs = 1_000_000;

describe('figures that are not fresh', () => {
  test.each([
    [null, 'Not fresh.'],
    [nowMs, 'As it was 1 s ago.'],
    [nowMs - 125_000, 'As it was 2 min 5 s ago.'],
    [nowMs + 60_000, 'As it was 1 s ago.'],
  ])('answered at %s: %s', (atMs, words) => {
    expect(staleWords(atMs, nowMs)).toBe(words);
  });

  test.each([
    [null, 'Trying now …'],
    [nowMs - 1, 'Trying now …'],
    [nowMs + 200, 'Next try in 1 s.'],
    [nowMs + 30_000, 'Next try in 30 s.'],
  ])('the next try at %s: %s', (atMs, words) => {
    expect(retryWords(atMs, nowMs)).toBe(words);
  });
});
