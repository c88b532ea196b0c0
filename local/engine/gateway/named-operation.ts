/**
 * An operation by the name that a request gives: one of ours, and never what every object has by
 * birth, such as `constructor`.
 */
export function operationOf<T>(
  operations: Readonly<Record<string, T>>,
  name: string,
): T | undefined {
  return Object.hasOwn(operations, name) ? operations[name] : undefined;
}
