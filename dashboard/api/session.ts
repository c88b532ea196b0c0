/**
 * The token lives in the tab's session storage and nowhere else: closing the tab forgets it. A
 * start script may hand one over in the address (`#token=…`); it only fills in the form, so that a
 * link cannot sign anybody in, and it is taken out of the address at once.
 */
const tokenKey = 'edgewise-token';

export function storedToken(): string | null {
  try {
    return sessionStorage.getItem(tokenKey);
  } catch {
    return null;
  }
}

export function storeToken(token: string | null): void {
  try {
    if (token === null) sessionStorage.removeItem(tokenKey);
    else sessionStorage.setItem(tokenKey, token);
  } catch {
    // Storage is switched off: the token then lasts as long as the page.
  }
}

export function takeTokenFromAddress(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  if (token !== '') history.replaceState(null, '', location.pathname + location.search);
  return token;
}

/**
 * Where the API is: `config.json` beside the page, written by whoever serves it. An address without
 * a host is meant from the page's own.
 */
export async function loadApiAddress(): Promise<string | null> {
  try {
    const response = await fetch('/config.json', { cache: 'no-cache' });
    const config: unknown = await response.json();
    if (typeof config !== 'object' || config === null || !('api' in config)) return null;
    if (typeof config.api !== 'string') return null;
    return new URL(config.api, location.origin).href.replace(/\/+$/, '');
  } catch {
    return null;
  }
}
