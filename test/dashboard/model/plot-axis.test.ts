import { expect, test } from 'vitest';
import { axisTop } from '../../../dashboard/model/plot-axis.ts';

test('the axis ends at a round number above the highest bar', () => {
  expect(axisTop([])).toBe(4);
  expect(axisTop([37])).toBe(40);
  expect(axisTop([410, 3])).toBe(500);
  expect(axisTop([1_000])).toBe(1_000);
});
