/** What somebody has chosen of a list. Pure: the list goes on changing while they choose. */
export type Selection = ReadonlySet<string>;

export const noSelection: Selection = new Set();

export function toggled(selection: Selection, key: string): Selection {
  const next = new Set(selection);
  if (!next.delete(key)) next.add(key);
  return next;
}

/** All that is shown; or, when all of it is chosen already, nothing of it. */
export function toggledAll(selection: Selection, shown: readonly string[]): Selection {
  const next = new Set(selection);
  const isAll = shown.every((key) => selection.has(key));
  for (const key of shown) {
    if (isAll) next.delete(key);
    else next.add(key);
  }
  return next;
}

/** Those of the list that are chosen: what is not in it any more is not acted on. */
export function chosenOf<T>(
  items: readonly T[],
  selection: Selection,
  keyOf: (item: T) => string,
): readonly T[] {
  return selection.size === 0 ? [] : items.filter((item) => selection.has(keyOf(item)));
}
