/**
 * Condition operators of IAM policies
 * (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements_condition_operators.html).
 * A key that the request does not have makes a condition false, except with `…IfExists`, `Null` and
 * `ForAllValues:`. An operator that is not here stops the start.
 */
import { StartFailure } from '../failure.ts';
import type { Json } from '../template/assembly.ts';
import { readerOf } from '../template/property.ts';
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
  DateLessThan: (actual, wanted) => Date.parse(actual) < Date.parse(wanted),
  DateGreaterThan: (actual, wanted) => Date.parse(actual) > Date.parse(wanted),
};

const negative: Readonly<Record<string, Compare>> = {
  StringNotEquals: (actual, wanted) => actual === wanted,
  StringNotEqualsIgnoreCase: (actual, wanted) => actual.toLowerCase() === wanted.toLowerCase(),
  StringNotLike: (actual, wanted) => matchesPattern(wanted, actual),
  ArnNotEquals: (actual, wanted) => matchesPattern(wanted, actual),
  ArnNotLike: (actual, wanted) => matchesPattern(wanted, actual),
  NumericNotEquals: (actual, wanted) => Number(actual) === Number(wanted),
};

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
