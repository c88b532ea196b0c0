import type { Condition, Row } from '../../../adapters/dynamodb/table.ts';

/**
 * Condition expressions, as far as the stores write them: comparisons, `IN`, `attribute_exists`,
 * `attribute_not_exists`, `AND`, `OR`, `NOT` and parentheses. Anything else is refused, so that a
 * store cannot be judged by what it does not mean.
 */
export function holds(condition: Condition | undefined, row: Row | null): boolean {
  if (condition === undefined) return true;
  const test = parsed.get(condition.expression) ?? parse(condition.expression);
  parsed.set(condition.expression, test);
  return test({ row: row ?? {}, values: condition.values ?? {} });
}

type Names = Readonly<Record<string, unknown>>;
type Facts = { readonly row: Names; readonly values: Names };
type Test = (facts: Facts) => boolean;
type Operand = (facts: Facts) => unknown;

const parsed = new Map<string, Test>();
const tokenPattern = /\s*(<>|<=|>=|[=<>(),]|[#:]?\w+)/y;

function parse(expression: string): Test {
  const tokens = tokensOf(expression);
  let at = 0;
  const next = () => tokens[at++] ?? '';
  const expect = (token: string) => {
    const found = next();
    if (found !== token) throw new Error(`${expression}: ${token} expected, not ${found}`);
  };
  const any = (): Test => {
    const tests = [all()];
    while (tokens[at] === 'OR') {
      at += 1;
      tests.push(all());
    }
    return (facts) => tests.some((test) => test(facts));
  };
  const all = (): Test => {
    const tests = [one()];
    while (tokens[at] === 'AND') {
      at += 1;
      tests.push(one());
    }
    return (facts) => tests.every((test) => test(facts));
  };
  const one = (): Test => {
    const token = next();
    if (token === 'NOT') {
      const other = one();
      return (facts) => !other(facts);
    }
    if (token === '(') {
      const inner = any();
      expect(')');
      return inner;
    }
    if (token === 'attribute_exists' || token === 'attribute_not_exists') {
      expect('(');
      const name = operandOf(next(), expression);
      expect(')');
      const wanted = token === 'attribute_exists';
      return (facts) => (name(facts) !== undefined) === wanted;
    }
    const left = operandOf(token, expression);
    const operator = next();
    if (operator !== 'IN') return comparison(left, operator, operandOf(next(), expression));
    expect('(');
    const choices: Operand[] = [];
    do choices.push(operandOf(next(), expression));
    while (next() === ',');
    return (facts) => choices.some((choice) => choice(facts) === left(facts));
  };
  const test = any();
  if (at !== tokens.length) throw new Error(`${expression}: ${tokens[at]} is too much`);
  return test;
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = [];
  tokenPattern.lastIndex = 0;
  while (tokenPattern.lastIndex < expression.trimEnd().length) {
    const match = tokenPattern.exec(expression);
    if (match === null) throw new Error(`${expression} cannot be read`);
    tokens.push(match[1]!);
  }
  return tokens;
}

function operandOf(token: string, expression: string): Operand {
  const name = token.slice(1);
  if (token.startsWith('#')) return ({ row }) => row[name];
  if (token.startsWith(':')) return ({ values }) => values[name];
  throw new Error(`${expression}: ${token} is neither a name nor a value`);
}

/** Values of two types, and an attribute that is missing, are unequal and in no order. */
function comparison(left: Operand, operator: string, right: Operand): Test {
  const ordered = (compare: (a: number | string, b: number | string) => boolean): Test => {
    return (facts) => {
      const a = left(facts);
      const b = right(facts);
      if (typeof a === 'number' && typeof b === 'number') return compare(a, b);
      return typeof a === 'string' && typeof b === 'string' && compare(a, b);
    };
  };
  switch (operator) {
    case '=':
      return (facts) => left(facts) !== undefined && left(facts) === right(facts);
    case '<>':
      return (facts) => left(facts) !== right(facts);
    case '<':
      return ordered((a, b) => a < b);
    case '<=':
      return ordered((a, b) => a <= b);
    case '>':
      return ordered((a, b) => a > b);
    case '>=':
      return ordered((a, b) => a >= b);
    default:
      throw new Error(`${operator} is no comparison that the stores use`);
  }
}
