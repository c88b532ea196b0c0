/** Words of the AWS IoT SQL: keywords and names are not told apart here, case is kept. */

export type Token =
  | { readonly kind: 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly value: number; readonly at: number }
  | { readonly kind: 'string'; readonly value: string; readonly at: number }
  | { readonly kind: 'sign'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

const patterns: readonly (readonly [Token['kind'] | 'space', RegExp])[] = [
  ['space', /\s+/y],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['word', /[A-Za-z_$][A-Za-z0-9_$]*/y],
  // A quote inside a text is doubled.
  ['string', /'(?:[^']|'')*'|"(?:[^"]|"")*"/y],
  ['sign', /<>|<=|>=|!=|[(),.*=<>+\-/%[\]{}:]/y],
];

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at);
    if (token === undefined) throw new Error(`unexpected character ${text[at]} at ${at + 1}`);
    if (token.found !== undefined) tokens.push(token.found);
    at = token.next;
  }
  tokens.push({ kind: 'end', at });
  return tokens;
}

function tokenAt(text: string, at: number): { found?: Token; next: number } | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = at;
    const match = pattern.exec(text)?.[0];
    if (match === undefined) continue;
    const next = at + match.length;
    switch (kind) {
      case 'number':
        return { found: { kind, value: Number(match), at }, next };
      case 'word':
      case 'sign':
        return { found: { kind, text: match, at }, next };
      case 'string': {
        const quote = match[0]!;
        const value = match.slice(1, -1).replaceAll(quote + quote, quote);
        return { found: { kind, value, at }, next };
      }
      default:
        return { next };
    }
  }
  return undefined;
}
