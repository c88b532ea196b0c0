import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drawnRows } from '../../../dashboard/model/drawn-rows.ts';

test.each([
  ['what is seen', { from: 100, to: 140 }, { from: 100, to: 140 }],
  ['a list below the screen', { from: 0, to: -15 }, { from: 0, to: 10 }],
  ['a list that was scrolled past', { from: 5_000, to: 5_010 }, { from: 990, to: 1_000 }],
  ['its end', { from: 980, to: 1_020 }, { from: 980, to: 1_000 }],
])('of a thousand rows %s', (_, seen, drawn) => {
  expect(drawnRows(seen, 1_000, 10)).toEqual(drawn);
});

test('a short list is drawn whole, wherever it is', () => {
  for (const seen of [
    { from: 0, to: -15 },
    { from: 90, to: 120 },
  ]) {
    expect(drawnRows(seen, 25, 10)).toEqual({ from: 0, to: 25 });
    expect(drawnRows(seen, 0, 10)).toEqual({ from: 0, to: 0 });
  }
});

test('never fewer rows than none, and never one that is not there', () => {
  const edge = fc.integer({ min: -10_000, max: 10_000 });
  fc.assert(
    fc.property(edge, edge, fc.nat(2_000), (from, to, total) => {
      const drawn = drawnRows({ from, to }, total, 10);
      expect(drawn.from).toBeGreaterThanOrEqual(0);
      expect(drawn.to).toBeGreaterThanOrEqual(drawn.from);
      expect(drawn.to).toBeLessThanOrEqual(total);
    }),
  );
});
