/**
 * From the bytes of a shadow request to a checked request, or to the error that AWS documents.
 * The texts are those of "Device Shadow error messages".
 */
import { isObject, type Json, type JsonObject } from '../json.ts';
import { clientTokenBytesMax, shadowDepthMax } from '../limits.ts';
import { deeperThan, hasNullInArray, type Section, sections } from './document.ts';

export type ShadowError = {
  readonly code: 400 | 403 | 404 | 409 | 413 | 415 | 429 | 500;
  readonly message: string;
  readonly clientToken?: string;
};

export type UpdateRequest = {
  /** null: "Setting the device's shadow state to null does not delete the shadow." */
  readonly state: { readonly [section in Section]?: JsonObject | null } | null;
  readonly clientToken?: string;
  readonly version?: number;
};

export type Parsed<T> = { readonly ok: T } | { readonly error: ShadowError };

const bad = (message: string, clientToken?: string): { readonly error: ShadowError } => ({
  error: { code: 400, message, ...(clientToken === undefined ? {} : { clientToken }) },
});

/** Reads an update; refuses what the service refuses, in the order in which it can know. */
export function parseUpdate(payload: Uint8Array): Parsed<UpdateRequest> {
  const decoded = decode(payload);
  if ('error' in decoded) return decoded;
  const root = decoded.ok;
  if (!isObject(root)) return bad('Invalid JSON');
  const token = clientTokenOf(root);
  if ('error' in token) return token;
  const fail = (message: string) => bad(message, token.ok);
  const { state, version } = root;
  if (state === undefined) return fail('Missing required node: state');
  if (state !== null && !isObject(state)) return fail('State node must be an object');
  const problem = state === null ? undefined : stateProblem(state);
  if (problem !== undefined) return fail(problem);
  if (version !== undefined && version !== null && !isVersion(version)) {
    return fail('Invalid version');
  }
  return {
    ok: {
      state,
      ...(token.ok === undefined ? {} : { clientToken: token.ok }),
      ...(typeof version === 'number' ? { version } : {}),
    },
  };
}

/** Get and delete take an empty message; a clientToken in a JSON body is echoed all the same. */
export function parseTokenOnly(payload: Uint8Array): Parsed<{ clientToken?: string }> {
  if (payload.length === 0) return { ok: {} };
  const decoded = decode(payload);
  // "The content of the message is ignored."
  if ('error' in decoded || !isObject(decoded.ok)) return { ok: {} };
  const token = clientTokenOf(decoded.ok);
  if ('error' in token) return token;
  return { ok: token.ok === undefined ? {} : { clientToken: token.ok } };
}

function decode(payload: Uint8Array): Parsed<Json> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  } catch {
    return { error: unsupportedEncoding };
  }
  // A zero byte never stands in UTF-8 JSON: this is UTF-16 or UTF-32.
  if (payload.includes(0)) return { error: unsupportedEncoding };
  try {
    return { ok: JSON.parse(text) as Json };
  } catch {
    return bad('Invalid JSON');
  }
}

const unsupportedEncoding: ShadowError = {
  code: 415,
  message: 'Unsupported documented encoding; supported encoding is UTF-8',
};

function clientTokenOf(root: JsonObject): Parsed<string | undefined> {
  const token = root['clientToken'];
  if (token === undefined || token === null) return { ok: undefined };
  // "A client token that is longer than 64 bytes causes a 400 (Bad Request) response"
  if (typeof token !== 'string' || Buffer.byteLength(token) > clientTokenBytesMax) {
    return bad('Invalid clientToken');
  }
  return { ok: token };
}

function stateProblem(state: JsonObject): string | undefined {
  const unknown = Object.keys(state).find((key) => !sections.includes(key as Section));
  if (unknown !== undefined) return `State contains an invalid node: '${unknown}'`;
  for (const section of sections) {
    const value = state[section];
    if (value === undefined || value === null) continue;
    if (!isObject(value)) return `${capital(section)} node must be an object`;
    // The text says six although the quota is eight levels.
    if (deeperThan(value, shadowDepthMax)) {
      return 'JSON contains too many levels of nesting; maximum is 6';
    }
    if (hasNullInArray(value)) return 'Invalid JSON';
  }
  return undefined;
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const isVersion = (version: Json): boolean =>
  typeof version === 'number' && Number.isSafeInteger(version) && version >= 0;
