/**
 * Texts of policies with `*`, `?` and `${variables}`. "the `*` represents any combination of
 * characters and a question mark `?` represents any single character"; `+` and `#` are ordinary.
 * The value of a variable is never read as a wildcard, and a text with a variable that has no
 * value for this connection matches nothing.
 */

/** What is known of a connection; keys are lower case. */
export type Variables = {
  readonly get: (name: string) => string | undefined;
  readonly all: (name: string) => readonly string[];
};

type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'one' };

export type Pattern = readonly Token[];

const attributeVariable = /^iot:connection\.thing\.attributes\[[a-z0-9_.,@/:#-]+\]$/;
const knownVariables = new Set([
  'iot:connection.thing.thingname',
  'iot:connection.thing.thingtypename',
  'iot:connection.thing.isattached',
  'iot:clientid',
  'iot:domainname',
  'iot:certificate.subject.commonname',
  'aws:sourceip',
]);

export const isKnownVariable = (name: string): boolean =>
  knownVariables.has(name.toLowerCase()) || attributeVariable.test(name.toLowerCase());

/** `${*}`, `${?}` and `${$}` stand for the characters themselves. */
const escapes = new Set(['*', '?', '$']);

export function parsePattern(text: string, refuse: (why: string) => never): Pattern {
  const tokens: Token[] = [];
  let plain = '';
  const close = () => {
    if (plain !== '') tokens.push({ kind: 'text', text: plain });
    plain = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    const end = text.startsWith('${', at) ? text.indexOf('}', at) : -1;
    if (end > 0) {
      const name = text.slice(at + 2, end).trim();
      at = end;
      if (escapes.has(name)) plain += name;
      else if (!isKnownVariable(name)) refuse(`the policy variable ${name} is not supported`);
      else {
        close();
        tokens.push({ kind: 'variable', name: name.toLowerCase() });
      }
    } else if (character === '*' || character === '?') {
      close();
      tokens.push({ kind: character === '*' ? 'any' : 'one' });
    } else plain += character;
  }
  close();
  return tokens;
}

export function matches(pattern: Pattern, text: string, variables: Variables): boolean {
  const resolved: Pattern = pattern.map((token) => {
    if (token.kind !== 'variable') return token;
    return { kind: 'text', text: variables.get(token.name) ?? unresolved };
  });
  if (resolved.some((token) => token.kind === 'text' && token.text === unresolved)) return false;
  return matchFrom(resolved, 0, text, 0);
}

/** No value of a variable contains a zero character. */
const unresolved = '\u0000';

/** Goes back to the last `*` only: an earlier one never has to give way again. */
function matchFrom(pattern: Pattern, first: number, text: string, start: number): boolean {
  let token = first;
  let at = start;
  let retryToken = -1;
  let retryAt = 0;
  for (;;) {
    const current = pattern[token];
    if (current === undefined && at === text.length) return true;
    if (current?.kind === 'any') {
      retryToken = ++token;
      retryAt = at;
      continue;
    }
    if (current?.kind === 'one' && at < text.length) {
      token++;
      at++;
      continue;
    }
    if (current?.kind === 'text' && text.startsWith(current.text, at)) {
      token++;
      at += current.text.length;
      continue;
    }
    if (retryToken < 0 || retryAt >= text.length) return false;
    token = retryToken;
    at = ++retryAt;
  }
}
