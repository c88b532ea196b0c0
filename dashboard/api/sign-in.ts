import {
  authorizationUrl,
  exchangeForm,
  readCode,
  readSignInTokens,
  type SignInAttempt,
} from '../../core/contract/sign-in/code-grant.ts';
import {
  issuerDocumentUrl,
  readIssuerAddresses,
  type SignInAt,
} from '../../core/contract/sign-in/issuer-addresses.ts';
import { requestTimeoutMs } from '../limits.ts';

/**
 * Signs in at the issuer of the deployment: the page goes there and comes back with a code. What
 * this tab keeps meanwhile is used once, so that an address from elsewhere cannot sign anybody in.
 */
export type SignInOutcome =
  | { readonly kind: 'signed-in'; readonly token: string }
  | { readonly kind: 'refused'; readonly sentence: string };

type Kept = SignInAttempt & { readonly tokenAddress: string; readonly from: string };

const keptKey = 'edgewise-sign-in';
/** The one address that the issuer knows. */
const returnPath = '/sign-in';
const away = 'The issuer cannot be reached. Try again.';

/** Where people sign in, or that they do not; `null` while nobody knows. */
export async function loadSignIn(api: string): Promise<{ at: SignInAt | null } | null> {
  try {
    const answer = await ask(`${api}/v1/health`);
    if (!answer.ok) return null;
    const health = (await answer.json()) as { signIn?: SignInAt };
    return { at: health.signIn ?? null };
  } catch {
    return null;
  }
}

/** Leaves the page; comes back only with a sentence why not. */
export async function beginSignIn(at: SignInAt): Promise<string> {
  try {
    const document: unknown = await (await ask(issuerDocumentUrl(at.issuer))).json();
    const addresses = readIssuerAddresses(document, at.issuer);
    if (addresses === null) return 'The issuer does not say where to sign in.';
    const attempt = {
      ...at,
      redirectUri: location.origin + returnPath,
      state: random(),
      nonce: random(),
      verifier: random(),
    };
    const kept: Kept = { ...attempt, tokenAddress: addresses.token, from: placeNow() };
    sessionStorage.setItem(keptKey, JSON.stringify(kept));
    location.assign(authorizationUrl(addresses, attempt, await digest(attempt.verifier)));
    // Until the page is gone.
    return await new Promise<string>(() => {});
  } catch {
    return away;
  }
}

/** `null` when nobody just came back. */
export async function finishSignIn(): Promise<SignInOutcome | null> {
  if (location.pathname !== returnPath) return null;
  const query = new URLSearchParams(location.search);
  const kept = takeKept();
  history.replaceState(null, '', kept?.from ?? '/');
  if (kept === null) return refused('Nobody began to sign in here.');
  const outcome = readCode(query, kept);
  if (!outcome.ok) return refused(outcome.sentence);
  try {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = exchangeForm(kept, outcome.code);
    const answer = await ask(kept.tokenAddress, { method: 'POST', headers, body });
    const tokens = readSignInTokens(await answer.json(), kept);
    if (tokens === null) return refused('The issuer gave no token for this sign-in.');
    return { kind: 'signed-in', token: tokens.idToken };
  } catch {
    return refused(away);
  }
}

const refused = (sentence: string): SignInOutcome => ({ kind: 'refused', sentence });

function takeKept(): Kept | null {
  try {
    const text = sessionStorage.getItem(keptKey);
    sessionStorage.removeItem(keptKey);
    return text === null ? null : (JSON.parse(text) as Kept);
  } catch {
    return null;
  }
}

function placeNow(): string {
  return location.pathname === returnPath ? '/' : location.pathname + location.search;
}

function ask(url: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) });
}

function random(): string {
  return encoded(crypto.getRandomValues(new Uint8Array(32)));
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return encoded(new Uint8Array(bytes));
}

function encoded(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
