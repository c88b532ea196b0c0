/**
 * Event filtering of Lambda event sources
 * (https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html): a pattern names
 * fields and for each a list of alternatives. All named fields must match; `$or` takes a list of
 * patterns. A pattern that AWS would refuse stops the start with its path.
 */
import { StartFailure } from '../failure.ts';
import type { Json, JsonObject } from '../template/assembly.ts';

/** True when the record passes. */
export type FilterPattern = (record: Json) => boolean;

/** `undefined` as value: the field does not exist. */
type Test = (value: Json | undefined) => boolean;

export function compileFilter(text: string, path: string): FilterPattern {
  let pattern: Json;
  try {
    pattern = JSON.parse(text) as Json;
  } catch {
    throw new StartFailure(`${path}: the filter pattern is not JSON.`);
  }
  return compileObject(pattern, path);
}

function compileObject(pattern: Json, path: string): FilterPattern {
  if (typeof pattern !== 'object' || pattern === null || Array.isArray(pattern)) {
    throw new StartFailure(`${path}: a filter pattern is an object of fields.`);
  }
  const tests = Object.entries(pattern).map(([key, value]): FilterPattern => {
    const at = `${path}.${key}`;
    if (key === '$or') return compileOr(value, at);
    if (!Array.isArray(value)) {
      const inner = compileObject(value, at);
      return (record) => inner(field(record, key) ?? {});
    }
    const test = compileAlternatives(value, at);
    return (record) => {
      const actual = field(record, key);
      // An array in the record matches when one of its elements does.
      if (Array.isArray(actual) && actual.length > 0) return actual.some(test);
      return test(actual);
    };
  });
  return (record) => tests.every((test) => test(record));
}

function compileOr(value: Json, path: string): FilterPattern {
  if (!Array.isArray(value) || value.length === 0) {
    throw new StartFailure(`${path}: $or takes a list of patterns.`);
  }
  const patterns = value.map((item, index) => compileObject(item, `${path}[${index}]`));
  return (record) => patterns.some((pattern) => pattern(record));
}

function field(record: Json, key: string): Json | undefined {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return undefined;
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function compileAlternatives(list: readonly Json[], path: string): Test {
  if (list.length === 0) throw new StartFailure(`${path}: an empty list never matches.`);
  const tests = list.map((item, index) => compileAlternative(item, `${path}[${index}]`));
  return (value) => tests.some((test) => test(value));
}

function compileAlternative(item: Json, path: string): Test {
  if (typeof item !== 'object' || item === null) return (value) => value === item;
  if (Array.isArray(item)) throw new StartFailure(`${path}: a list cannot stand here.`);
  const [name, argument] = Object.entries(item)[0] ?? ['', null];
  if (Object.keys(item).length !== 1) throw new StartFailure(`${path}: one operator at a time.`);
  const operator = operators[name];
  if (operator === undefined) {
    throw new StartFailure(`${path}.${name}: the local cloud does not know this filter operator.`);
  }
  return operator(argument, `${path}.${name}`);
}

const operators: Readonly<Record<string, (argument: Json, path: string) => Test>> = {
  exists: (argument, path) => {
    if (typeof argument !== 'boolean') throw new StartFailure(`${path}: takes true or false.`);
    return (value) => isLeaf(value) === argument;
  },
  prefix: (argument, path) => textTest(argument, path, (value, part) => value.startsWith(part)),
  suffix: (argument, path) => textTest(argument, path, (value, part) => value.endsWith(part)),
  'equals-ignore-case': (argument, path) =>
    textTest(argument, path, (value, other) => value.toLowerCase() === other.toLowerCase()),
  wildcard: (argument, path) => {
    const source = textOf(argument, path)
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*');
    const expression = new RegExp(`^${source}$`, 's');
    return (value) => typeof value === 'string' && expression.test(value);
  },
  numeric: compileNumeric,
  'anything-but': (argument, path) => {
    const list = Array.isArray(argument) ? argument : [argument];
    const test = compileAlternatives(list, path);
    // The field must exist; only its value is excluded.
    return (value) => value !== undefined && !test(value);
  },
};

function isLeaf(value: Json | undefined): boolean {
  return (
    value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))
  );
}

/**
 * A text, or (as EventBridge allows) an object with `equals-ignore-case` inside prefix and suffix.
 */
function textTest(
  argument: Json,
  path: string,
  compare: (value: string, wanted: string) => boolean,
): Test {
  const folded = typeof argument === 'object' ? foldedText(argument) : undefined;
  if (folded !== undefined) {
    return (value) => typeof value === 'string' && compare(value.toLowerCase(), folded);
  }
  const wanted = textOf(argument, path);
  return (value) => typeof value === 'string' && compare(value, wanted);
}

function foldedText(argument: JsonObject | Json[] | null): string | undefined {
  if (argument === null || Array.isArray(argument)) return undefined;
  const text = argument['equals-ignore-case'];
  return typeof text === 'string' ? text.toLowerCase() : undefined;
}

function textOf(argument: Json, path: string): string {
  if (typeof argument === 'string') return argument;
  throw new StartFailure(`${path}: takes a text.`);
}

/** `["=", 5]` or a range such as `[">", 0, "<=", 10]`. */
function compileNumeric(argument: Json, path: string): Test {
  const list = Array.isArray(argument) ? argument : [];
  if (list.length === 0 || list.length % 2 !== 0 || list.length > 4) {
    throw new StartFailure(`${path}: takes one or two comparisons.`);
  }
  const tests: ((value: number) => boolean)[] = [];
  for (let i = 0; i < list.length; i += 2) {
    const wanted = list[i + 1];
    if (typeof wanted !== 'number') throw new StartFailure(`${path}: compares with numbers.`);
    tests.push(comparison(String(list[i]), wanted, path));
  }
  return (value) => typeof value === 'number' && tests.every((test) => test(value));
}

function comparison(sign: string, wanted: number, path: string): (value: number) => boolean {
  switch (sign) {
    case '=':
      return (value) => value === wanted;
    case '<':
      return (value) => value < wanted;
    case '<=':
      return (value) => value <= wanted;
    case '>':
      return (value) => value > wanted;
    case '>=':
      return (value) => value >= wanted;
    default:
      throw new StartFailure(`${path}: the comparison ${sign} does not exist.`);
  }
}
