/**
 * Expressions of the AWS IoT SQL, by recursive descent: or, and, not, comparison, sum, product,
 * sign, members of a value, and the values themselves.
 */
import type { BinaryOperator, Expression } from './expression-tree.ts';
import { ruleFunctions } from './functions.ts';
import type { Cursor } from './lexer.ts';

type Parse = (cursor: Cursor) => Expression;

export const expressionAt: Parse = (cursor) =>
  chain(cursor, conjunction, () => wordHere(cursor, 'or'));

const conjunction: Parse = (cursor) => chain(cursor, negation, () => wordHere(cursor, 'and'));

const negation: Parse = (cursor) =>
  cursor.acceptWord('not')
    ? { kind: 'unary', operator: 'not', value: negation(cursor) }
    : comparison(cursor);

const comparison: Parse = (cursor) =>
  chain(cursor, sum, () => {
    const sign = cursor.sign();
    return sign === undefined ? wordHere(cursor, 'in') : comparisons[sign];
  });

const sum: Parse = (cursor) => chain(cursor, product, () => signHere(cursor, ['+', '-']));

const product: Parse = (cursor) => chain(cursor, prefix, () => signHere(cursor, ['*', '/', '%']));

const prefix: Parse = (cursor) =>
  cursor.accept('-')
    ? { kind: 'unary', operator: '-', value: prefix(cursor) }
    : members(cursor, primary(cursor));

const comparisons: Readonly<Record<string, BinaryOperator>> = {
  '=': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** Operators of one rank, from left to right. */
function chain(
  cursor: Cursor,
  next: Parse,
  operatorHere: () => BinaryOperator | undefined,
): Expression {
  let left = next(cursor);
  for (let operator = operatorHere(); operator !== undefined; operator = operatorHere()) {
    cursor.advance();
    left = { kind: 'binary', operator, left, right: next(cursor) };
  }
  return left;
}

const wordHere = <W extends 'or' | 'and' | 'in'>(cursor: Cursor, word: W): W | undefined =>
  cursor.word() === word ? word : undefined;

const signHere = (cursor: Cursor, signs: readonly BinaryOperator[]): BinaryOperator | undefined =>
  signs.find((sign) => sign === cursor.sign());

function members(cursor: Cursor, start: Expression): Expression {
  let value = start;
  for (;;) {
    if (cursor.accept('.')) {
      value = { kind: 'member', of: value, key: { kind: 'literal', value: cursor.key() } };
    } else if (cursor.accept('[')) {
      value = { kind: 'member', of: value, key: expressionAt(cursor) };
      cursor.need(']');
    } else return value;
  }
}

function primary(cursor: Cursor): Expression {
  const literal = cursor.literal();
  if (literal !== undefined) return { kind: 'literal', value: literal };
  if (cursor.word() !== undefined) return wordExpression(cursor);
  if (cursor.accept('(')) {
    const inner = expressionAt(cursor);
    cursor.need(')');
    return inner;
  }
  if (cursor.accept('*')) return { kind: 'everything' };
  if (cursor.accept('[')) return { kind: 'array', items: listUntil(cursor, ']', expressionAt) };
  if (cursor.accept('{')) return { kind: 'object', entries: listUntil(cursor, '}', entry) };
  return cursor.fail('an expression');
}

const reserved = new Set(['select', 'from', 'where', 'as', 'case', 'when', 'then', 'else', 'end']);

function wordExpression(cursor: Cursor): Expression {
  const word = cursor.word() ?? '';
  if (reserved.has(word)) return cursor.fail('an expression that is supported here');
  const name = cursor.name();
  if (cursor.accept('(')) return word === 'cast' ? cast(cursor) : call(cursor, word);
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
  if (word === 'null') return { kind: 'literal', value: null };
  return { kind: 'name', name };
}

function call(cursor: Cursor, word: string): Expression {
  const known = ruleFunctions[word];
  if (known === undefined) return cursor.fail(`a supported function instead of ${word}()`);
  const args = listUntil(cursor, ')', expressionAt);
  if (args.length < known.argumentsMin || args.length > known.argumentsMax) {
    throw new Error(`${word}() does not take ${args.length} arguments`);
  }
  return { kind: 'call', name: word, args };
}

const castTypes = new Set(
  'string nvarchar text ntext varchar int integer double decimal bool boolean'.split(' '),
);

function cast(cursor: Cursor): Expression {
  const value = expressionAt(cursor);
  cursor.keyword('as');
  const type = cursor.name().toLowerCase();
  if (!castTypes.has(type)) return cursor.fail(`a type instead of ${type}`);
  cursor.need(')');
  return { kind: 'cast', value, type };
}

function entry(cursor: Cursor): readonly [string, Expression] {
  const key = cursor.key();
  cursor.need(':');
  return [key, expressionAt(cursor)];
}

function listUntil<T>(cursor: Cursor, close: string, item: (cursor: Cursor) => T): T[] {
  const items: T[] = [];
  if (cursor.accept(close)) return items;
  do items.push(item(cursor));
  while (cursor.accept(','));
  cursor.need(close);
  return items;
}
