import { isRecord } from '../../core/protocol/json.ts';
import {
  issuerAnswerBytesMax,
  issuerAnswerMsMax,
  issuerAskedEveryMs,
  issuerKeysBelievedMs,
  issuerKeysFreshMs,
  issuerKeysMax,
} from '../limits.ts';
import { type IssuerKey, readIssuerKey } from './signed-token.ts';

/**
 * The keys of an issuer, as its own documents list them. Kept for minutes; a key that is not among
 * them is looked for at once, because that is how an issuer changes keys, but however many unknown
 * ones come, it is asked a few times a minute. While it cannot be reached its keys are believed for
 * a day, so that its trouble is not ours.
 */
export type IssuerKeys = { find(keyId: string, nowMs: number): Promise<IssuerKey | null> };

type Known = { readonly keys: ReadonlyMap<string, IssuerKey>; readonly atMs: number };

export class IssuerUnreachable extends Error {
  constructor(issuer: string, cause: unknown) {
    super(`the issuer ${issuer} does not say what its keys are`, { cause });
    this.name = 'IssuerUnreachable';
  }
}

export function createIssuerKeys(issuer: string, ask: typeof fetch = fetch): IssuerKeys {
  let known: Known | null = null;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let failure: unknown = null;
  let asking: Promise<void> | null = null;

  async function refresh(nowMs: number): Promise<void> {
    askedAtMs = nowMs;
    try {
      known = { keys: await readKeys(issuer, ask), atMs: nowMs };
      failure = null;
    } catch (error) {
      failure = error;
    }
  }

  /** Those who come while it is being asked wait for the same answer. */
  async function refreshOnce(nowMs: number): Promise<void> {
    if (asking === null && nowMs - askedAtMs < issuerAskedEveryMs) return;
    asking ??= refresh(nowMs).finally(() => {
      asking = null;
    });
    await asking;
  }

  return {
    async find(keyId, nowMs) {
      const isFresh = known !== null && nowMs - known.atMs < issuerKeysFreshMs;
      if (!isFresh || !known?.keys.has(keyId)) await refreshOnce(nowMs);
      if (known === null || nowMs - known.atMs >= issuerKeysBelievedMs) {
        throw new IssuerUnreachable(issuer, failure);
      }
      return known.keys.get(keyId) ?? null;
    },
  };
}

async function readKeys(
  issuer: string,
  ask: typeof fetch,
): Promise<ReadonlyMap<string, IssuerKey>> {
  const signal = AbortSignal.timeout(issuerAnswerMsMax);
  const read = (url: string) => readJson(url, ask, signal);
  const described = await read(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
  if (described.issuer !== issuer) throw new Error(`it calls itself ${String(described.issuer)}`);
  const { keys } = await read(safeUrl(described.jwks_uri, issuer));
  if (!Array.isArray(keys)) throw new Error('it lists no keys');
  const found = new Map<string, IssuerKey>();
  for (const jwk of keys.slice(0, issuerKeysMax)) {
    const key = isRecord(jwk) ? readIssuerKey(jwk) : null;
    if (key !== null && typeof jwk.kid === 'string') found.set(jwk.kid, key);
  }
  return found;
}

/** Nobody in between may name the keys: TLS, unless the issuer itself is without, as in a test. */
function safeUrl(value: unknown, issuer: string): string {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isSafe = url?.protocol === 'https:' || issuer.startsWith('http://');
  if (url === null || !isSafe) throw new Error(`its keys are at ${String(value)}`);
  return url.href;
}

async function readJson(
  url: string,
  ask: typeof fetch,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const answer = await ask(url, { signal, redirect: 'error' });
  if (!answer.ok || answer.body === null) throw new Error(`${url} answers ${answer.status}`);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.byteLength;
    if (bytes > issuerAnswerBytesMax) throw new Error(`${url} answers without an end`);
    parts.push(part);
  }
  const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  if (!isRecord(value)) throw new Error(`${url} answers with no object`);
  return value;
}
