import { isRecord } from '../../protocol/json.ts';

/** Where people sign in, as `GET /v1/health` says it. */
export type SignInAt = { readonly issuer: string; readonly clientId: string };

/** Where the issuer asks the person, and where it gives tokens. */
export type IssuerAddresses = {
  readonly authorization: string;
  readonly token: string;
  /** Where a device without a browser begins (RFC 8628); `null` where none can. */
  readonly device: string | null;
  readonly scope: string;
  /** The same for who wants to stay signed in for longer than a token lives. */
  readonly lastingScope: string;
  /** Whether the issuer has such a thing. */
  readonly lasts: boolean;
};

/** What every issuer with the document has. */
export function issuerDocumentUrl(issuer: string): string {
  return `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
}

/** `null` for what is not the document of this issuer. */
export function readIssuerAddresses(document: unknown, issuer: string): IssuerAddresses | null {
  if (!isRecord(document) || document.issuer !== issuer) return null;
  const { authorization_endpoint: authorization, token_endpoint: token } = document;
  if (!isPage(authorization, issuer) || !isPage(token, issuer)) return null;
  const { device_authorization_endpoint: device } = document;
  const known = Array.isArray(document.scopes_supported) ? document.scopes_supported : [];
  // Some give groups only to those who ask, others refuse who asks for what they do not know.
  const asked = (name: string): string => (known.includes(name) ? ` ${name}` : '');
  const scope = `openid email profile${asked('groups')}`;
  return {
    authorization,
    token,
    device: isPage(device, issuer) ? device : null,
    scope,
    lastingScope: scope + asked('offline_access'),
    lasts: known.includes('offline_access'),
  };
}

/** Nobody in between may read what is sent there, unless the issuer itself is without TLS. */
function isPage(value: unknown, issuer: string): value is string {
  return typeof value === 'string' && isAddress(value, issuer.startsWith('http://'));
}

export function isAddress(text: string, mayBePlain: boolean): boolean {
  return (mayBePlain ? /^https?:\/\/[!-~]+$/ : /^https:\/\/[!-~]+$/).test(text);
}
