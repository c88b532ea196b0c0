import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countOf, namesOf, parametersAt } from '../../../core/sweeps/sweep.ts';

test('a matrix is all combinations, the last name changes fastest', () => {
  const sweep = { matrix: { lr: [0.1, 0.01], seed: [1, 2, 3] } };
  expect(countOf(sweep)).toBe(6);
  const all = [0, 1, 2, 3, 4, 5].map((n) => [...parametersAt(sweep, n).values()].join('/'));
  expect(all).toEqual(['0.1/1', '0.1/2', '0.1/3', '0.01/1', '0.01/2', '0.01/3']);
});

test('every combination of a matrix comes once', () => {
  const values = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 5 });
  const matrix = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), values, {
    minKeys: 1,
    maxKeys: 4,
  });
  fc.assert(
    fc.property(matrix, (table) => {
      const sweep = { matrix: table };
      const count = countOf(sweep);
      const seen = new Set<string>();
      for (let n = 0; n < count; n++) seen.add(JSON.stringify([...parametersAt(sweep, n)]));
      expect(seen.size).toBe(count);
    }),
  );
});

test('names of items are those that all of them have', () => {
  const items: Record<string, number | string>[] = JSON.parse(
    '[{"toString":"a","lr":1},{"lr":2,"seed":3}]',
  );
  expect([...namesOf({ items })]).toEqual(['lr']);
  expect([...parametersAt({ items }, 0)]).toEqual([
    ['toString', 'a'],
    ['lr', 1],
  ]);
});
