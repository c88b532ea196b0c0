import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CertifiedIssuer, startCertifiedIssuer } from '../sign-in/certified-issuer.ts';
import { walk } from '../sign-in/person.ts';
import { type Client, startClient } from './cli/client.ts';
import { makeLocalPlace, type Place, until } from './start/stage.ts';

/**
 * People sign in at an issuer that nobody here wrote: the command line with a browser and on
 * another device, the API with what it signs, and a token anew when one is no longer taken.
 */
const installMsMax = 300_000;
let issuer: CertifiedIssuer;
let place: Place;
let missing: string | null = null;
/** The address of the issuer's page, as the client prints it. */
const page = /^ {2}(http\S+)$/m;
const ann = { fields: { login: 'ann', password: 'any' } };

beforeAll(async () => {
  const found = await startCertifiedIssuer();
  if ('missing' in found) {
    missing = found.missing;
    return;
  }
  issuer = found;
  place = await makeLocalPlace();
  await place.cloud(
    ...['--parameter', `SignInIssuer=${issuer.url}`],
    ...['--parameter', 'SignInClient=edgewise-people'],
    ...['--parameter', 'SignInGroups=operators=jobs:read,jobs:write'],
  );
}, installMsMax);
afterAll(async () => {
  await place?.remove();
  await issuer?.close();
});

const config = (): string => join(place.directory, 'contexts.json');
const edgewise = (...words: string[]): Client =>
  startClient(place.directory, words, { EDGEWISE_CONFIG: config() });

/** An address that the client printed. */
async function printed(client: Client, pattern: RegExp): Promise<string> {
  return until('the client prints an address', async () => {
    const [, address] = pattern.exec(client.text()) ?? [];
    if (address === undefined && client.process.exitCode !== null) throw new Error(client.text());
    return address ?? null;
  });
}

const kept = () => {
  const { current, contexts } = JSON.parse(readFileSync(config(), 'utf8'));
  return contexts[current];
};

async function jobs(): Promise<unknown> {
  const { code, out, err } = await edgewise('job', 'list', '-o', 'name').ended;
  return [code, out, err];
}

test('with a browser, and the token is had anew when it is no longer taken', async ({ skip }) => {
  if (missing !== null) return skip(missing);
  const login = edgewise('login', '--api', place.endpoints()!.api);
  const back = await walk(ann, issuer.url, await printed(login, page));
  expect(await (await fetch(back)).text()).toContain('go back to the terminal');
  const { code, err } = await login.ended;
  expect([code, err]).toEqual([0, expect.stringContaining('You are signed in.')]);
  const { id } = JSON.parse((await edgewise('submit', '--power', '4', '-o', 'json').ended).out);
  expect(await jobs()).toEqual([0, `${id}\n`, '']);

  // This issuer lets nobody stay signed in who was not asked.
  expect([kept().renewal, err]).toEqual([null, expect.stringContaining('With --consent')]);
  const again = edgewise('login', '--consent', '--api', place.endpoints()!.api);
  await fetch(await walk(ann, issuer.url, await printed(again, page)));
  expect(await again.ended).toMatchObject({
    code: 0,
    err: expect.stringContaining('it is renewed'),
  });

  const file = JSON.parse(readFileSync(config(), 'utf8'));
  const { token } = file.contexts[file.current];
  const spoilt = `${token.slice(0, -8)}AAAAAAAA`;
  file.contexts[file.current].token = spoilt;
  writeFileSync(config(), JSON.stringify(file));
  expect(await jobs()).toEqual([0, `${id}\n`, '']);
  // Within one second the issuer makes the same token again.
  expect(kept().token).not.toBe(spoilt);
}, 60_000);

test('on another device', async ({ skip }) => {
  if (missing !== null) return skip(missing);
  const login = edgewise('login', '--device', '--api', place.endpoints()!.api);
  const address = await printed(login, /Or open {2}(http\S+)/);
  expect(await walk(ann, issuer.url, address)).toMatch(/success/i);
  expect((await login.ended).code).toBe(0);
  expect(await jobs()).toMatchObject([0, expect.any(String), '']);
}, 60_000);

test('who is not signed in there reads it on the terminal', async ({ skip }) => {
  if (missing !== null) return skip(missing);
  const login = edgewise('login', '--api', place.endpoints()!.api);
  const address = new URL(await printed(login, page));
  address.searchParams.set('prompt', 'none');
  await fetch(await walk(ann, issuer.url, address.href));
  const { code, err } = await login.ended;
  expect([code, err]).toEqual([
    4,
    expect.stringMatching(/The issuer did not let you in: .*authentication is required/),
  ]);
});
