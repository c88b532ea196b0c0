import { existsSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../../../cli/run.ts';
import { clientId } from '../../sign-in/issuer.ts';
import { scriptedTerminal } from '../scripted-terminal.ts';
import { type KeptContext, makeSignedInPlace, type SignedInPlace } from './signed-in-place.ts';

/** A token that has ended is had anew on the way, and nobody notices. */
let place: SignedInPlace;
let before: KeptContext;

beforeAll(async () => {
  place = await makeSignedInPlace();
});
beforeEach(() => {
  place.issuer.trouble = 'none';
  place.issuer.person = { sub: 'ann' };
  place.seen.length = 0;
  before = signedIn();
  place.ended.add(before.token);
  place.write({ there: before });
});
afterAll(() => place.close());

/** As a sign-in leaves it; each token is another one. */
function signedIn(): KeptContext {
  const token = place.issuer.token({ jti: crypto.randomUUID() });
  const refreshToken = place.issuer.renewals.begin();
  const renewal = { tokenAddress: `${place.issuer.url}/token`, clientId, refreshToken };
  return { api: place.api, token, renewal };
}

/** One command of a process of its own, as far as the configuration goes. */
async function edgewise(...words: string[]) {
  const shown = scriptedTerminal({
    directory: place.directory,
    env: { EDGEWISE_CONFIG: place.config, EDGEWISE_DEBUG: '1' },
    // Others go on meanwhile.
    pass: () => delay(1),
  });
  return { code: await run(words, shown), shown };
}

const kept = (): KeptContext => place.contexts().there!;

test('a token that has ended is renewed, kept for its owner only, and said to nobody', async () => {
  const { code, shown } = await edgewise('job', 'list');
  expect(code, shown.talk()).toBe(0);
  const { token, renewal } = kept();
  expect(token).not.toBe(before.token);
  expect(renewal?.refreshToken).not.toBe(before.renewal?.refreshToken);
  expect(place.seen).toEqual([before.token, token]);
  expect(statSync(place.config).mode & 0o077).toBe(0);
  expect(existsSync(`${place.config}.renewing`)).toBe(false);
  for (const secret of [before, kept()].flatMap((it) => [it.token, it.renewal!.refreshToken])) {
    expect(shown.written()).not.toContain(secret);
  }
  const again = await edgewise('job', 'list');
  expect([again.code, place.seen.at(-1)]).toEqual([0, token]);
});

test('what is refused is made again, also when it may be made only once', async () => {
  const { code } = await edgewise('token', 'create', 'lab', '--scope', 'jobs:read');
  expect([code, place.seen]).toEqual([0, [before.token, kept().token]]);
});

test('many at once renew it once, for an issuer takes everything back otherwise', async () => {
  const asked = place.issuer.asked('/token');
  const all = await Promise.all(Array.from({ length: 8 }, () => edgewise('job', 'list')));
  expect(all.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
  expect(place.issuer.asked('/token') - asked).toBe(1);
  expect((await edgewise('job', 'list')).code).toBe(0);
});

test('a turn whose holder is gone is taken over', async () => {
  writeFileSync(`${place.config}.renewing`, '2147483646');
  expect((await edgewise('job', 'list')).code).toBe(0);
  expect(existsSync(`${place.config}.renewing`)).toBe(false);
});

test('an end of the sign-in is said, and remembered', async () => {
  place.issuer.renewals.takeBack();
  const { code, shown } = await edgewise('job', 'list');
  expect([code, shown.talk()]).toEqual([4, expect.stringContaining('edgewise login')]);
  expect(kept().renewal).toBeNull();
  const asked = place.issuer.asked('/token');
  expect((await edgewise('job', 'list')).code).toBe(4);
  expect(place.issuer.asked('/token')).toBe(asked);
});

test('while the issuer is away nothing is forgotten', async () => {
  place.issuer.trouble = 'down';
  const { code, shown } = await edgewise('job', 'list');
  expect([code, shown.talk()]).toEqual([1, expect.stringContaining('cannot be reached')]);
  place.issuer.trouble = 'none';
  expect((await edgewise('job', 'list')).code).toBe(0);
});

test('a token of somebody else is not taken', async () => {
  place.issuer.person = { sub: 'bob' };
  expect((await edgewise('job', 'list')).code).toBe(4);
  expect(kept().token).toBe(before.token);
});

test('a token that was given is nobody’s to renew, and a new one ends the renewal', async () => {
  const { code } = await edgewise('job', 'list', '--token', before.token);
  expect([code, kept()]).toEqual([4, before]);
  await edgewise('config', 'set', 'there', '--token', 'ours');
  expect(kept()).toEqual({ api: place.api, token: 'ours' });
  place.write({ there: before });
  await edgewise('config', 'set', 'there');
  expect(kept().renewal).toEqual(before.renewal);
});
