import { selectionExpressionLengthMax } from './limits.ts';

/**
 * What an expression of a selection is made of. Refuses, with the place, what no expression has:
 * unknown characters, numbers that a computer cannot hold, texts and names without an end.
 */
export type Token =
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'text'; readonly value: string; readonly at: number }
  /** `exact`: in back-quotes, so that it is never a word of the language. */
  | { readonly kind: 'name'; readonly value: string; readonly exact: boolean; readonly at: number }
  | { readonly kind: 'sign'; readonly value: string; readonly at: number };

/** What is wrong with an expression, in a sentence. */
export type Mistake = { readonly message: string };

const signs = ['&&', '||', '==', '!=', '<=', '>=', ...'+-*/%<>!(),.'];
const numberPattern = /^(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?/;
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*/;

export function tokensOf(source: string): readonly Token[] | Mistake {
  if (source.length > selectionExpressionLengthMax) {
    return { message: `An expression has at most ${selectionExpressionLengthMax} characters.` };
  }
  const tokens: Token[] = [];
  for (let at = 0; at < source.length; ) {
    if (/\s/.test(source[at]!)) {
      at++;
      continue;
    }
    const next = tokenAt(source, at);
    if ('message' in next) return next;
    tokens.push(next.token);
    at = next.end;
  }
  return tokens;
}

type Next = { readonly token: Token; readonly end: number };

function tokenAt(source: string, at: number): Next | Mistake {
  const rest = source.slice(at);
  const number = numberPattern.exec(rest)?.[0];
  if (number !== undefined) return numberToken(number, at);
  const name = namePattern.exec(rest)?.[0];
  if (name !== undefined) {
    return { token: { kind: 'name', value: name, exact: false, at }, end: at + name.length };
  }
  const first = source[at]!;
  if (first === '`') return quotedName(source, at);
  if (first === '"' || first === "'") return quotedText(source, at);
  const sign = signs.find((known) => rest.startsWith(known));
  if (sign !== undefined)
    return { token: { kind: 'sign', value: sign, at }, end: at + sign.length };
  return { message: `"${first}" at character ${at + 1} has no meaning in an expression.` };
}

function numberToken(written: string, at: number): Next | Mistake {
  const value = Number(written);
  const isExact = /^\d+$/.test(written) ? Number.isSafeInteger(value) : Number.isFinite(value);
  if (!isExact) return { message: `The number ${written} is too large to calculate with.` };
  return { token: { kind: 'number', value, at }, end: at + written.length };
}

function quotedName(source: string, at: number): Next | Mistake {
  const end = source.indexOf('`', at + 1);
  if (end < 0) return { message: `The name that begins at character ${at + 1} has no end.` };
  if (end === at + 1) return { message: `The name at character ${at + 1} is empty.` };
  const value = source.slice(at + 1, end);
  return { token: { kind: 'name', value, exact: true, at }, end: end + 1 };
}

/** A backslash keeps the next character as it is. */
function quotedText(source: string, at: number): Next | Mistake {
  const quote = source[at]!;
  let value = '';
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === quote) return { token: { kind: 'text', value, at }, end: i + 1 };
    if (source[i] === '\\') i++;
    value += source[i] ?? '';
  }
  return { message: `The text that begins at character ${at + 1} has no end.` };
}
