import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type WaitingReason, waitingReasons } from '../../../core/contract/waiting-reason.ts';
import {
  agoWords,
  bytesWords,
  durationWords,
  numberWords,
  powerWords,
  waitingSentence,
} from '../../../dashboard/model/words.ts';

const nowMs = Date.parse('2026-11-01T12:00:00Z');
const ago = (seconds: number) => agoWords(new Date(nowMs - 1000 * seconds).toISOString(), nowMs);

describe('words', () => {
  test.each([
    [0, 'just now'],
    [-30, 'just now'],
    [12, '12 s ago'],
    [59, '59 s ago'],
    [60, '1 min ago'],
    [3_599, '59 min ago'],
    [7_200, '2 h ago'],
    [86_400, 'yesterday'],
    [259_200, '3 days ago'],
  ])('%i s before now is %s', (seconds, words) => {
    expect(ago(seconds)).toBe(words);
  });

  test('what never happened or cannot be read is never', () => {
    expect(agoWords(null, nowMs)).toBe('never');
    expect(agoWords('soon', nowMs)).toBe('never');
  });

  test.each([
    [850, '850 ms'],
    [12_400, '12 s'],
    [200_000, '3 min 20 s'],
    [180_000, '3 min'],
    [7_500_000, '2 h 5 min'],
    [270_000_000, '3 d 3 h'],
    [-5, '0 s'],
  ])('%i ms last %s', (ms, words) => {
    expect(durationWords(ms)).toBe(words);
  });

  test.each([
    [403, '403 W'],
    [9_999, '10,000 W'],
    [12_440, '12.4 kW'],
    [31_000_000, '31 MW'],
  ])('%i is %s', (watts, words) => {
    expect(powerWords(watts)).toBe(words);
  });

  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1 kB'],
    [4_215, '4.22 kB'],
    [1_300_000_000, '1.3 GB'],
    [5e15, '5,000 TB'],
  ])('%i bytes are %s', (bytes, words) => {
    expect(bytesWords(bytes)).toBe(words);
  });

  test('large counts are short', () => {
    expect(numberWords(99_999)).toBe('99,999');
    expect(numberWords(1_234_567)).toBe('1.2M');
  });

  test('every waiting reason is explained, on the page and in the documentation', () => {
    const concepts = readFileSync(new URL('../../../docs/concepts.md', import.meta.url), 'utf8');
    for (const reason of waitingReasons) {
      expect(waitingSentence(reason)).toMatch(/^[A-Z].*\.$/);
      expect(concepts).toContain(`\`${reason}\``);
    }
  });

  test('a waiting reason is a sentence, also one that nobody foresaw', () => {
    expect(waitingSentence('no-free-power')).toMatch(/power is taken/);
    expect(waitingSentence('no-free-gpus')).toBe('No matching edge has free gpus.');
    expect(waitingSentence('something-new' as WaitingReason)).toBe('something-new');
    expect(waitingSentence('toString' as WaitingReason)).toBe('toString');
  });
});
