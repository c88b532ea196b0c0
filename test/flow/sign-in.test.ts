import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientId, type Issuer, startIssuer } from '../sign-in/issuer.ts';
import { startClient } from './cli/client.ts';
import { makeLocalPlace, type Place } from './start/stage.ts';

/** People sign in at the stack as it is deployed: its parameters, its authorizer, its page. */
let issuer: Issuer;
let place: Place;
const api = () => place.endpoints()!.api;

beforeAll(async () => {
  issuer = await startIssuer('RS256');
  place = await makeLocalPlace();
  const parameters = {
    SignInIssuer: issuer.url,
    SignInClient: clientId,
    SignInGroups: 'operators=jobs:read,jobs:write;admins=fleet:admin',
  };
  await place.cloud(
    ...Object.entries(parameters).flatMap(([id, to]) => ['--parameter', `${id}=${to}`]),
  );
});
afterAll(async () => {
  await place.remove();
  await issuer.close();
});

async function ask(path: string, token: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`${api()}${path}`, { headers, ...sent });
  // biome-ignore lint/suspicious/noExplicitAny: the test looks into answers of every shape
  return { status: answer.status, body: (await answer.json()) as any };
}

test('the API says where, lets people in by their groups, and keeps others out', async () => {
  const { body } = await ask('/v1/health', 'nobody-in-particular');
  expect(body.signIn).toEqual({ issuer: issuer.url, clientId });
  const submitted = await ask('/v1/jobs', issuer.token(), { power: 4 });
  expect([submitted.status, submitted.body.createdBy]).toEqual([202, 'user:ann']);
  expect((await ask('/v1/tokens', issuer.token())).status).toBe(403);
  expect((await ask('/v1/tokens', issuer.token({ groups: ['admins'] }))).status).toBe(200);
  expect((await ask('/v1/jobs', issuer.token({ exp: 1 }))).status).toBe(401);
});

test('a key that is new is known at once, and one that is gone within seconds', async () => {
  const before = issuer.token();
  issuer.rotate();
  await expect
    .poll(async () => (await ask('/v1/jobs', issuer.token())).status, { timeout: 30_000 })
    .toBe(200);
  await expect
    .poll(async () => (await ask('/v1/jobs', before)).status, { timeout: 30_000 })
    .toBe(401);
});

test('the client has its token anew when that has ended', async () => {
  const renewal = {
    tokenAddress: `${issuer.url}/token`,
    clientId,
    refreshToken: issuer.renewals.begin(),
  };
  const config = join(place.directory, 'signed-in.json');
  const lab = { api: api(), token: issuer.token({ exp: 1 }), renewal };
  writeFileSync(config, JSON.stringify({ current: 'lab', contexts: { lab } }));
  const words = ['job', 'list', '-o', 'name'];
  const { code, err } = await startClient(place.directory, words, { EDGEWISE_CONFIG: config })
    .ended;
  expect([code, err]).toEqual([0, '']);
  const { contexts } = JSON.parse(readFileSync(config, 'utf8'));
  expect((await ask('/v1/jobs', contexts.lab.token)).status).toBe(200);
});

test('an issuer that is away is no trouble for tokens', async () => {
  issuer.trouble = 'down';
  try {
    expect((await ask('/v1/jobs', place.endpoints()!.token ?? '')).status).toBe(200);
    expect((await ask('/v1/jobs', issuer.token())).status).toBe(200);
  } finally {
    issuer.trouble = 'none';
  }
});

test('the page may ask the stream of its stage and the issuer, and nobody else', async () => {
  const { outputs } = JSON.parse(readFileSync(join(place.state, 'endpoints.json'), 'utf8'));
  const page = await fetch(`${outputs.DashboardUrl}/`);
  const policy = page.headers.get('content-security-policy') ?? '';
  const asked = /connect-src ([^;]*)/.exec(policy)?.[1]?.trim().split(/\s+/);
  expect(asked).toEqual(["'self'", outputs.EventStreamUrl, issuer.url]);
});
