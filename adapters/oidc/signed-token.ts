import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { isRecord } from '../../core/protocol/json.ts';
import type { Claims } from '../../core/sign-in/claims.ts';
import { rsaBitsMin, signedTokenLengthMax } from '../limits.ts';

/**
 * A JSON Web Token as an issuer signs it (RFC 7515, 7519, 8725). The algorithm is one of two, both
 * with a public key; which of them a key is for says the key, so no header can turn a public key
 * into a shared secret, or a signature into none.
 */
export type Algorithm = 'RS256' | 'ES256';

export type SignedToken = {
  readonly algorithm: Algorithm;
  readonly keyId: string;
  readonly claims: Claims;
  /** What was signed, and with what result. */
  readonly signed: string;
  readonly signature: Buffer;
};

export type IssuerKey = { readonly algorithm: Algorithm; readonly key: KeyObject };

const form = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** Types of tokens that open something; an issuer signs others too, as for the end of a session. */
const types: ReadonlySet<unknown> = new Set([
  undefined,
  'JWT',
  'jwt',
  'at+jwt',
  'application/at+jwt',
]);

/** Signed for something that happened and not for somebody who acts (RFC 8417). */
const ofAnEvent = 'events';

/** `null` for what is none, or is none that we could believe. */
export function parseSignedToken(text: string): SignedToken | null {
  const [, head, body, end] = text.length <= signedTokenLengthMax ? (form.exec(text) ?? []) : [];
  if (head === undefined || body === undefined || end === undefined) return null;
  const [header, claims] = [decode(head), decode(body)];
  if (header === null || claims === null) return null;
  const { alg, kid, typ, crit } = header;
  if ((alg !== 'RS256' && alg !== 'ES256') || typeof kid !== 'string') return null;
  if (crit !== undefined || !types.has(typ) || Object.hasOwn(claims, ofAnEvent)) return null;
  const signature = Buffer.from(end, 'base64url');
  return { algorithm: alg, keyId: kid, claims, signed: `${head}.${body}`, signature };
}

function decode(part: string): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** A key of the issuer's list, when it is for signatures of ours. */
export function readIssuerKey(jwk: Readonly<Record<string, unknown>>): IssuerKey | null {
  const { kty, crv, use, alg } = jwk;
  const algorithm = kty === 'RSA' ? 'RS256' : kty === 'EC' && crv === 'P-256' ? 'ES256' : null;
  if (algorithm === null || (use !== undefined && use !== 'sig')) return null;
  if (alg !== undefined && alg !== algorithm) return null;
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return algorithm === 'RS256' && bits < rsaBitsMin ? null : { algorithm, key };
  } catch {
    return null;
  }
}

export function isSignedBy(token: SignedToken, { algorithm, key }: IssuerKey): boolean {
  if (token.algorithm !== algorithm) return false;
  const how = algorithm === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return verify('sha256', Buffer.from(token.signed), how, token.signature);
}
