import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';
import type { Credentials } from './environment-credentials.ts';

/**
 * Signs requests to AWS: Signature Version 4 with the hash of the whole body, in the
 * `authorization` header. The signing key is good for a day and is kept, so that a request costs
 * three hashes. It signs what it is given: the path must be percent-encoded already, and query
 * parameters must have no parts that need encoding.
 */
export type SignedParts = {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Lower-case names; all of them are signed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
};

export type Scope = { readonly region: string; readonly service: string };

export type Signer = (
  parts: SignedParts,
  credentials: Credentials,
  nowMs: number,
) => Record<string, string>;

const algorithm = 'AWS4-HMAC-SHA256';

/** Gives the headers to send: those that were given, and those that prove who sends them. */
export function createSigner({ region, service }: Scope): Signer {
  let kept: { secret: string; day: string; key: KeyObject } | undefined;
  const keyOf = (secret: string, day: string): KeyObject => {
    if (kept?.secret !== secret || kept.day !== day) {
      const steps = [day, region, service, 'aws4_request'];
      const first: Buffer = Buffer.from(`AWS4${secret}`);
      kept = { secret, day, key: createSecretKey(steps.reduce(hmac, first)) };
    }
    return kept.key;
  };
  return (parts, credentials, nowMs) => {
    const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const headers: Record<string, string> = { ...parts.headers, 'x-amz-date': time };
    if (sessionToken !== undefined) headers['x-amz-security-token'] = sessionToken;
    const names = Object.keys(headers).sort();
    const signed = names.join(';');
    const canonical = [
      parts.method,
      parts.path.split('/').map(encodeURIComponent).join('/'),
      queryOf(parts.query),
      ...names.map((name) => `${name}:${headers[name]}`),
      '',
      signed,
      sha256(parts.body),
    ].join('\n');
    const scope = `${day}/${region}/${service}/aws4_request`;
    const text = `${algorithm}\n${time}\n${scope}\n${sha256(canonical)}`;
    const signature = hmac(keyOf(secretAccessKey, day), text).toString('hex');
    const credential = `${accessKeyId}/${scope}`;
    const signer = `Credential=${credential}, SignedHeaders=${signed}`;
    headers.authorization = `${algorithm} ${signer}, Signature=${signature}`;
    return headers;
  };
}

/** In the order that signing asks for. */
export function queryOf(query: Readonly<Record<string, string>>): string {
  return Object.keys(query)
    .sort()
    .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(query[name]!)}`)
    .join('&');
}

function hmac(key: Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text, 'utf8').digest();
}

function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}
