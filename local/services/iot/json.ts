/** JSON values as data: the shape every document, rule and policy of this folder is made of. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = { readonly [key: string]: Json };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isArray = (value: unknown): value is readonly Json[] => Array.isArray(value);

/** Own properties only: a document may contain the key `__proto__` or `constructor`. */
export const field = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Equality of values: the order of keys does not matter, the order of elements does. */
export function equal(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (isArray(left) && isArray(right)) {
    return left.length === right.length && left.every((item, at) => equal(item, right[at] as Json));
  }
  if (isObject(left) && isObject(right)) {
    const keys = Object.keys(left);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => Object.hasOwn(right, key) && equal(left[key]!, right[key]!))
    );
  }
  return false;
}
