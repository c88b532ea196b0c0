/**
 * The part of the AWS IoT SQL (version 2016-03-23) that runs here, as a tree:
 * `SELECT projections FROM 'filter' WHERE condition`. Nested SELECTs, CASE and functions that
 * call other services are refused, so a rule either means the same on AWS or does not start.
 */
import { ruleFunctions } from './rule-functions.ts';
import { type Token, tokensOf } from './rule-lexer.ts';

export type Expression =
  | { readonly kind: 'literal'; readonly value: null | boolean | number | string }
  | { readonly kind: 'everything' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'member'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'cast'; readonly value: Expression; readonly type: string }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-'; readonly value: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'array'; readonly items: readonly Expression[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Expression])[] };

export type BinaryOperator =
  | 'or'
  | 'and'
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'in'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%';

export type Projection =
  | { readonly kind: 'everything' }
  | { readonly kind: 'value'; readonly value: Expression; readonly path: readonly string[] };

export type RuleQuery = {
  /** `SELECT VALUE x`: the result is x itself, not an object. */
  readonly single?: Expression;
  readonly projections: readonly Projection[];
  readonly topicFilter: string;
  readonly where?: Expression;
};

export function parseRuleSql(sql: string): RuleQuery {
  const parser = parserOf(sql);
  parser.keyword('select');
  const single = parser.acceptWord('value') ? parser.expression() : undefined;
  const projections: Projection[] = [];
  if (single === undefined) {
    do projections.push(parser.projection());
    while (parser.accept(','));
  }
  parser.keyword('from');
  const topicFilter = parser.text('a topic filter in quotes');
  const where = parser.acceptWord('where') ? parser.expression() : undefined;
  parser.end();
  return {
    ...(single === undefined ? {} : { single }),
    projections,
    topicFilter,
    ...(where === undefined ? {} : { where }),
  };
}

/** One expression alone, as in a substitution template. */
export function parseRuleExpression(text: string): Expression {
  const parser = parserOf(text);
  const expression = parser.expression();
  parser.end();
  return expression;
}

const reserved = new Set(['select', 'from', 'where', 'as', 'case', 'when', 'then', 'else', 'end']);
const castTypes = new Set(
  'string nvarchar text ntext varchar int integer double decimal bool boolean'.split(' '),
);
const comparisons: Readonly<Record<string, BinaryOperator>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

