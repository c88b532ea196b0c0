import { readFileSync, rmSync, statSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { run } from '../../../cli/run.ts';
import { clientId } from '../../sign-in/issuer.ts';
import { type ScriptedTerminal, scriptedTerminal } from '../scripted-terminal.ts';
import { makeSignedInPlace, type SignedInPlace } from './signed-in-place.ts';

/** `edgewise login` against an issuer, with a browser that follows what it is shown. */
let place: SignedInPlace;

beforeAll(async () => {
  place = await makeSignedInPlace();
});
afterEach(() => {
  place.issuer.trouble = 'none';
  rmSync(place.config, { force: true });
});
afterAll(() => place.close());

type Visit = (address: string, terminal: ScriptedTerminal) => Promise<unknown>;

/** Somebody who opens the address as soon as it is shown. */
async function login(
  visit: Visit,
  ...flags: string[]
): Promise<{ code: number; shown: ScriptedTerminal }> {
  const shown = scriptedTerminal({
    directory: place.directory,
    env: { EDGEWISE_CONFIG: place.config },
  });
  const say = shown.say.bind(shown);
  const visits: Promise<unknown>[] = [];
  shown.say = (line) => {
    say(line);
    const address = /^ {2}(http\S+)$/.exec(line)?.[1];
    if (address !== undefined) visits.push(visit(address, shown));
  };
  const code = await run(['login', '--api', place.api, ...flags], shown);
  await Promise.all(visits);
  return { code, shown };
}

const follow: Visit = (address) => fetch(address);

test('the token of the person is kept for this API, and for its owner only', async () => {
  const { code, shown } = await login(follow);
  expect(code, shown.talk()).toBe(0);
  expect(shown.data()).toBe('127.0.0.1\n');
  const { current, contexts } = JSON.parse(readFileSync(place.config, 'utf8'));
  expect(current).toBe('127.0.0.1');
  expect(contexts[current].api).toBe(place.api);
  const [, claims = ''] = contexts[current].token.split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ sub: 'ann' });
  expect(contexts[current].renewal.refreshToken).toMatch(/^renewal-/);
  expect(shown.written()).not.toContain(contexts[current].renewal.refreshToken);
  expect(statSync(place.config).mode & 0o077).toBe(0);
});

test('the one who asks proves it, and the code is no secret', async () => {
  const steal: Visit = async (address) => {
    const answer = await fetch(address, { redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '');
    const stolen = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: back.origin + back.pathname,
      code: back.searchParams.get('code') ?? '',
      code_verifier: 'guessed',
    });
    const given = await fetch(`${place.issuer.url}/token`, { method: 'POST', body: stolen });
    expect(given.status).toBe(400);
    return fetch(back);
  };
  expect((await login(steal)).code).toBe(1);
});

test('the end of another sign-in is none', async () => {
  const foreign: Visit = (address) => {
    const back = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    back.search = '?code=somebody-elses&state=guessed';
    return fetch(back);
  };
  const { code, shown } = await login(foreign);
  expect([code, shown.talk()]).toEqual([4, expect.stringContaining('another sign-in')]);
});

test('who is refused reads why', async () => {
  place.issuer.trouble = 'denied';
  const { code, shown } = await login(follow);
  expect([code, shown.talk()]).toEqual([4, expect.stringContaining('access_denied')]);
});

test('an issuer that is away, and an API without one, end with a sentence', async () => {
  place.issuer.trouble = 'down';
  const away = await login(follow);
  expect([away.code, away.shown.talk()]).toEqual([1, expect.stringContaining('cannot be reached')]);
  const before = place.health;
  place.health = { ok: true, version: '1' };
  const { code, shown } = await login(follow);
  place.health = before;
  expect([code, shown.talk()]).toEqual([1, expect.stringContaining('Nobody signs in at')]);
});

test('nobody who comes leaves no listener behind', async () => {
  const { code, shown } = await login(async (_address, terminal) => terminal.interrupt());
  expect([code, shown.talk()]).toEqual([6, expect.stringContaining('Nobody signed in')]);
});
