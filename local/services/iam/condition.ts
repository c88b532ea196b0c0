/**
 * Condition operators of IAM policies
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html).
 * A key that the request does not have makes a condition false, except with `…IfExists`, `Null` and
 * `ForAllValues:`. An operator that is not here stops the start.
 */
import { BlockList, isIP } from 'node:net';
import type { Json } from '../../assembly/assembly.ts';
import { readerOf } from '../../assembly/property.ts';
import { StartFailure } from '../../failure.ts';
import { matchesPattern } from './wildcard.ts';

/** Values of the request's condition keys; names in lower case. */
export type RequestContext = Readonly<Record<string, string | readonly string[]>>;

export type ConditionTest = (context: RequestContext) => boolean;

type Compare = (actual: string, wanted: string) => boolean;

const positive: Readonly<Record<string, Compare>> = {
  StringEquals: (actual, wanted) => actual === wanted,
  StringEqualsIgnoreCase: (actual, wanted) => actual.toLowerCase() === wanted.toLowerCase(),
  StringLike: (actual, wanted) => matchesPattern(wanted, actual),
  ArnEquals: (actual, wanted) => matchesPattern(wanted, actual),
  ArnLike: (actual, wanted) => matchesPattern(wanted, actual),
  Bool: (actual, wanted) => actual.toLowerCase() === wanted.toLowerCase(),
  NumericEquals: (actual, wanted) => Number(actual) === Number(wanted),
  NumericLessThan: (actual, wanted) => Number(actual) < Number(wanted),
  NumericLessThanEquals: (actual, wanted) => Number(actual) <= Number(wanted),
  NumericGreaterThan: (actual, wanted) => Number(actual) > Number(wanted),
  NumericGreaterThanEquals: (actual, wanted) => Number(actual) >= Number(wanted),
  DateEquals: (actual, wanted) => timeOf(actual) === timeOf(wanted),
  DateLessThan: (actual, wanted) => timeOf(actual) < timeOf(wanted),
  DateLessThanEquals: (actual, wanted) => timeOf(actual) <= timeOf(wanted),
  DateGreaterThan: (actual, wanted) => timeOf(actual) > timeOf(wanted),
  DateGreaterThanEquals: (actual, wanted) => timeOf(actual) >= timeOf(wanted),
  BinaryEquals: (actual, wanted) => actual === wanted,
  IpAddress: inRange,
};

const negative: Readonly<Record<string, Compare>> = {
  StringNotEquals: (actual, wanted) => actual === wanted,
  StringNotEqualsIgnoreCase: (actual, wanted) => actual.toLowerCase() === wanted.toLowerCase(),
  StringNotLike: (actual, wanted) => matchesPattern(wanted, actual),
  ArnNotEquals: (actual, wanted) => matchesPattern(wanted, actual),
  ArnNotLike: (actual, wanted) => matchesPattern(wanted, actual),
  NumericNotEquals: (actual, wanted) => Number(actual) === Number(wanted),
  DateNotEquals: (actual, wanted) => timeOf(actual) === timeOf(wanted),
  NotIpAddress: inRange,
};

/** ISO 8601, or seconds since 1970. */
function timeOf(text: string): number {
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text);
}

/** An address, or a range in CIDR form. */
function inRange(actual: string, wanted: string): boolean {
  const [address = '', length] = wanted.split('/');
  const version = isIP(address);
  if (version === 0 || isIP(actual) !== version) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const block = new BlockList();
  block.addSubnet(address, Number(length ?? (version === 4 ? 32 : 128)), family);
  return block.check(actual, family);
}

export function compileCondition(condition: Json | undefined, path: string): ConditionTest {
  if (condition === undefined) return () => true;
  const tests: ConditionTest[] = [];
  const operators = readerOf(condition, path);
  for (const operator of Object.keys(operators.raw)) {
    const keys = operators.object(operator);
    for (const key of Object.keys(keys.raw)) {
      const value = keys.raw[key];
      const wanted = (Array.isArray(value) ? value : [value ?? null]).map(String);
      tests.push(compileTest(operator, key.toLowerCase(), wanted, `${path}.${operator}`));
    }
  }
  return (context) => tests.every((test) => test(context));
}

function compileTest(operator: string, key: string, wanted: string[], path: string): ConditionTest {
  const [quantifier, rest] = operator.includes(':') ? operator.split(':') : ['', operator];
  const ifExists = (rest ?? '').endsWith('IfExists');
  const name = (rest ?? '').replace(/IfExists$/, '');
  if (name === 'Null') {
    return (context) => wanted.includes(String(context[key] === undefined));
  }
  const compare = positive[name] ?? negative[name];
  if (compare === undefined || !['', 'ForAllValues', 'ForAnyValue'].includes(quantifier ?? '')) {
    throw new StartFailure(`${path}: the local cloud does not know this condition operator.`);
  }
  const isNegative = name in negative;
  const one = (actual: string): boolean => {
    const any = wanted.some((value) => compare(actual, value));
    return isNegative ? !any : any;
  };
  return (context) => {
    const value = context[key];
    if (value === undefined) return ifExists || isNegative || quantifier === 'ForAllValues';
    const actual = typeof value === 'string' ? [value] : value;
    return quantifier === 'ForAllValues' || (isNegative && quantifier === '')
      ? actual.every(one)
      : actual.some(one);
  };
}
