import { isRecord } from '../../protocol/json.ts';

/** What a sign-in gave: who the person is, and, where the issuer has it, the right to ask again. */
export type IssuedTokens = { readonly idToken: string; readonly refreshToken: string | null };

/** With this a token that has ended is had anew, without the person (RFC 6749, 6). */
export type Renewal = {
  readonly tokenAddress: string;
  readonly clientId: string;
  readonly refreshToken: string;
};

/** `null` for an answer without a token of the person. The API judges the rest. */
export function readIssuedTokens(answer: unknown): IssuedTokens | null {
  if (!isRecord(answer)) return null;
  const { id_token: idToken, refresh_token: refreshToken } = answer;
  if (typeof idToken !== 'string' || idToken === '') return null;
  const isLasting = typeof refreshToken === 'string' && refreshToken !== '';
  return { idToken, refreshToken: isLasting ? refreshToken : null };
}

/** `null` where the person has to sign in again. */
export function renewalOf(
  { refreshToken }: IssuedTokens,
  { tokenAddress, clientId }: Omit<Renewal, 'refreshToken'>,
): Renewal | null {
  return refreshToken === null ? null : { tokenAddress, clientId, refreshToken };
}

/** What was kept by an earlier run, or by another version. */
export function readRenewal(value: unknown): Renewal | null {
  if (!isRecord(value)) return null;
  const { tokenAddress, clientId, refreshToken } = value;
  const texts = [tokenAddress, clientId, refreshToken];
  return texts.every((it) => typeof it === 'string') ? (value as Renewal) : null;
}

/** The form that asks for it. */
export function renewalForm({ clientId, refreshToken }: Renewal): string {
  return new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
  }).toString();
}

/**
 * The tokens that follow; `null` where there are none, or they are of somebody else (OpenID Connect
 * Core, 12.2). An issuer that gives no new right to ask again leaves the one before.
 */
export function readRenewedTokens(
  answer: unknown,
  renewal: Renewal,
  before: string,
): IssuedTokens | null {
  const tokens = readIssuedTokens(answer);
  if (tokens === null) return null;
  const [was, is] = [claimsOf(before), claimsOf(tokens.idToken)];
  if (was === null || is === null || was.iss !== is.iss || was.sub !== is.sub) return null;
  return { ...tokens, refreshToken: tokens.refreshToken ?? renewal.refreshToken };
}

/** Whether the issuer says that this right has ended, by its own time or by somebody's decision. */
export function isOver(answer: unknown): boolean {
  return isRecord(answer) && answer.error === 'invalid_grant';
}

/** What a token says, unproven; `null` for what is none. */
export function claimsOf(token: string): Record<string, unknown> | null {
  try {
    const body = (token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const claims: unknown = JSON.parse(atob(body));
    return isRecord(claims) ? claims : null;
  } catch {
    return null;
  }
}
