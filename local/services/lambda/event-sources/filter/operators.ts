/**
 * The comparison operators of event patterns
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html), each
 * compiled to a test of one value. What EventBridge refuses in a pattern is refused with its path.
 */
import { BlockList, isIP } from 'node:net';
import type { Json } from '../../../../assembly/assembly.ts';
import { StartFailure } from '../../../../failure.ts';
import { isNumber, type Leaf, numberOf, sameLeaf } from './written-number.ts';

export type LeafTest = (value: Leaf) => boolean;

type Operator = (argument: Json, path: string) => LeafTest;

export function compileOperator(name: string, argument: Json, path: string): LeafTest {
  const operator = operators[name];
  if (operator === undefined) {
    throw new StartFailure(`${path}: the local cloud does not know this filter operator.`);
  }
  return operator(argument, path);
}

const operators: Readonly<Record<string, Operator>> = {
  exists: (argument, path) => {
    if (typeof argument !== 'boolean') throw new StartFailure(`${path}: takes true or false.`);
    // The absent field is looked for in the whole record, not here: a value that is there exists.
    return () => argument;
  },
  prefix: (argument, path) => foldable(argument, path, (value, part) => value.startsWith(part)),
  suffix: (argument, path) => foldable(argument, path, (value, part) => value.endsWith(part)),
  'equals-ignore-case': (argument, path) => equalsFolded(textOf(argument, path)),
  wildcard: (argument, path) => compileWildcard(textOf(argument, path), path),
  numeric: compileNumeric,
  cidr: compileCidr,
  'anything-but': compileAnythingBut,
};

/** A text, or `{"equals-ignore-case": text}` inside prefix and suffix. */
function foldable(
  argument: Json,
  path: string,
  compare: (value: string, part: string) => boolean,
): LeafTest {
  const nested = onlyEntry(argument);
  if (nested === undefined) {
    const part = textOf(argument, path);
    return (value) => typeof value === 'string' && compare(value, part);
  }
  const [name, text] = nested;
  if (name !== 'equals-ignore-case') throw new StartFailure(`${path}.${name}: cannot stand here.`);
  const part = textOf(text, `${path}.${name}`).toLowerCase();
  return (value) => typeof value === 'string' && compare(value.toLowerCase(), part);
}

function equalsFolded(text: string): LeafTest {
  const wanted = text.toLowerCase();
  return (value) => typeof value === 'string' && value.toLowerCase() === wanted;
}

/**
 * "consecutive wildcard characters are not supported"; `\*` and `\\` are the literal characters,
 * "using the backslash to escape other characters is not supported".
 */
function compileWildcard(text: string, path: string): LeafTest {
  if (/(?<!\\)(?:\\\\)*\*\*/.test(text)) {
    throw new StartFailure(`${path}: two wildcards cannot follow each other.`);
  }
  const source = text.replace(/\\(.?)|([*])|([.+?^${}()|[\]])/gs, (match, escaped, star, sign) => {
    if (star !== undefined) return '.*';
    if (sign !== undefined) return `\\${sign}`;
    if (escaped === '*' || escaped === '\\') return `\\${escaped}`;
    throw new StartFailure(`${path}: ${match} escapes nothing; only \\* and \\\\ do.`);
  });
  const expression = new RegExp(`^${source}$`, 's');
  return (value) => typeof value === 'string' && expression.test(value);
}

/** "Integers are matched exactly from -9,007,199,254,740,992 to 9,007,199,254,740,992." */
const numberMax = 2 ** 53;

/** `["=", 5]`, one comparison, or a range from its lower end: `[">", 0, "<=", 10]`. */
function compileNumeric(argument: Json, path: string): LeafTest {
  const list = Array.isArray(argument) ? argument : [];
  if (list.length !== 2 && list.length !== 4) {
    throw new StartFailure(`${path}: takes one or two comparisons.`);
  }
  const [low, high] = [comparison(list, 0, path), comparison(list, 2, path)];
  if (low === undefined) throw new StartFailure(`${path}: takes one or two comparisons.`);
  if (high !== undefined) {
    if (!low.sign.startsWith('>') || !high.sign.startsWith('<')) {
      throw new StartFailure(`${path}: a range is > or >= followed by < or <=.`);
    }
    if (low.wanted >= high.wanted) {
      throw new StartFailure(`${path}: the lower end of a range is below the upper one.`);
    }
  }
  return (value) => {
    const number = numberOf(value);
    return number !== undefined && low.holds(number) && (high?.holds(number) ?? true);
  };
}

