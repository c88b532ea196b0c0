import { expect, test } from 'vitest';
import { formatRanges } from '../../../core/model/ranges.ts';
import { numbersOf, scaledTo, withoutNumber } from '../../../core/services/instance-numbers.ts';

const five = { chunks: 5, chunkPower: 10, lastChunkPower: 10 };

const shown = (chunking: typeof five & { gaps?: readonly number[] }) =>
  formatRanges(numbersOf(chunking));

test('numbers are the lowest there are, without those that were taken out', () => {
  expect(shown(five)).toBe('0-4');
  const four = withoutNumber(five, 1);
  expect(four).toEqual({ ...five, chunks: 4, gaps: [1] });
  expect(shown(four)).toBe('0,2-4');
  expect(shown(withoutNumber(four, 3))).toBe('0,2,4');
});

test('the highest one leaves no gap, and takes those below it along', () => {
  expect(withoutNumber(five, 4)).toEqual({ ...five, chunks: 4 });
  expect(withoutNumber(withoutNumber(five, 3), 4)).toEqual({ ...five, chunks: 3 });
  expect(withoutNumber({ ...five, chunks: 1 }, 0)).toEqual({ ...five, chunks: 0 });
});

test.each([
  [6, '0-5'],
  [5, '0-4'],
  [4, '0-1,3-4'],
  [3, '0,3-4'],
  [2, '0,3'],
  [1, '0'],
  [0, ''],
])('scaled to %i a service with gaps at 1 and 2 has %s', (chunks, numbers) => {
  const gappy = withoutNumber(withoutNumber(five, 1), 2);
  const scaled = scaledTo(gappy, chunks);
  expect(scaled.chunks).toBe(chunks);
  expect(shown(scaled)).toBe(numbers);
  expect(scaled.gaps?.length).not.toBe(0);
});
