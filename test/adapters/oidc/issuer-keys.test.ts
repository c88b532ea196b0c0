import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { createIssuerKeys } from '../../../adapters/oidc/issuer-keys.ts';

/** An issuer's own documents are answers from outside: what is odd about them opens nothing. */
const issuer = 'https://issuer.example.com/realm';
const described = { issuer, jwks_uri: `${issuer}/keys` };
const jwk = (options: object = {}) => ({
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey.export({ format: 'jwk' }),
  ...{ kid: 'one', use: 'sig', alg: 'RS256', ...options },
});

function keysOf(documents: Readonly<Record<string, object | string>>) {
  const asked: string[] = [];
  const ask = (url: string | URL | Request): Promise<Response> => {
    asked.push(String(url));
    const found = documents[String(url)];
    const body = typeof found === 'string' ? found : JSON.stringify(found);
    return Promise.resolve(new Response(body, { status: found === undefined ? 404 : 200 }));
  };
  return { asked, keys: createIssuerKeys(issuer, ask as typeof fetch) };
}

const at = `${issuer}/.well-known/openid-configuration`;

test('keys come from where the issuer says', async () => {
  const { asked, keys } = keysOf({ [at]: described, [`${issuer}/keys`]: { keys: [jwk()] } });
  expect(await keys.find('one', 0)).toMatchObject({ algorithm: 'RS256' });
  expect(await keys.find('one', 1_000)).not.toBeNull();
  expect(asked).toEqual([at, `${issuer}/keys`]);
});

test.each<[string, object | string]>([
  ['calls itself something else', { ...described, issuer: 'https://issuer.example.com' }],
  [
    'has its keys where anybody may change them',
    { ...described, jwks_uri: 'http://a.example/keys' },
  ],
  ['has them nowhere', { issuer }],
  ['has them in a file', { ...described, jwks_uri: 'file:///etc/passwd' }],
  ['says nothing', 'no JSON'],
  ['says too much', { ...described, more: 'x'.repeat(300_000) }],
])('an issuer that %s is not believed', async (_what, document) => {
  const { keys } = keysOf({ [at]: document, [`${issuer}/keys`]: { keys: [jwk()] } });
  await expect(keys.find('one', 0)).rejects.toThrow(/does not say what its keys are/);
});

const weak = () => ({
  ...generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey.export({ format: 'jwk' }),
  kid: 'one',
});

test.each<[string, () => object]>([
  ['for encryption', () => jwk({ use: 'enc' })],
  ['for another algorithm', () => jwk({ alg: 'PS256' })],
  ['a shared secret', () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'one' })],
  ['too short', weak],
  ['no key', () => ({ kty: 'RSA', n: 1, e: null, kid: 'one' })],
])('a key that is %s is none', async (_what, key) => {
  const { keys } = keysOf({ [at]: described, [`${issuer}/keys`]: { keys: [key(), 3, null] } });
  expect(await keys.find('one', 0)).toBeNull();
});
