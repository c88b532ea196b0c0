import { expect, test } from 'vitest';
import { chosenOf, noSelection, toggled, toggledAll } from '../../../dashboard/model/selection.ts';

const self = (name: string) => name;

test('a row is chosen, and chosen no longer', () => {
  const one = toggled(noSelection, 'a');
  expect([...one]).toEqual(['a']);
  expect(toggled(one, 'a').size).toBe(0);
  expect(noSelection.size).toBe(0);
});

test('all that is shown is chosen, and what is not shown stays as it was', () => {
  const some = new Set(['a', 'hidden']);
  const all = toggledAll(some, ['a', 'b']);
  expect([...all].sort()).toEqual(['a', 'b', 'hidden']);
  expect([...toggledAll(all, ['a', 'b'])]).toEqual(['hidden']);
});

test('what is not in the list any more is not acted on', () => {
  expect(chosenOf(['b', 'c'], new Set(['a', 'c']), self)).toEqual(['c']);
  expect(chosenOf(['b', 'c'], noSelection, self)).toEqual([]);
});
