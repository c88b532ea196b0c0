/**
 * The laws of a shadow document: merge, delta, metadata, depth and size. Pure.
 * Metadata mirrors the state: one `{timestamp}` per leaf, arrays element by element.
 */
import { equal, field, isArray, isObject, type Json, type JsonObject } from '../json.ts';

export type Section = 'desired' | 'reported';
export const sections: readonly Section[] = ['desired', 'reported'];

/** A section and its metadata travel together; an absent section has neither. */
export type Stamped = { readonly value: JsonObject; readonly metadata: JsonObject };

/** "timestamps, in Epoch time, for each attribute in the state section" */
export function stamp(value: Json, timestamp: number): Json {
  if (isArray(value)) return value.map((item) => stamp(item, timestamp));
  if (!isObject(value)) return { timestamp };
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, stamp(item, timestamp)]),
  );
}

/** "Updates affect only the fields specified"; a section that became empty is removed. */
export function mergeSection(
  current: Stamped | undefined,
  patch: JsonObject | null,
  timestamp: number,
): Stamped | undefined {
  // "If an update causes the desired or reported properties to become null, it is removed."
  if (patch === null) return undefined;
  const merged = mergeObject(current, patch, timestamp);
  return Object.keys(merged.value).length === 0 ? undefined : merged;
}

function mergeObject(current: Stamped | undefined, patch: JsonObject, timestamp: number): Stamped {
  const value = new Map(Object.entries(current?.value ?? {}));
  const metadata = new Map(Object.entries(current?.metadata ?? {}));
  for (const [key, item] of Object.entries(patch)) {
    if (item === null) {
      // "Fields with a value of null are removed from the shadow document."
      value.delete(key);
      metadata.delete(key);
      continue;
    }
    const before = value.get(key);
    const beforeMetadata = metadata.get(key);
    if (isObject(item)) {
      const nested =
        isObject(before) && isObject(beforeMetadata)
          ? { value: before, metadata: beforeMetadata }
          : undefined;
      const merged = mergeObject(nested, item, timestamp);
      value.set(key, merged.value);
      metadata.set(key, merged.metadata);
    } else {
      // "an update to an array replaces the whole array"
      const plain = withoutNulls(item);
      value.set(key, plain);
      metadata.set(key, stamp(plain, timestamp));
    }
  }
  return { value: Object.fromEntries(value), metadata: Object.fromEntries(metadata) };
}

/** Objects inside an array have no merge partner, so their null fields just vanish. */
function withoutNulls(value: Json): Json {
  if (isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}

/**
 * "calculates the delta by iterating through each field in the desired state and comparing it to
 * the reported state"; nothing when they agree. "When nested objects differ, the delta contains
 * the path all the way to the root"; arrays that differ are copied whole.
 */
export function delta(
  desired: JsonObject | undefined,
  reported: JsonObject | undefined,
): JsonObject | undefined {
  if (desired === undefined) return undefined;
  const entries: [string, Json][] = [];
  for (const [key, wanted] of Object.entries(desired)) {
    const actual = reported === undefined ? undefined : field(reported, key);
    if (actual === undefined) entries.push([key, wanted]);
    else if (isObject(wanted) && isObject(actual)) {
      const nested = delta(wanted, actual);
      if (nested !== undefined) entries.push([key, nested]);
    } else if (!equal(wanted, actual)) entries.push([key, wanted]);
  }
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** "The delta contains metadata, and its values are equal to the metadata in the desired field." */
export function deltaMetadata(difference: JsonObject, desired: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(difference).map(([key, item]) => {
      const source = field(desired, key) ?? {};
      return [key, isObject(item) && isObject(source) ? deltaMetadata(item, source) : source];
    }),
  );
}

/** `{"one":{"two":1}}` has two levels below the section; looks no deeper than it must. */
export function deeperThan(value: Json, levelsMax: number): boolean {
  if (!isObject(value) && !isArray(value)) return false;
  const items = isArray(value) ? value : Object.values(value);
  if (items.length === 0) return false;
  return levelsMax === 0 || items.some((item) => deeperThan(item, levelsMax - 1));
}

/** "Arrays can't have null values." */
export function hasNullInArray(value: Json): boolean {
  if (isArray(value)) return value.some((item) => item === null || hasNullInArray(item));
  return isObject(value) && Object.values(value).some(hasNullInArray);
}

/** "Metadata do not contribute to the document size for service limits" */
export function documentBytes(parts: readonly (JsonObject | undefined)[]): number {
  return parts.reduce(
    (sum, part) => sum + (part === undefined ? 0 : Buffer.byteLength(JSON.stringify(part))),
    0,
  );
}
