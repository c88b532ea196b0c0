import type { UserCaller } from '../model/caller.ts';
import { signInSkewMs, signInSubjectLengthMax, signInTokenMsMax } from '../model/limits.ts';
import { type GroupScopes, scopesOfGroups } from './groups.ts';

/**
 * What a token says of its holder, once it is sure that the issuer said it: whether it is meant
 * for us, whether its time is now, who it is, and what the groups of that person may do.
 */
export type SignInSettings = {
  /** Exactly as the issuer spells itself. */
  readonly issuer: string;
  readonly audience: string;
  readonly groupsClaim: string;
  readonly groups: GroupScopes;
};

export type Claims = Readonly<Record<string, unknown>>;

/** `null` for whatever is not in order: its holder hears no reason, as with every token. */
export function judgeClaims(
  claims: Claims,
  settings: SignInSettings,
  nowMs: number,
): UserCaller | null {
  const { sub } = claims;
  if (claims.iss !== settings.issuer || !isMeantFor(claims, settings.audience)) return null;
  if (!isNow(claims, nowMs)) return null;
  if (typeof sub !== 'string' || sub === '' || sub.length > signInSubjectLengthMax) return null;
  return {
    kind: 'user',
    id: plainName(sub),
    name: nameOf(claims) ?? plainName(sub),
    scopes: scopesOfGroups(claims[settings.groupsClaim], settings.groups),
    pool: null,
    queue: null,
    edge: null,
    edges: null,
  };
}

/** As AWS's own authorizers: some issuers name the client where others name an audience. */
function isMeantFor({ aud, client_id: client }: Claims, audience: string): boolean {
  if (aud === undefined) return client === audience;
  return Array.isArray(aud) ? aud.includes(audience) : aud === audience;
}

/** A token without an end, or with one that is far away, is none that a person signed in with. */
function isNow({ exp, nbf, iat }: Claims, nowMs: number): boolean {
  const endsInMs = typeof exp === 'number' ? exp * 1_000 - nowMs : Number.NaN;
  if (!(endsInMs > -signInSkewMs && endsInMs <= signInTokenMsMax)) return false;
  return [nbf, iat].every((at) => at === undefined || hasBegun(at, nowMs));
}

function hasBegun(at: unknown, nowMs: number): boolean {
  return typeof at === 'number' && at * 1_000 <= nowMs + signInSkewMs;
}

/** Names become parts of keys, where `#` and `/` mean something. */
function plainName(sub: string): string {
  return sub.replaceAll(/[^A-Za-z0-9._@|:-]/gu, (one) => encodeURIComponent(one.toWellFormed()));
}

/** For people to read, and for nothing else: it may be anybody's. */
function nameOf({ email, preferred_username: user }: Claims): string | null {
  const found = [email, user].find((it) => typeof it === 'string' && /^[\w.@+-]{1,128}$/.test(it));
  return typeof found === 'string' ? found : null;
}
