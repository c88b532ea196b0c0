/**
 * The conditions of AWS IoT policies: text, ARN, Boolean and address operators, with `IfExists`,
 * `ForAllValues:` and `ForAnyValue:`. An operator or key that is not known is refused at start.
 */
import { BlockList } from 'node:net';
import type { Json } from '../json.ts';
import { isKnownVariable, matches, type Pattern, parsePattern, type Variables } from './pattern.ts';

export type Condition = {
  readonly key: string;
  readonly quantifier: 'one' | 'all' | 'any';
  readonly ifExists: boolean;
  readonly negated: boolean;
  readonly test: (actual: string, variables: Variables) => boolean;
};

const listKeys = new Set(['iot:connectattributes', 'iot:lastwilltopic']);

export function parseCondition(
  operator: string,
  key: string,
  values: readonly Json[],
  refuse: (why: string) => never,
): Condition {
  const prefix = /^(ForAllValues|ForAnyValue):/.exec(operator);
  const ifExists = operator.endsWith('IfExists');
  const base = operator.slice(prefix?.[0].length ?? 0, ifExists ? -'IfExists'.length : undefined);
  if (!isKnownVariable(key) && !listKeys.has(key.toLowerCase())) {
    refuse(`the condition key ${key} is not supported`);
  }
  const texts = values.map(String);
  const negated = base.includes('Not');
  return {
    key: key.toLowerCase(),
    quantifier: prefix === null ? 'one' : prefix[1] === 'ForAllValues' ? 'all' : 'any',
    ifExists,
    negated,
    test: testOf(base.replace('Not', ''), texts, refuse),
  };
}

function testOf(
  operator: string,
  texts: readonly string[],
  refuse: (why: string) => never,
): Condition['test'] {
  const literal = texts.map((text) =>
    parsePattern(
      text.replaceAll(/(?<!\$\{)[*?]/g, (wildcard) => `\${${wildcard}}`),
      refuse,
    ),
  );
  const wild = texts.map((text) => parsePattern(text, refuse));
  const some = (patterns: readonly Pattern[]) => (actual: string, variables: Variables) =>
    patterns.some((pattern) => matches(pattern, actual, variables));
  switch (operator) {
    case 'StringEquals':
      return some(literal);
    case 'StringLike':
    case 'ArnEquals':
    case 'ArnLike':
      return some(wild);
    case 'StringEqualsIgnoreCase': {
      const lower = texts.map((text) => parsePattern(text.toLowerCase(), refuse));
      return (actual, variables) => some(lower)(actual.toLowerCase(), variables);
    }
    case 'Bool':
      return (actual) => texts.some((text) => text.toLowerCase() === actual.toLowerCase());
    case 'IpAddress': {
      const addresses = addressList(texts);
      return (actual) => addresses.check(actual, actual.includes(':') ? 'ipv6' : 'ipv4');
    }
    default:
      return refuse(`the condition operator ${operator} is not supported`);
  }
}

function addressList(texts: readonly string[]): BlockList {
  const addresses = new BlockList();
  for (const text of texts) {
    const [address = '', bits] = text.split('/');
    const family = address.includes(':') ? 'ipv6' : 'ipv4';
    if (bits === undefined) addresses.addAddress(address, family);
    else addresses.addSubnet(address, Number(bits), family);
  }
  return addresses;
}

export function conditionHolds(condition: Condition, variables: Variables): boolean {
  const actual = variables.all(condition.key);
  // "allows clean connect by clients with or without LastWill, no other features will be allowed":
  // a plain operator on this list means all of its values, also when there are none.
  if (condition.key === 'iot:connectattributes' && condition.quantifier === 'one') {
    return conditionHolds({ ...condition, quantifier: 'all' }, variables);
  }
  const passes = (value: string) => condition.test(value, variables) !== condition.negated;
  if (actual.length === 0) {
    // ForAllValues is also true when the key is not in the request; a negated operator too.
    return (
      condition.ifExists ||
      condition.quantifier === 'all' ||
      (condition.negated && condition.quantifier === 'one')
    );
  }
  return condition.quantifier === 'all' ? actual.every(passes) : actual.some(passes);
}
