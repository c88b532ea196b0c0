import { type Mistake, type Token, tokensOf } from './expression-tokens.ts';
import { selectionExpressionDepthMax } from './limits.ts';

/**
 * The expressions of a selection as trees: numbers, texts, `true` and `false`, names, arithmetic,
 * comparisons, logic, and a closed list of functions. Parsed once, when they are submitted; nothing
 * of an expression is ever run as code.
 */
export type Binary = (typeof binaryLevels)[number][number];
export type FunctionName = 'min' | 'max' | 'abs' | 'floor' | 'ceil' | 'round';

export type Expression =
  | { readonly kind: 'value'; readonly value: number | string | boolean }
  /** `of`: where alone it is looked for; `any` looks everywhere. */
  | { readonly kind: 'name'; readonly name: string; readonly of: 'any' | 'state' | 'parameter' }
  | { readonly kind: 'not' | 'minus'; readonly inner: Expression }
  | {
      readonly kind: 'binary';
      readonly sign: Binary;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'call'; readonly name: FunctionName; readonly inner: readonly Expression[] };

export type Parsed =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly message: string };

/** From what binds loosest to what binds tightest; all of them from left to right. */
const binaryLevels = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['+', '-'],
  ['*', '/', '%'],
] as const;

/** How many numbers each function takes. */
const functions: ReadonlyMap<string, { readonly least: number; readonly most: number }> = new Map([
  ['min', { least: 1, most: 16 }],
  ['max', { least: 1, most: 16 }],
  ['abs', { least: 1, most: 1 }],
  ['floor', { least: 1, most: 1 }],
  ['ceil', { least: 1, most: 1 }],
  ['round', { least: 1, most: 1 }],
]);

export function parseExpression(source: string): Parsed {
  const tokens = tokensOf(source);
  if ('message' in tokens) return { ok: false, message: tokens.message };
  if (tokens.length === 0) return { ok: false, message: 'The expression is empty.' };
  try {
    const reader = new Reader(tokens);
    const expression = binary(reader, 0, 0);
    const left = reader.peek();
    if (left !== null) throw new Misread(`${shown(left)} is not expected here.`);
    return { ok: true, expression };
  } catch (error) {
    if (error instanceof Misread) return { ok: false, message: error.message };
    throw error;
  }
}

class Misread extends Error implements Mistake {}

class Reader {
  #at = 0;
  readonly #tokens: readonly Token[];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  peek(): Token | null {
    return this.#tokens[this.#at] ?? null;
  }

  take(): Token {
    const token = this.peek();
    if (token === null) throw new Misread('The expression ends too early.');
    this.#at++;
    return token;
  }

  isSign(value: string): boolean {
    const token = this.peek();
    return token?.kind === 'sign' && token.value === value;
  }

  takeSign(value: string): boolean {
    const found = this.isSign(value);
    if (found) this.#at++;
    return found;
  }
}

function binary(reader: Reader, level: number, depth: number): Expression {
  const signs: readonly string[] | undefined = binaryLevels[level];
  if (signs === undefined) return unary(reader, depth);
  const next = () => signs.find((it) => reader.isSign(it));
  let left = binary(reader, level + 1, depth);
  for (let sign = next(); sign !== undefined; sign = next()) {
    reader.take();
    const right = binary(reader, level + 1, depth);
    left = { kind: 'binary', sign: sign as Binary, left, right };
  }
  return left;
}

function unary(reader: Reader, depth: number): Expression {
  if (depth >= selectionExpressionDepthMax) {
    throw new Misread(`An expression nests at most ${selectionExpressionDepthMax} levels.`);
  }
  if (reader.takeSign('!')) return { kind: 'not', inner: unary(reader, depth + 1) };
  if (reader.takeSign('-')) return { kind: 'minus', inner: unary(reader, depth + 1) };
  if (reader.takeSign('+')) return unary(reader, depth + 1);
  if (reader.takeSign('(')) {
    const inner = binary(reader, 0, depth + 1);
    close(reader);
    return inner;
  }
  const token = reader.take();
  if (token.kind === 'number' || token.kind === 'text') {
    return { kind: 'value', value: token.value };
  }
  if (token.kind === 'sign') throw new Misread(`${shown(token)} is not expected here.`);
  return token.exact ? { kind: 'name', name: token.value, of: 'any' } : word(reader, token, depth);
}

/** A name, or a word that means something. */
function word(reader: Reader, { value }: { readonly value: string }, depth: number): Expression {
  if (value === 'true' || value === 'false') return { kind: 'value', value: value === 'true' };
  if (reader.takeSign('(')) return call(reader, value, depth);
  if (!reader.takeSign('.')) return { kind: 'name', name: value, of: 'any' };
  if (value !== 'state' && value !== 'parameter') {
    throw new Misread(`Only "state." and "parameter." go before a name; write \`${value}.…\`.`);
  }
  const name = reader.take();
  if (name.kind !== 'name') throw new Misread(`After "${value}." comes a name.`);
  return { kind: 'name', name: name.value, of: value };
}

function call(reader: Reader, name: string, depth: number): Expression {
  const takes = functions.get(name);
  if (takes === undefined) {
    throw new Misread(
      `There is no function "${name}"; there are ${[...functions.keys()].join(' ')}.`,
    );
  }
  const inner: Expression[] = [];
  if (!reader.takeSign(')')) {
    do {
      inner.push(binary(reader, 0, depth + 1));
    } while (reader.takeSign(','));
    close(reader);
  }
  if (inner.length < takes.least || inner.length > takes.most) {
    const most = takes.most === 1 ? 'one number' : `1 to ${takes.most} numbers`;
    throw new Misread(`"${name}" takes ${most}.`);
  }
  return { kind: 'call', name: name as FunctionName, inner };
}

function close(reader: Reader): void {
  if (!reader.takeSign(')')) throw new Misread('A ")" is missing.');
}

function shown(token: Token): string {
  return `"${String(token.value)}" at character ${token.at + 1}`;
}
