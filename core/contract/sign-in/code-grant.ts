import { claimsOf, type IssuedTokens, readIssuedTokens } from './issued-tokens.ts';
import type { IssuerAddresses, SignInAt } from './issuer-addresses.ts';
import { issuerReasonLengthMax } from './limits.ts';

/**
 * How a client signs somebody in by OpenID Connect: authorization code with proof of possession
 * (RFC 7636), for the dashboard and the command line. What is random, and its digest, is given. One
 * sign-in is under way; who began it alone can end it.
 */
export type SignInAttempt = SignInAt & {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** Asks the person once more what this client may do (OpenID Connect Core, 11). */
  readonly consent?: boolean;
};

export function authorizationUrl(
  { authorization, scope }: IssuerAddresses,
  attempt: SignInAttempt,
  challenge: string,
): string {
  const url = new URL(authorization);
  const query = {
    response_type: 'code',
    client_id: attempt.clientId,
    redirect_uri: attempt.redirectUri,
    scope,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(attempt.consent ? { prompt: 'consent' } : {}),
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

/** The code that came back, or the sentence why there is none. */
export type CodeOutcome =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly sentence: string };

/** Why the issuer did not let somebody in, in its own words, none of which a terminal obeys. */
export function refusedSentence(reason: string): string {
  const plain = reason.replaceAll(/\p{Cc}/gu, ' ').slice(0, issuerReasonLengthMax);
  return `The issuer did not let you in: ${plain}`;
}

export function readCode(query: URLSearchParams, { state }: SignInAttempt): CodeOutcome {
  const code = query.get('code');
  if (query.get('state') !== state) {
    return { ok: false, sentence: 'This is the end of another sign-in.' };
  }
  if (code !== null && code !== '') return { ok: true, code };
  const reason = query.get('error_description') ?? query.get('error') ?? 'no reason';
  return { ok: false, sentence: refusedSentence(reason) };
}

/** The form that is sent to the token endpoint. */
export function exchangeForm(attempt: SignInAttempt, code: string): string {
  return new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: attempt.clientId,
    redirect_uri: attempt.redirectUri,
    code,
    code_verifier: attempt.verifier,
  }).toString();
}

/** What the sign-in gave; `null` when it was made for another one. */
export function readSignInTokens(answer: unknown, { nonce }: SignInAttempt): IssuedTokens | null {
  const tokens = readIssuedTokens(answer);
  return tokens !== null && claimsOf(tokens.idToken)?.nonce === nonce ? tokens : null;
}
