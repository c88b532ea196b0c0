import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIssuerKeys } from '../../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../../adapters/oidc/people.ts';
import { parseGroupScopes } from '../../../core/sign-in/groups.ts';
import { clientId, type Issuer, signed, startIssuer } from '../../sign-in/issuer.ts';

/** Tokens of people, judged against the keys of an issuer that runs beside this test. */
let issuer: Issuer;
const settings = () => ({
  issuer: issuer.url,
  audience: clientId,
  groupsClaim: 'groups',
  groups: parseGroupScopes('operators=jobs:read,jobs:write;admins=fleet:admin'),
});
const people = () => createPeople(settings(), createIssuerKeys(issuer.url));
const find = (token: string) => people().find(token, Date.now());
const seconds = (from = 0) => Math.floor(Date.now() / 1_000) + from;

describe.each(['ES256', 'RS256'] as const)('an issuer that signs by %s', (algorithm) => {
  beforeAll(async () => {
    issuer = await startIssuer(algorithm);
  });
  afterAll(() => issuer.close());

  test('says who somebody is, and the groups what that one may do', async () => {
    expect(await find(issuer.token())).toEqual({
      ...{
        kind: 'user',
        id: 'ann',
        name: 'ann@example.com',
        pool: null,
        queue: null,
        edge: null,
        edges: null,
      },
      scopes: ['jobs:read', 'jobs:write'],
    });
    expect((await find(issuer.token({ groups: ['others'] })))?.scopes).toEqual([]);
    expect((await find(issuer.token({ groups: undefined })))?.scopes).toEqual([]);
    expect((await find(issuer.token({ groups: 'admins' })))?.scopes).toEqual(['fleet:admin']);
  });

  test('names nobody whose token is for others, early, late, endless or without a name', async () => {
    for (const [what, claims] of Object.entries({
      'another audience': { aud: 'somebody-else' },
      'no audience': { aud: undefined },
      'another issuer': { iss: 'https://example.com' },
      'an issuer with a slash more': { iss: `${issuer.url}/` },
      expired: { exp: seconds(-61) },
      'no end': { exp: undefined },
      'an end as text': { exp: String(seconds(600)) },
      'an end in a year': { exp: seconds(365 * 86_400) },
      'not yet': { nbf: seconds(120) },
      'issued in the future': { iat: seconds(120) },
      'nobody in particular': { sub: '' },
      'no subject': { sub: undefined },
      'a subject that is a list': { sub: ['ann'] },
      'a session that ended': {
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      },
    })) {
      expect(await find(issuer.token(claims)), what).toBeNull();
    }
  });

  test('is believed about clocks that differ a little, several audiences, and clients by name', async () => {
    for (const claims of [
      { exp: seconds(-30) },
      { nbf: seconds(30) },
      { aud: ['somebody-else', clientId] },
      { aud: undefined, client_id: clientId },
    ]) {
      expect(await find(issuer.token(claims)), JSON.stringify(claims)).not.toBeNull();
    }
  });

  test('has signed every letter', async () => {
    const [header = '', claims = '', signature = ''] = issuer.token().split('.');
    const text = Buffer.from(claims, 'base64url').toString('utf8');
    const raised = Buffer.from(text.replace('operators', 'admins')).toString('base64url');
    expect(await find(`${header}.${raised}.${signature}`)).toBeNull();
    for (const made of [
      `${header}.${claims}.`,
      `${header}.${claims}`,
      `${header}.${claims}.AAAA`,
    ]) {
      expect(await find(made), made.slice(-8)).toBeNull();
    }
  });

  test('no algorithm but its own counts', async () => {
    const claims = JSON.parse(
      Buffer.from(issuer.token().split('.')[1] ?? '', 'base64url').toString('utf8'),
    );
    const { kid } = JSON.parse(
      Buffer.from(issuer.token().split('.')[0] ?? '', 'base64url').toString('utf8'),
    );
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = part(claims);
    const none = `${part({ alg: 'none', kid })}.${body}.`;
    // The public key, which is no secret, taken for a shared one.
    const text = `${part({ alg: 'HS256', kid })}.${body}`;
    const forged = createHmac('sha256', issuer.publicKey()).update(text).digest('base64url');
    const shared = `${text}.${forged}`;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const other = algorithm === 'ES256' ? 'RS256' : 'ES256';
    for (const [what, token] of Object.entries({
      none,
      shared,
      'a key of the forger': signed({ alg: 'ES256', kid }, claims, ec),
      'a key of the forger, of the other kind': signed({ alg: 'RS256', kid }, claims, rsa),
      'the name of another algorithm': issuer.token({}, { alg: other }),
      'a key that the token brings': issuer.token({}, { kid: undefined, jwk: {} }),
      'conditions that we do not know': issuer.token({}, { crit: ['b64'] }),
      'a token of another kind': issuer.token({}, { typ: 'logout+jwt' }),
    })) {
      expect(await find(token), what).toBeNull();
    }
  });

  test('may change its keys at any moment', async () => {
    const known = people();
    const [before, nowMs] = [issuer.token(), Date.now()];
    expect(await known.find(before, nowMs)).not.toBeNull();
    issuer.rotate();
    // Just asked: the new key is looked for a moment later, and the old one is still believed.
    expect(await known.find(issuer.token(), nowMs + 1_000)).toBeNull();
    expect(await known.find(issuer.token(), nowMs + 15_000)).not.toBeNull();
    expect(await known.find(before, nowMs + 16_000)).toBeNull();
  });

  test('is not asked more often for keys that nobody has', async () => {
    const known = people();
    const [before, nowMs] = [issuer.asked('/keys'), Date.now()];
    for (let at = 0; at < 100; at++) {
      expect(await known.find(issuer.token({}, { kid: `made-up-${at}` }), nowMs + at)).toBeNull();
    }
    expect(issuer.asked('/keys') - before).toBe(1);
    await known.find(issuer.token({ iss: 'https://example.com' }), nowMs + 60_000);
    expect(issuer.asked('/keys') - before).toBe(1);
  });

  test('many who come at once wait for one answer', async () => {
    const known = people();
    const before = issuer.asked('/keys');
    const found = await Promise.all(
      Array.from({ length: 20 }, () => known.find(issuer.token(), Date.now())),
    );
    expect(found.every((one) => one?.id === 'ann')).toBe(true);
    expect(issuer.asked('/keys') - before).toBe(1);
  });

  test('may be away for a day, and then it is said that it is', async () => {
    const known = people();
    const nowMs = Date.now();
    const token = (at: number) =>
      issuer.token({ iat: Math.floor(at / 1_000), exp: Math.floor(at / 1_000) + 600 });
    expect(await known.find(token(nowMs), nowMs)).not.toBeNull();
    issuer.trouble = 'down';
    try {
      const later = nowMs + 3_600_000;
      expect(await known.find(token(later), later)).not.toBeNull();
      const tomorrow = nowMs + 25 * 3_600_000;
      await expect(known.find(token(tomorrow), tomorrow)).rejects.toThrow(
        /does not say what its keys/,
      );
      await expect(people().find(token(nowMs), nowMs)).rejects.toThrow(
        /does not say what its keys/,
      );
    } finally {
      issuer.trouble = 'none';
    }
    expect(await find(issuer.token())).not.toBeNull();
  });
});
