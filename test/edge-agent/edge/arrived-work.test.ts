import { expect, test } from 'vitest';
import { parseWork, type Work } from '../../../core/protocol/work.ts';
import { compareWork } from '../../../edge-agent/edge/arrived-work.ts';

function work(e: number, r = '0-9', more: object = {}): Work {
  return parseWork({ e, n: null, w: { job: { r, s: 2, p: 1, g: 'h', ...more } } })!;
}
const nothing = parseWork({ e: 0, w: {} })!;

test('a higher epoch is newer, the same again is known', () => {
  expect(compareWork(work(3), work(4), false)).toBe('newer');
  expect(compareWork(work(3), work(3), true)).toBe('known');
  expect(compareWork(work(3), work(3, '0-9', { t: null, u: null }), true)).toBe('known');
  expect(compareWork(nothing, nothing, true)).toBe('known');
});

test('only an answer to a question takes everything away', () => {
  expect(compareWork(work(3), nothing, true)).toBe('withdrawn');
  expect(compareWork(work(3), nothing, false)).toBe('known');
});

test('a lower epoch is behind, whoever says it', () => {
  expect(compareWork(work(3), work(2), false)).toBe('behind');
  expect(compareWork(work(3), work(2), true)).toBe('behind');
});

test('a spec that is left out of a repetition is no change', () => {
  expect(compareWork(work(3, '0-9', { j: '{}' }), work(3), true)).toBe('known');
});

test('the same epoch with other work is from a cloud that counted up to it again', () => {
  expect(compareWork(work(3), work(3, '0-8'), false)).toBe('newer');
  expect(compareWork(work(3), work(3, '0-9', { t: '2:4' }), false)).toBe('newer');
  const other = parseWork({ e: 3, w: { other: { r: '0-9', s: 2, p: 1, g: 'h' } } })!;
  expect(compareWork(work(3), other, false)).toBe('newer');
});
