import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createIssuerKeys } from '../../../../adapters/oidc/issuer-keys.ts';
import { createPeople } from '../../../../adapters/oidc/people.ts';
import { parseGroupScopes } from '../../../../core/sign-in/groups.ts';
import { createMemoryStores } from '../../../memory/stores.ts';
import { clientId, type Issuer, startIssuer } from '../../../sign-in/issuer.ts';
import { type ApiStage, createApiStage } from '../api-stage.ts';

/** People who signed in elsewhere, beside tokens, at the API that is shipped. */
let issuer: Issuer;
let api: ApiStage;

beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.close());
beforeEach(() => {
  const settings = {
    issuer: issuer.url,
    audience: clientId,
    groupsClaim: 'groups',
    groups: parseGroupScopes('operators=jobs:read,jobs:write,edges:enrol;admins=fleet:admin'),
  };
  const people = createPeople(settings, createIssuerKeys(issuer.url));
  api = createApiStage(createMemoryStores(), { people, signIn: settings });
});

const statusOf = async (method: string, path: string, token: string, body?: object) =>
  (await api.request(method, path, { token, body })).status;

test('a group opens what it may, and nothing else', async () => {
  const token = issuer.token();
  expect(await statusOf('GET', '/v1/jobs', token)).toBe(200);
  expect(await statusOf('POST', '/v1/jobs', token, { power: 4 })).toBe(202);
  expect(await statusOf('GET', '/v1/tokens', token)).toBe(403);
  const admin = issuer.token({ sub: 'root', groups: ['admins'] });
  expect(await statusOf('GET', '/v1/tokens', admin)).toBe(200);
});

test('an account at the issuer alone opens nothing, not even the graph', async () => {
  const token = issuer.token({ groups: ['others'] });
  const query = { query: '{ __typename }' };
  expect(await statusOf('GET', '/v1/jobs', token)).toBe(403);
  expect(await statusOf('POST', '/graphql', token, query)).toBe(403);
  expect(await statusOf('POST', '/graphql', issuer.token(), query)).toBe(200);
});

test('what is no good is 401, as for every token', async () => {
  for (const token of [
    issuer.token({ exp: 1 }),
    issuer.token({ aud: 'x' }),
    'eyJhbGciOiJub25lIn0.e30.',
  ]) {
    const { status, json } = await api.request('GET', '/v1/jobs', { token });
    expect([status, json.code]).toEqual([401, 'unauthenticated']);
  }
});

test('tokens stay as they were, also while the issuer is away', async () => {
  issuer.trouble = 'down';
  try {
    expect(await statusOf('GET', '/v1/jobs', api.adminToken)).toBe(200);
    const made = await api.request('POST', '/v1/tokens', {
      body: { name: 'a', scopes: ['jobs:read'] },
    });
    expect(await statusOf('GET', '/v1/jobs', made.json.secret)).toBe(200);
    // The authorizer says that it could not find out, and not that nobody is known.
    await expect(statusOf('GET', '/v1/jobs', issuer.token())).rejects.toThrow(/what its keys are/);
  } finally {
    issuer.trouble = 'none';
  }
});

test('the trail names the person', async () => {
  const token = issuer.token({ sub: 'auth0|ann/1' });
  const made = await api.request('POST', '/v1/jobs', { token, body: { power: 4 } });
  expect(made.json.createdBy).toBe('user:auth0|ann%2F1');
  const { json } = await api.request('GET', '/v1/audit');
  expect(json.items[0]).toMatchObject({ by: 'user:auth0|ann%2F1' });
});

test('a key of idempotency belongs to its person', async () => {
  const send = (sub: string) =>
    api.request('POST', '/v1/jobs', {
      token: tokens.get(sub) ?? '',
      body: { power: 4 },
      headers: { 'idempotency-key': 'once' },
    });
  const tokens = new Map(['ann', 'bob'].map((sub) => [sub, issuer.token({ sub })]));
  const [first, again, other] = [await send('ann'), await send('ann'), await send('bob')];
  expect(again.json.id).toBe(first.json.id);
  expect(other.json.id).not.toBe(first.json.id);
});

test('a person may let edges in, where the group may', async () => {
  const body = { name: 'edge-1', capacity: { power: 1 }, csr: null };
  expect(await statusOf('POST', '/v1/edges', issuer.token(), body)).toBe(201);
});

test('everybody may know where answers stream', async () => {
  const eventStream = 'https://stream.example.com/';
  const streaming = createApiStage(createMemoryStores(), { eventStream });
  const { json } = await streaming.request('GET', '/v1/health', { token: null });
  expect(json.endpoints).toEqual({ events: 'https://stream.example.com/v1/events/stream' });
});

test('everybody may know where to sign in', async () => {
  const { json } = await api.request('GET', '/v1/health', { token: null });
  expect(json.signIn).toEqual({ issuer: issuer.url, clientId });
});
