/**
 * Why a request did not bring what was asked. A problem is a value: pages show it, retry or sign
 * out, and none throws. The sentence is for the person; the code is the API's own and stable.
 */
export type Problem = {
  readonly kind: 'offline' | 'slow' | 'signed-out' | 'forbidden' | 'missing' | 'busy' | 'refused';
  readonly status: number;
  readonly code: string;
  readonly sentence: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
  readonly requestId: string | null;
  /** What the server asked for with `Retry-After`. */
  readonly retryAfterMs: number | null;
};

const kinds: Readonly<Record<number, Problem['kind']>> = {
  401: 'signed-out',
  403: 'forbidden',
  404: 'missing',
  429: 'busy',
  503: 'busy',
};

const sentences: Readonly<Record<number, string>> = {
  401: 'The token is not accepted any more. Sign in again.',
  403: 'This token may not do that. Use one with a wider scope.',
  404: 'There is nothing here by that name.',
  413: 'The request is too large.',
  429: 'The API asks for a pause.',
};

export const offline: Problem = {
  kind: 'offline',
  status: 0,
  code: 'offline',
  sentence: 'The API cannot be reached.',
  errors: [],
  requestId: null,
  retryAfterMs: null,
};

export const slow: Problem = {
  ...offline,
  kind: 'slow',
  code: 'slow',
  sentence: 'The API takes too long to answer.',
};

/** Reads the body of a refusal; a body that is no problem document still gives a clear sentence. */
export function problemOf(status: number, body: unknown, retryAfter: string | null): Problem {
  const document = isRecord(body) ? body : {};
  const text = (key: string) => (typeof document[key] === 'string' ? document[key] : null);
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  return {
    kind: kinds[status] ?? (status >= 500 ? 'busy' : 'refused'),
    status,
    code: text('code') ?? `http-${status}`,
    sentence: text('detail') ?? sentences[status] ?? text('title') ?? `The API answered ${status}.`,
    errors: fieldErrors(document.errors),
    requestId: text('requestId'),
    retryAfterMs: Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null,
  };
}

function fieldErrors(value: unknown): Problem['errors'] {
  if (!Array.isArray(value)) return [];
  return value.filter(isRecord).map((entry) => ({
    pointer: String(entry.pointer ?? ''),
    message: String(entry.message ?? ''),
  }));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
