/**
 * Tables whose names come from outside: labels, facts, amounts. They travel as plain objects, and
 * an object answers for `constructor` and the like what nobody has put there. Two ways keep that
 * out: such a table is read through `namedValue`, and filled only when it was made by `newTable`,
 * which has no prototype. What a pass or a function keeps for itself is a `Map`.
 */
export function namedValue<T>(
  table: Readonly<Record<string, T>> | undefined,
  name: string,
): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** An empty table in which every name, `__proto__` too, is a name like any other. */
export function newTable<T>(): Record<string, T> {
  return Object.create(null) as Record<string, T>;
}
