/**
 * Event filtering of Lambda event sources
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html): a pattern names
 * fields and for each a list of alternatives. All named fields must match; `$or` takes a list of
 * patterns. "Lambda supports the Amazon EventBridge rules and uses the same syntax": a list in the
 * record matches by one of its elements, and fields that are asked for together must match in the
 * same element. A pattern that AWS would refuse stops the start with its path.
 */

import type { Json, JsonObject } from '../../../../assembly/assembly.ts';
import { StartFailure } from '../../../../failure.ts';
import { filterBytesMax } from '../../../../limits.ts';
import { compileOperator, type LeafTest } from './operators.ts';
import { type Leaf, parseExactly, sameLeaf, WrittenNumber } from './written-number.ts';

/** True when the record passes. */
export type FilterPattern = (record: Json) => boolean;

/** `root`: the whole record, because "does not exist" is about all of it. */
type Node = (value: Json | undefined, root: Json) => boolean;

export function compileFilter(text: string, path: string): FilterPattern {
  const node = compileObject(parsePattern(text, path), path, []);
  return (record) => node(record, record);
}

/** The pattern's JSON, with numbers as they are written. */
export function parsePattern(text: string, path: string): Json {
  if (text.length > filterBytesMax) {
    throw new StartFailure(`${path}: a filter pattern has at most ${filterBytesMax} characters.`);
  }
  try {
    return parseExactly(text);
  } catch {
    throw new StartFailure(`${path}: the filter pattern is not JSON.`);
  }
}

function compileObject(pattern: Json, path: string, keys: readonly string[]): Node {
  if (!isObject(pattern)) {
    throw new StartFailure(`${path}: a filter pattern is an object of fields.`);
  }
  if (Object.keys(pattern).length === 0) {
    throw new StartFailure(`${path}: a filter pattern names at least one field.`);
  }
  const tests = Object.entries(pattern).map(([key, value]): Node => {
    const at = `${path}.${key}`;
    if (key === '$or') return compileOr(value, at, keys);
    return Array.isArray(value)
      ? compileAlternatives(value, at, [...keys, key])
      : compileObjectAt(value, at, [...keys, key]);
  });
  return (value, root) => tests.every((test) => test(value, root));
}

/** A field with fields of its own: each object of a list is looked at by itself. */
function compileObjectAt(value: Json, path: string, keys: readonly string[]): Node {
  const inner = compileObject(value, path, keys);
  const key = keys.at(-1) ?? '';
  return (parent, root) => {
    const objects = elementsOf(field(parent, key)).filter(isObject);
    return objects.length === 0 ? inner({}, root) : objects.some((item) => inner(item, root));
  };
}

function compileOr(value: Json, path: string, keys: readonly string[]): Node {
  if (!Array.isArray(value) || value.length < 2) {
    throw new StartFailure(`${path}: $or takes a list of patterns, two at least.`);
  }
  const patterns = value.map((item, index) => compileObject(item, `${path}[${index}]`, keys));
  return (record, root) => patterns.some((pattern) => pattern(record, root));
}

function compileAlternatives(list: readonly Json[], path: string, keys: readonly string[]): Node {
  if (list.length === 0) throw new StartFailure(`${path}: an empty list never matches.`);
  const mayBeAbsent = list.some((item) => isObject(item) && item.exists === false);
  const tests = list.map((item, index) => compileAlternative(item, `${path}[${index}]`));
  const key = keys.at(-1) ?? '';
  return (parent, root) => {
    if (mayBeAbsent && !hasLeaf(root, keys)) return true;
    const leaves = elementsOf(field(parent, key)).filter(isLeaf);
    return leaves.some((leaf) => tests.some((test) => test(leaf)));
  };
}

function compileAlternative(item: Json, path: string): LeafTest {
  if (isLeaf(item)) return (value) => sameLeaf(value, item);
  if (Array.isArray(item)) throw new StartFailure(`${path}: a list cannot stand here.`);
  const [name, argument] = Object.entries(item)[0] ?? ['', null];
  if (Object.keys(item).length !== 1) throw new StartFailure(`${path}: one operator at a time.`);
  return compileOperator(name, argument, `${path}.${name}`);
}

function field(record: Json | undefined, key: string): Json | undefined {
  return isObject(record) && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The value itself, or all elements of a list, of lists inside it too; nothing when absent. */
function elementsOf(value: Json | undefined): Json[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.flatMap(elementsOf) : [value];
}

/** "The Exists operator only works on leaf nodes": an object at the end of the path is none. */
function hasLeaf(value: Json, keys: readonly string[]): boolean {
  const [key, ...rest] = keys;
  if (key === undefined) return elementsOf(value).some(isLeaf);
  return elementsOf(value).some((item) => {
    const next = field(item, key);
    return next !== undefined && hasLeaf(next, rest);
  });
}

function isObject(value: Json | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof WrittenNumber)
  );
}

function isLeaf(value: Json): value is Json & Leaf {
  return typeof value !== 'object' || value === null || value instanceof WrittenNumber;
}