type Comparison = {
  readonly sign: string;
  readonly wanted: number;
  holds(value: number): boolean;
};

function comparison(list: readonly Json[], at: number, path: string): Comparison | undefined {
  if (list.length <= at) return undefined;
  const sign = String(list[at]);
  const wanted = isNumber(list[at + 1]) ? numberOf(list[at + 1] as Leaf) : undefined;
  if (wanted === undefined) throw new StartFailure(`${path}: compares with numbers.`);
  if (Math.abs(wanted) > numberMax) throw new StartFailure(`${path}: ${wanted} is too large.`);
  const holds = comparisons[sign];
  if (holds === undefined) {
    throw new StartFailure(`${path}: the comparison ${sign} does not exist.`);
  }
  return { sign, wanted, holds: (value) => holds(value, wanted) };
}

const comparisons: Readonly<Record<string, (value: number, wanted: number) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
};

/** "You can use IP address matching for IPv4 and IPv6 addresses": `10.0.0.0/24`. */
function compileCidr(argument: Json, path: string): LeafTest {
  const [address = '', length = '', ...rest] = textOf(argument, path).split('/');
  const version = isIP(address);
  const bitsMax = version === 4 ? 32 : 128;
  if (version === 0 || rest.length > 0 || !/^\d+$/.test(length) || Number(length) > bitsMax) {
    throw new StartFailure(`${path}: takes an address range such as 10.0.0.0/24.`);
  }
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(address, Number(length), family);
  return (value) =>
    typeof value === 'string' && isIP(value) === version && block.check(value, family);
}

/**
 * "You can use anything-but matching with strings and numeric values, including lists that contain
 * only strings, or only numbers", and with prefix, suffix, equals-ignore-case and wildcard, each
 * "single values, or a list of values". The field must exist; only its value is excluded.
 */
function compileAnythingBut(argument: Json, path: string): LeafTest {
  const nested = onlyEntry(argument);
  if (nested === undefined) {
    const list = (Array.isArray(argument) ? argument : [argument]) as Leaf[];
    const kinds = new Set(list.map((item) => (isNumber(item) ? 'number' : typeof item)));
    const [kind] = kinds;
    if (kinds.size !== 1 || (kind !== 'string' && kind !== 'number')) {
      throw new StartFailure(`${path}: takes texts or numbers, not both and nothing else.`);
    }
    return (value) => !list.some((item) => sameLeaf(value, item));
  }
  const [name, value] = nested;
  const at = `${path}.${name}`;
  const compile = excludable[name];
  if (compile === undefined) {
    throw new StartFailure(`${at}: the local cloud does not know this filter operator.`);
  }
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw new StartFailure(`${at}: takes one text at least.`);
  const tests = list.map((item) => compile(nonEmpty(textOf(item, at), at), at));
  return (leaf) => !tests.some((test) => test(leaf));
}

const excludable: Readonly<Record<string, (text: string, path: string) => LeafTest>> = {
  prefix: (text) => (value) => typeof value === 'string' && value.startsWith(text),
  suffix: (text) => (value) => typeof value === 'string' && value.endsWith(text),
  'equals-ignore-case': equalsFolded,
  wildcard: compileWildcard,
};

/** Name and value of an object; undefined for a text, a number or a list. */
function onlyEntry(argument: Json): [string, Json] | undefined {
  if (typeof argument !== 'object' || argument === null || Array.isArray(argument)) {
    return undefined;
  }
  if (isNumber(argument)) return undefined;
  return Object.entries(argument)[0] ?? ['', null];
}

function textOf(argument: Json, path: string): string {
  if (typeof argument === 'string') return argument;
  throw new StartFailure(`${path}: takes a text.`);
}

function nonEmpty(text: string, path: string): string {
  if (text !== '') return text;
  throw new StartFailure(`${path}: an empty text excludes everything.`);
}