function parserOf(source: string) {
  const tokens = tokensOf(source);
  let at = 0;
  const peek = (): Token => tokens[at]!;
  const fail = (wanted: string): never => {
    throw new Error(`expected ${wanted} at ${peek().at + 1}`);
  };
  const peekWord = (): string | undefined => {
    const token = peek();
    return token.kind === 'word' ? token.text.toLowerCase() : undefined;
  };
  const accept = (sign: string): boolean => {
    const token = peek();
    const found = token.kind === 'sign' && token.text === sign;
    if (found) at++;
    return found;
  };
  const need = (sign: string): void => {
    if (!accept(sign)) fail(sign);
  };
  const keyword = (word: string): void => {
    if (peekWord() !== word) fail(word.toUpperCase());
    at++;
  };
  const acceptWord = (word: string): boolean => {
    const found = peekWord() === word;
    if (found) at++;
    return found;
  };
  const text = (what: string): string => {
    const token = peek();
    if (token.kind !== 'string') return fail(what);
    at++;
    return token.value;
  };
  const name = (): string => {
    const token = peek();
    if (token.kind !== 'word') return fail('a name');
    at++;
    return token.text;
  };

  const binary = (
    next: () => Expression,
    operatorHere: () => BinaryOperator | undefined,
  ): Expression => {
    let left = next();
    for (let operator = operatorHere(); operator !== undefined; operator = operatorHere()) {
      at++;
      left = { kind: 'binary', operator, left, right: next() };
    }
    return left;
  };
  const signOf = (signs: readonly BinaryOperator[]) => (): BinaryOperator | undefined => {
    const token = peek();
    return token.kind === 'sign' ? signs.find((sign) => sign === token.text) : undefined;
  };
  const wordOf = (word: 'or' | 'and') => () => (peekWord() === word ? word : undefined);
  const comparisonHere = (): BinaryOperator | undefined => {
    const token = peek();
    if (token.kind === 'sign') return comparisons[token.text];
    return peekWord() === 'in' ? 'in' : undefined;
  };

  const expression = (): Expression => binary(conjunction, wordOf('or'));
  const conjunction = (): Expression => binary(negation, wordOf('and'));
  const negation = (): Expression => {
    if (peekWord() !== 'not') return comparison();
    at++;
    return { kind: 'unary', operator: 'not', value: negation() };
  };
  const comparison = (): Expression => binary(sum, comparisonHere);
  const sum = (): Expression => binary(product, signOf(['+', '-']));
  const product = (): Expression => binary(prefix, signOf(['*', '/', '%']));
  const prefix = (): Expression =>
    accept('-') ? { kind: 'unary', operator: '-', value: prefix() } : members(primary());

  const members = (start: Expression): Expression => {
    let value = start;
    for (;;) {
      if (accept('.')) {
        const token = peek();
        const key = token.kind === 'string' ? text('a name') : name();
        value = { kind: 'member', of: value, key: { kind: 'literal', value: key } };
      } else if (accept('[')) {
        value = { kind: 'member', of: value, key: expression() };
        need(']');
      } else return value;
    }
  };

  const primary = (): Expression => {
    const token = peek();
    if (token.kind === 'number' || token.kind === 'string') {
      at++;
      return { kind: 'literal', value: token.value };
    }
    if (token.kind === 'word') return wordExpression();
    if (accept('(')) {
      const inner = expression();
      need(')');
      return inner;
    }
    if (accept('*')) return { kind: 'everything' };
    if (accept('[')) return { kind: 'array', items: listUntil(']', expression) };
    if (accept('{')) return { kind: 'object', entries: listUntil('}', entry) };
    return fail('an expression');
  };

  const wordExpression = (): Expression => {
    const word = peekWord()!;
    if (reserved.has(word)) return fail('an expression that is supported here');
    const original = name();
    if (accept('(')) return word === 'cast' ? cast() : call(word);
    if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
    if (word === 'null') return { kind: 'literal', value: null };
    return { kind: 'name', name: original };
  };

  const call = (word: string): Expression => {
    const known = ruleFunctions[word];
    if (known === undefined) return fail(`a supported function instead of ${word}()`);
    const args = listUntil(')', expression);
    if (args.length < known.argumentsMin || args.length > known.argumentsMax) {
      throw new Error(`${word}() does not take ${args.length} arguments`);
    }
    return { kind: 'call', name: word, args };
  };

  const cast = (): Expression => {
    const value = expression();
    keyword('as');
    const type = name().toLowerCase();
    if (!castTypes.has(type)) return fail(`a type instead of ${type}`);
    need(')');
    return { kind: 'cast', value, type };
  };

  const entry = (): readonly [string, Expression] => {
    const key = peek().kind === 'string' ? text('a key') : name();
    need(':');
    return [key, expression()];
  };

  const listUntil = <T>(close: string, item: () => T): T[] => {
    const items: T[] = [];
    if (accept(close)) return items;
    do items.push(item());
    while (accept(','));
    need(close);
    return items;
  };

  const projection = (): Projection => {
    const value = expression();
    if (peekWord() === 'as') {
      at++;
      const path = [name()];
      while (accept('.')) path.push(name());
      return { kind: 'value', value, path };
    }
    if (value.kind === 'everything') return { kind: 'everything' };
    const last = lastName(value);
    return last === undefined ? fail('AS and a name') : { kind: 'value', value, path: [last] };
  };

  return {
    accept,
    acceptWord,
    keyword,
    text,
    expression,
    projection,
    end: () => {
      if (peek().kind !== 'end') fail('the end');
    },
  };
}

/** "SELECT a.b" names its result b. */
function lastName(value: Expression): string | undefined {
  if (value.kind === 'name') return value.name;
  if (value.kind !== 'member' || value.key.kind !== 'literal') return undefined;
  return typeof value.key.value === 'string' ? value.key.value : undefined;
}
