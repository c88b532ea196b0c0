/**
 * Words of the AWS IoT SQL and a cursor over them. Keywords and names are the same here, and
 * case is kept; what is expected and not found is an error with its place in the text.
 */

type Token =
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

export type Cursor = {
  /** The word here in lower case, or undefined when something else is here. */
  word(): string | undefined;
  /** The sign here. */
  sign(): string | undefined;
  advance(): void;
  /** Takes the sign, or the word, if it is here. */
  accept(sign: string): boolean;
  acceptWord(word: string): boolean;
  need(sign: string): void;
  keyword(word: string): void;
  /** Takes a number or a text, if one is here. */
  literal(): number | string | undefined;
  text(what: string): string;
  name(): string;
  /** A name, or a text in its place. */
  key(): string;
  end(): void;
  fail(wanted: string): never;
};

export function cursorOver(source: string): Cursor {
  const tokens = tokensOf(source);
  let at = 0;
  const here = (): Token => tokens[at]!;
  const fail = (wanted: string): never => {
    throw new Error(`expected ${wanted} at ${here().at + 1}`);
  };
  const cursor: Cursor = {
    word() {
      const token = here();
      return token.kind === 'word' ? token.text.toLowerCase() : undefined;
    },
    sign() {
      const token = here();
      return token.kind === 'sign' ? token.text : undefined;
    },
    advance: () => void at++,
    accept(sign) {
      const found = cursor.sign() === sign;
      if (found) at++;
      return found;
    },
    acceptWord(word) {
      const found = cursor.word() === word;
      if (found) at++;
      return found;
    },
    need(sign) {
      if (!cursor.accept(sign)) fail(sign);
    },
    keyword(word) {
      if (!cursor.acceptWord(word)) fail(word.toUpperCase());
    },
    literal() {
      const token = here();
      if (token.kind !== 'number' && token.kind !== 'string') return undefined;
      at++;
      return token.value;
    },
    text(what) {
      const found = here().kind === 'string' ? cursor.literal() : undefined;
      return typeof found === 'string' ? found : fail(what);
    },
    name() {
      const token = here();
      if (token.kind !== 'word') return fail('a name');
      at++;
      return token.text;
    },
    key: () => (here().kind === 'string' ? cursor.text('a name') : cursor.name()),
    end() {
      if (here().kind !== 'end') fail('the end');
    },
    fail,
  };
  return cursor;
}

function tokensOf(text: string): Token[] {
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
