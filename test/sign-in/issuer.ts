import { generateKeyPairSync, type KeyObject, randomBytes, sign as signBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { CodeGrants } from './code-grants.ts';
import { DeviceGrants } from './device-grants.ts';
import { RenewalGrants } from './renewal-grants.ts';

/**
 * An issuer of OpenID Connect on this machine, for one public client: it lists its keys, lets its
 * one person in without asking, gives the token for a code once, to who knows the verifier, waits
 * for devices, and gives whoever asks for `offline_access` the right to have a token anew.
 */
export type Issuer = {
  readonly url: string;
  readonly clientId: string;
  /** Who signs in. */
  person: Readonly<Record<string, unknown>>;
  trouble: 'none' | 'down' | 'broken' | 'denied';
  readonly devices: DeviceGrants;
  /** Whether it says that devices may wait. */
  hasDevices: boolean;
  readonly renewals: RenewalGrants;
  /** How often a path was asked for. */
  asked(path: string): number;
  /** A token with these claims instead of the usual ones; a header, where it is about that. */
  token(claims?: object, header?: object): string;
  /** Signs with a new key from now on, and lists no other. */
  rotate(): void;
  /** The public key as a text, which a forger has as well. */
  publicKey(): string;
  close(): Promise<void>;
};

export const clientId = 'edgewise-people';
type Algorithm = 'RS256' | 'ES256';
type Key = { readonly id: string; readonly private: KeyObject; readonly public: KeyObject };

export async function startIssuer(algorithm: Algorithm = 'ES256'): Promise<Issuer> {
  const counts = new Map<string, number>();
  let key = makeKey(algorithm);
  const issuer: Issuer = {
    url: '',
    clientId,
    person: { sub: 'ann', email: 'ann@example.com', groups: ['operators'] },
    trouble: 'none',
    devices: new DeviceGrants(),
    hasDevices: true,
    renewals: new RenewalGrants(),
    asked: (path) => counts.get(path) ?? 0,
    token: (claims = {}, header = {}) => {
      const body = { ...usualClaims(issuer), ...claims };
      return signed({ alg: algorithm, kid: key.id, typ: 'JWT', ...header }, body, key.private);
    },
    rotate: () => {
      key = makeKey(algorithm);
    },
    publicKey: () => key.public.export({ type: 'spki', format: 'pem' }).toString(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const listed = (): object => {
    const jwk = key.public.export({ format: 'jwk' });
    return { keys: [{ ...jwk, kid: key.id, use: 'sig', alg: algorithm }] };
  };
  const codes = new CodeGrants();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer.url);
    counts.set(pathname, (counts.get(pathname) ?? 0) + 1);
    if (issuer.trouble === 'down') request.socket.destroy();
    else if (issuer.trouble === 'broken') response.writeHead(503).end();
    else void answer({ issuer, codes, listed }, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(issuer, { url: `http://127.0.0.1:${port}` });
}

type Parts = {
  readonly issuer: Issuer;
  readonly codes: CodeGrants;
  readonly listed: () => object;
};

async function answer(
  { issuer, codes, listed }: Parts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url, devices } = issuer;
  const { pathname, searchParams } = new URL(request.url ?? '/', url);
  response.setHeader('access-control-allow-origin', '*');
  const say = (value: object, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  const form = new URLSearchParams(request.method === 'POST' ? await text(request) : '');
  switch (pathname) {
    case '/.well-known/openid-configuration':
      return say({
        issuer: url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        ...(issuer.hasDevices
          ? { device_authorization_endpoint: `${url}/device_authorization` }
          : {}),
        token_endpoint: `${url}/token`,
        scopes_supported: ['openid', 'email', 'profile', 'offline_access'],
      });
    case '/keys':
      return say(listed());
    case '/authorize': {
      const location = codes.authorize(searchParams, issuer.trouble === 'denied');
      return void response.writeHead(302, { location }).end();
    }
    case '/device_authorization':
      return isKnown(form) ? say(devices.begin(form, url)) : say({ error: 'invalid_client' }, 401);
    case '/token': {
      const given = isKnown(form) ? issue(form, issuer, codes) : { error: 'invalid_client' };
      return say(given, 'error' in given ? 400 : 200);
    }
    default:
      return say({ error: 'not_found' }, 404);
  }
}

const isKnown = (form: URLSearchParams): boolean => form.get('client_id') === clientId;

/** The tokens for a grant, or the error. */
function issue(form: URLSearchParams, issuer: Issuer, codes: CodeGrants): object {
  const refused = { error: 'invalid_grant' };
  const tokens = (scope: string, claims: object = {}): object => ({
    token_type: 'Bearer',
    access_token: 'opaque',
    id_token: issuer.token(claims),
    ...(scope.includes('offline_access') ? { refresh_token: issuer.renewals.begin() } : {}),
  });
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const asked = codes.exchange(form);
      if (asked === null) return refused;
      return tokens(asked.scope, asked.nonce === null ? {} : { nonce: asked.nonce });
    }
    case 'urn:ietf:params:oauth:grant-type:device_code': {
      const asked = issuer.devices.poll(form);
      return 'error' in asked ? asked : tokens(asked.scope);
    }
    case 'refresh_token': {
      const refresh_token = issuer.renewals.use(form.get('refresh_token') ?? '');
      return refresh_token === null ? refused : { ...tokens(''), refresh_token };
    }
    default:
      return { error: 'unsupported_grant_type' };
  }
}

function usualClaims({ url, person }: Issuer): object {
  const now = Math.floor(Date.now() / 1_000);
  return { iss: url, aud: clientId, iat: now, exp: now + 3_600, ...person };
}

function makeKey(algorithm: Algorithm): Key {
  const pair =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: randomBytes(4).toString('hex'), private: pair.privateKey, public: pair.publicKey };
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs whatever it is given, also what no issuer would. */
export function signed(header: object, claims: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  const how = key.asymmetricKeyType === 'ec' ? { key, dsaEncoding: 'ieee-p1363' as const } : key;
  return `${text}.${signBytes('sha256', Buffer.from(text), how).toString('base64url')}`;
}
